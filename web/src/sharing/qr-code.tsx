/** An address that a telephone reads off the screen. */
import { encode } from 'uqr';

/** Dark on light in both themes: readers expect that, with a margin of four modules (ISO/IEC 18004). */
export default function QrCode({ text, what }: { text: string; what: string }) {
  const { data, size } = encode(text, { border: 4 });
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return (
    <svg className="qr-code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={`QR code of ${what}`}>
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
