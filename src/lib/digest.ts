/** PURE. Digests: how content is named. */
import { createHash } from 'node:crypto';

/** `sha256:` and 64 hexadecimal digits. */
export type Digest = `sha256:${string}`;

export function isDigest(text: string): text is Digest {
  return /^sha256:[0-9a-f]{64}$/.test(text);
}

export function digestOf(content: Uint8Array | string): Digest {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}
