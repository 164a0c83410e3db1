/** Encryption at rest: configurations hold passwords, so they are stored sealed. */
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';

export type Seal = {
  close(text: string): Uint8Array;
  open(sealed: Uint8Array): string;
  /** 32 bytes that nobody without the secret can tell from random ones; the same for the same purpose. */
  derive(purpose: string): Uint8Array;
};

const nonceBytes = 12;
const tagBytes = 16;

/**
 * AES-256-GCM with a random 96-bit nonce per value (NIST SP 800-38D), laid out as nonce, tag, ciphertext.
 * `secret` is any string of enough entropy; its SHA-256 is the key. `open` throws on a value that was altered.
 */
export function sealWith(secret: string): Seal {
  const key = createHash('sha256').update(secret).digest();
  const derivationKey = createHmac('sha256', key).update('derive').digest();
  return {
    close(text) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]);
    },
    open(sealed) {
      const bytes = Buffer.from(sealed);
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes));
      decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
      const body = bytes.subarray(nonceBytes + tagBytes);
      return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
    },
    // A key of its own: what is derived must tell nothing about what is sealed (NIST SP 800-108).
    derive: (purpose) => createHmac('sha256', derivationKey).update(purpose).digest(),
  };
}
