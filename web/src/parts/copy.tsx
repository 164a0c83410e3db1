/** Into the clipboard. */
import { useState } from 'react';
import { Check, Copy } from './icons.tsx';

const confirmedMs = 1_600;

/** Renders nothing if the browser has no clipboard: over plain HTTP, except on localhost. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const [isCopied, setIsCopied] = useState(false);
  if (!navigator.clipboard) return null;
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setIsCopied(true);
    setTimeout(() => setIsCopied(false), confirmedMs);
  };
  return (
    <button
      type="button"
      className="button quiet compact icon"
      onClick={() => void copy()}
      aria-label={isCopied ? 'Copied' : `Copy ${what}`}
      title={`Copy ${what}`}
    >
      {isCopied ? <Check /> : <Copy />}
    </button>
  );
}
