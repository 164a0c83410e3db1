/** The key that signs sign-in cookies and links in mails. */
import type { Seal } from '../lib/seal.ts';

/**
 * Derives the secret from the current key. A new key invalidates cookies and verification links of the previous key.
 */
export function signInSecret(seal: Seal): string {
  return Buffer.from(seal.derive('sign-in')).toString('base64url');
}
