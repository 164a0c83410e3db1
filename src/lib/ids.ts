/** Identifiers and tokens. The source of randomness is passed in by tests that need the same ids twice. */
import { createHash, randomBytes } from 'node:crypto';

/** Bytes of randomness; `crypto.randomBytes` outside tests. */
export type Random = (size: number) => Uint8Array;

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';

/** 10 characters of base32 (50 bits): fits a bridge name of 15 characters together with its prefix. */
export function newId(random: Random = randomBytes): string {
  return Array.from(random(10), (byte) => alphabet[byte % 32]).join('');
}

/** `<prefix>_` and 192 random bits. */
export function newToken(
  prefix: 'berth' | 'claim' | 'berthkey' | 'login' | 'share' | 'berthhook',
  random: Random = randomBytes,
): string {
  return `${prefix}_${Buffer.from(random(24)).toString('base64url')}`;
}

/** Returns the stored form of a token. A fast hash is sufficient for a value of 192 random bits. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Removes tokens from a text with client input before it is logged. */
export function hideTokens(text: string): string {
  return text.replace(/\b(berth|berthhook|berthkey|claim|login|share)_[\w-]{16,}/g, '$1_…');
}
