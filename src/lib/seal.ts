/**
 * Encryption at rest: configurations contain passwords, so they are stored sealed. Each sealed value names its key, so
 * that the key can change while older values still exist.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';

export type Seal = {
  /**
   * Sealed with the newest key. Call it within the transaction that writes the value, so that resealing finds every
   * value of an older key.
   */
  close(text: string): Uint8Array;
  /** Throws on a value that was altered, and on one of a key that is not here. */
  open(sealed: Uint8Array): string;
  /** The prefix of exactly the values that the newest key has sealed. */
  header(): Uint8Array;
  /** 32 bytes that are indistinguishable from random without the newest key; equal for equal purposes. */
  derive(purpose: string): Uint8Array;
};

/** The newest key seals, and each of them opens. A key is any text with enough entropy, hashed with SHA-256. */
export type Keys = readonly [string, ...string[]];

/** Precedes the key's ID. */
const mark = Buffer.from('BRT1');
const idBytes = 8;
export const headerBytes = mark.length + idBytes;
const nonceBytes = 12;
const tagBytes = 16;

/** Identifies a key without revealing anything about it. */
export function keyIdOf(secret: string): string {
  return createHash('sha256')
    .update('berth key id\0')
    .update(secret)
    .digest('hex')
    .slice(0, 2 * idBytes);
}

/** The key for derived values. It is separate, so that they reveal nothing about sealed data (SP 800-108). */
function derivationKeyOf(secret: string): Uint8Array {
  return createHmac('sha256', keyOf(secret)).update('derive').digest();
}

/**
 * AES-256-GCM with a random 96-bit nonce per value (NIST SP 800-38D), laid out as header (mark and key id, which the
 * tag covers), nonce, tag, ciphertext.
 */
export function sealWith(newest: string, ...older: string[]): Seal {
  const keys = [newest, ...older].map((secret) => ({ header: headerOf(secret), key: keyOf(secret) }));
  const [{ header, key }] = keys as [(typeof keys)[0]];
  const derivationKey = derivationKeyOf(newest);
  return {
    close(text) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(header);
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([header, nonce, cipher.getAuthTag(), body]);
    },
    open(sealed) {
      const bytes = Buffer.from(sealed);
      const named = keys.find((each) => each.header.equals(bytes.subarray(0, headerBytes)));
      if (!named) throw new Error('a stored value was altered, or encrypted with an unknown key');
      return decrypt(named.key, bytes.subarray(headerBytes), named.header);
    },
    header: () => header,
    derive: (purpose) => createHmac('sha256', derivationKey).update(purpose).digest(),
  };
}

/** A seal whose keys may change: `keysNow` is called at each use. */
export function sealBy(keysNow: () => Keys): Seal {
  let known: Keys | undefined;
  let seal: Seal;
  const current = () => {
    const keys = keysNow();
    if (keys !== known) seal = sealWith(...keys);
    known = keys;
    return seal;
  };
  return {
    close: (text) => current().close(text),
    open: (sealed) => current().open(sealed),
    header: () => current().header(),
    derive: (purpose) => current().derive(purpose),
  };
}

function keyOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

function headerOf(secret: string): Buffer {
  return Buffer.concat([mark, Buffer.from(keyIdOf(secret), 'hex')]);
}

function decrypt(key: Buffer, bytes: Buffer, header: Buffer): string {
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes));
  decipher.setAAD(header);
  decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  const body = bytes.subarray(nonceBytes + tagBytes);
  return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
}
