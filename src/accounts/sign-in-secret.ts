/** The key that signs sign-in cookies and links in mails. */
import type { Seal } from '../lib/seal.ts';

/** Of the present key: with a new one, cookies, and links that verify an address, of the one before are worth nothing. */
export function signInSecret(seal: Seal): string {
  return Buffer.from(seal.derive('sign-in')).toString('base64url');
}
