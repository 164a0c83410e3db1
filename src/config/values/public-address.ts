/** Which addresses lead to the internet. Pure, and without Node: the checks also run in a browser. */
import { reservedIPv4 } from '../../lib/reserved-addresses.ts';
import { parseUrl } from './patterns.ts';

/** Whether an address is not on a list of special addresses. False if the text is not an address. */
export function isPublicAddress(text: string): boolean {
  return /^[\d.]+$/.test(text) ? isPublicIPv4(text) : text.includes(':') && isPublicIPv6(text);
}

function isPublicIPv4(text: string): boolean {
  const bits = bitsOf(text);
  return bits !== undefined && !reservedIPv4.some((range) => isWithin(bits, range));
}

/** As a number of 32 bits. Only the common form is accepted, because some programs read a leading zero as octal. */
function bitsOf(text: string): number | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256))
    return undefined;
  return parts.reduce((sum, part) => sum * 256 + Number(part), 0);
}

function isWithin(bits: number, range: string): boolean {
  const [network = '', length = ''] = range.split('/');
  const size = 2 ** (32 - Number(length));
  return Math.floor(bits / size) === Math.floor(bitsOf(network)! / size);
}

/** In 2000::/3, which is what the internet has, and without an IPv4 address inside (Teredo, 6to4). */
function isPublicIPv6(text: string): boolean {
  if (!/^[0-9a-f:]{2,39}$/i.test(text)) return false;
  const host = parseUrl(`http://[${text}]/`)?.hostname;
  if (host === undefined) return false;
  const [first = '', second = ''] = host.slice(1).split(':');
  const leading = Number.parseInt(first, 16);
  if (!(leading >= 0x2000 && leading <= 0x3fff) || leading === 0x2002) return false;
  return !(leading === 0x2001 && (second === '' || second === '0'));
}
