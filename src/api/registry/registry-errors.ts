/** Refusals in the shape of the distribution specification: clients print the message behind the code in lower case. */
import type { FastifyReply } from 'fastify';
import { type Digest, isDigest } from '../../lib/digest.ts';

const statuses = {
  BLOB_UNKNOWN: 404,
  BLOB_UPLOAD_INVALID: 400,
  BLOB_UPLOAD_UNKNOWN: 404,
  DIGEST_INVALID: 400,
  MANIFEST_BLOB_UNKNOWN: 404,
  MANIFEST_INVALID: 400,
  MANIFEST_UNKNOWN: 404,
  NAME_UNKNOWN: 404,
  SIZE_INVALID: 413,
  RANGE_INVALID: 416,
  UNAUTHORIZED: 401,
  // Clients give up at once, and print the message.
  DENIED: 403,
  UNSUPPORTED: 405,
  NOT_FOUND: 404,
  TOOMANYREQUESTS: 429,
  UNAVAILABLE: 503,
  UNKNOWN: 500,
} as const;

type RegistryErrorCode = keyof typeof statuses;

/** For where only an error can be thrown; the boundary answers it. */
export class RegistryRefusal extends Error {
  readonly code: RegistryErrorCode;
  /** How to get in. */
  readonly challenge: string | undefined;

  constructor(code: RegistryErrorCode, message: string, challenge?: string) {
    super(message);
    this.code = code;
    this.challenge = challenge;
  }
}

/** Throws for an invalid digest. Registries need not support other algorithms, and Docker uses only this one. */
export function readDigest(text: string): Digest {
  if (isDigest(text)) return text;
  throw new RegistryRefusal('DIGEST_INVALID', 'a digest is sha256: and 64 hexadecimal digits');
}

export function sendRefusal(reply: FastifyReply, code: RegistryErrorCode, message: string): FastifyReply {
  return reply.status(statuses[code]).send({ errors: [{ code, message }] });
}
