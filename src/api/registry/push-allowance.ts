/** How much an owner may still push. */
import { statfs } from 'node:fs/promises';
import { printBytes } from '../../config/values/units.ts';
import { type CheckRoom, type PushedImages, QuotaFault } from '../../images/pushed/pushed-image-store.ts';
import type { Database } from '../../store/database.ts';
import { bytesOfAll, bytesOfPayer, type Payer, payerOfNamespace } from '../../store/image-namespaces.ts';
import { pushedBlobSizes } from '../../store/pushed-blobs.ts';
import { planOf } from '../admission/plans.ts';
import type { ApiSettings, Service } from '../api-service.ts';

export type PushLimits = {
  /** Of all pushed images together. */
  maxBytes: number;
  /** Of the disk, so much must stay free. */
  diskFreeBytes: number;
};

/** `bytes` may still come; what stands in the way of more is said by `refusal`. */
export type Allowance = { bytes: number; refusal: string };

/** The quota of a payer, and its use. */
type Counted = { most: number; used: number; whose: string };

/** The least of what the plan or the address, all pushed images and the disk leave; uploads that are under way count. */
export async function allowanceOf(
  { service, images, limits }: PushParts,
  payer: Payer,
  /** Called synchronously after the quota is computed, so that the next request counts the reserved bytes. */
  reserve: (allowed: Allowance) => void = () => {},
): Promise<Allowance> {
  const { most, used, whose } = await countedOf(service, service.db, payer);
  const ofAll = await bytesOfAll(service.db);
  const disk = await statfs(images.folder.stagingPath('.'));
  const uploading = images.uploads.bytes(payer);
  const candidates: Allowance[] = [
    { bytes: most - used - uploading, refusal: tooMuchOfPayer({ most, used, whose }, uploading) },
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

/** The final check, in the transaction that adds a blob: another process may have added blobs since. */
export function roomIn({ service, limits }: Pick<PushParts, 'service' | 'limits'>): CheckRoom {
  return async (db, { namespace, digest, sizeBytes }) => {
    if ((await pushedBlobSizes(db, namespace, [digest])).has(digest)) return;
    const payer = await payerOfNamespace(db, namespace);
    if (!payer) throw new Error(`the namespace ${namespace} has no row`);
    const counted = await countedOf(service, db, payer);
    const others = await bytesOfPayer(db, payer, { except: digest });
    if (others + sizeBytes > counted.most) throw new QuotaFault(tooMuchOfPayer(counted));
    if ((await bytesOfAll(db)) + sizeBytes > limits.maxBytes) throw new QuotaFault(tooMuchOfAll);
  };
}

type Counting = Pick<Service, 'db'> & { settings: Pick<ApiSettings, 'tiers' | 'strangers'> };

type PushParts = { service: Counting; images: PushedImages; limits: PushLimits };

async function countedOf({ settings }: Pick<Counting, 'settings'>, db: Database, payer: Payer): Promise<Counted> {
  const plan = await planOf(db, settings.tiers, payer.kind === 'account' ? payer.accountId : null);
  return {
    most: plan ? imageBytesOf(plan.tier) : imageBytesOfStrangers(settings.strangers),
    used: await bytesOfPayer(db, payer),
    whose: plan ? `the plan "${plan.tier.name}" allows` : 'without an account, an address may push',
  };
}

function tooMuchOfPayer({ most, used, whose }: Counted, uploading = 0): string {
  const unfinished = uploading > 0 ? `, and ${printBytes(uploading)} are in unfinished uploads` : '';
  const rest = 'Images are removed when their session ends. You can also remove images yourself';
  return `${whose} ${printBytes(most)} of images; ${printBytes(used)} are there${unfinished}. ${rest}`;
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
