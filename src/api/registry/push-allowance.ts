/** How much somebody may still push. */
import { statfs } from 'node:fs/promises';
import { printBytes } from '../../config/values/units.ts';
import { imageBytesOf, imageBytesOfStrangers } from '../../deployment/limits/pushed-image-limits.ts';
import type { PushedImages } from '../../images/pushed/pushed-image-store.ts';
import { bytesOfAccount, bytesOfAll, bytesOfClient } from '../../store/image-namespaces.ts';
import { planOf } from '../admission/plans.ts';
import type { Service } from '../api-service.ts';
import { type Pusher, payerOfPush } from './pushers.ts';

export type PushLimits = {
  /** Of all pushed images together. */
  mostBytes: number;
  /** Of the disk, so much must stay free. */
  diskFreeBytes: number;
};

/** `bytes` may still come; what stands in the way of more is said by `refusal`. */
export type Allowance = { bytes: number; refusal: string };

/** The least of what the plan or the address, all pushed images and the disk leave; uploads that are under way count. */
export async function allowanceOf(
  { db, settings }: Pick<Service, 'db' | 'settings'>,
  images: PushedImages,
  limits: PushLimits,
  pusher: Pusher,
): Promise<Allowance> {
  const { accountId, client } = pusher;
  const plan = await planOf(db, settings.tiers, accountId);
  const most = plan ? imageBytesOf(plan.tier) : imageBytesOfStrangers(settings.strangers);
  const used = accountId === null ? await bytesOfClient(db, client) : await bytesOfAccount(db, accountId);
  const whose = plan ? `the plan "${plan.tier.name}" allows` : 'without an account, an address may push';
  const disk = await statfs(images.folder.stagingPath('.'));
  const candidates: Allowance[] = [
    {
      bytes: most - used - images.uploads.bytes(payerOfPush(pusher)),
      refusal: `${whose} ${printBytes(most)} of images; ${printBytes(used)} are there. Images are removed when their session ends; or remove some yourself`,
    },
    {
      bytes: limits.mostBytes - (await bytesOfAll(db)) - images.uploads.bytes(),
      refusal: 'this server has no room left for pushed images; ask its operator',
    },
    {
      bytes: disk.bavail * disk.bsize - limits.diskFreeBytes,
      refusal: 'the disk of this server is too full to take images now; try again later',
    },
  ];
  return candidates.reduce((least, each) => (each.bytes < least.bytes ? each : least));
}
