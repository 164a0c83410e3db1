/** Computes how much an owner may still push. */
import { statfs } from 'node:fs/promises';
import type { FastifyReply } from 'fastify';
import { printBytes } from '../../config/values/units.ts';
import { type CheckRoom, type PushedImages, QuotaFault } from '../../images/pushed/pushed-image-store.ts';
import { type Digest, isDigest } from '../../lib/digest.ts';
import type { Database } from '../../store/database.ts';
import { bytesOfAll, bytesOfPayer, type Payer, payerOfNamespace } from '../../store/image-namespaces.ts';
import { pushedBlobSizes } from '../../store/pushed-blobs.ts';
import { planOf } from '../admission/plans.ts';
import type { ApiSettings, Service } from '../api-service.ts';

export type PushLimits = {
  /** The maximum size of all pushed images together. */
  maxBytes: number;
  /** The space on the disk that must stay free. */
  diskFreeBytes: number;
};

/** `bytes`: the number of bytes that may still be pushed. `refusal`: the reason for this limit. */
export type Allowance = { bytes: number; refusal: string };

/** `max`: the payer's maximum in bytes. `whose`: the beginning of a sentence about it. */
type Quota = { max: number; whose: string };

/**
 * Returns the minimum of the remaining space of the plan or address, of all pushed images, and of the disk. Uploads in
 * progress count.
 */
export async function allowanceOf(
  { service, images, limits }: PushParts,
  payer: Payer,
  /** Called synchronously after the quota is computed, so that the next request counts the reserved bytes. */
  reserve: (allowed: Allowance) => void = () => {},
): Promise<Allowance> {
  const quota = await quotaOf(service, service.db, payer);
  const used = await bytesOfPayer(service.db, payer);
  const ofAll = await bytesOfAll(service.db);
  const disk = await statfs(images.folder.stagingPath('.'));
  const uploading = images.uploads.bytes(payer);
  const candidates: Allowance[] = [
    { bytes: quota.max - used - uploading, refusal: tooMuchOfPayer(quota, { used, uploading }) },
    { bytes: limits.maxBytes - ofAll - images.uploads.bytes(), refusal: tooMuchOfAll },
    {
      bytes: disk.bavail * disk.bsize - limits.diskFreeBytes,
      refusal: 'the disk of this server is too full for more images; try again later',
    },
  ];
  const allowed = candidates.reduce((least, each) => (each.bytes < least.bytes ? each : least));
  reserve(allowed);
  return allowed;
}

/** The final check, in the transaction that adds a blob, because another process may have added blobs since. */
export function roomIn({ service, limits }: Pick<PushParts, 'service' | 'limits'>): CheckRoom {
  return async (db, { namespace, digest, sizeBytes }) => {
    if ((await pushedBlobSizes(db, namespace, [digest])).has(digest)) return;
    const payer = await payerOfNamespace(db, namespace);
    if (!payer) throw new Error(`the namespace ${namespace} has no row`);
    const quota = await quotaOf(service, db, payer);
    const others = await bytesOfPayer(db, payer, { except: digest });
    if (others + sizeBytes > quota.max)
      throw new QuotaFault(tooMuchOfPayer(quota, { used: await bytesOfPayer(db, payer) }));
    if ((await bytesOfAll(db)) + sizeBytes > limits.maxBytes) throw new QuotaFault(tooMuchOfAll);
  };
}

type Counting = Pick<Service, 'db'> & { settings: Pick<ApiSettings, 'tiers' | 'strangers'> };

type PushParts = { service: Counting; images: PushedImages; limits: PushLimits };

async function quotaOf({ settings }: Pick<Counting, 'settings'>, db: Database, payer: Payer): Promise<Quota> {
  const plan = await planOf(db, settings.tiers, payer.kind === 'account' ? payer.accountId : null);
  return plan
    ? { max: imageBytesOf(plan.tier), whose: `the plan "${plan.tier.name}" allows` }
    : { max: imageBytesOfStrangers(settings.strangers), whose: 'without an account, an address may push' };
}

function tooMuchOfPayer({ max, whose }: Quota, { used, uploading = 0 }: { used: number; uploading?: number }): string {
  const unfinished = uploading > 0 ? `, and ${printBytes(uploading)} are in unfinished uploads` : '';
  const rest = 'Images are removed when their session ends. You can also remove images yourself';
  return `${whose} ${printBytes(max)} of images; ${printBytes(used)} are there${unfinished}. ${rest}`;
}

const tooMuchOfAll = 'this server has no room left for pushed images; ask its operator';

const gibibyte = 2 ** 30;

/** The default. */
const usualOfPlan = 10 * gibibyte;
const usualOfAddress = 5 * gibibyte;

/** Returns the total of an account, in compressed bytes. */
function imageBytesOf({ imageBytes = usualOfPlan }: { imageBytes?: number }): number {
  return imageBytes;
}

/** Returns the total of all unclaimed sessions of one address. */
function imageBytesOfStrangers({ imageBytes = usualOfAddress }: { imageBytes?: number }): number {
  return imageBytes;
}

/** Refusals in the shape of the distribution specification: clients print the message behind the code in lower case. */

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
  // With this code, clients stop at once and print the message.
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
  /** The `WWW-Authenticate` header. */
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
