/** PURE. What images may have that are brought here for somebody's deployments, and how many come at a time. */
import type { Tier } from './plan-tier.ts';
import type { StrangerLimits } from './stranger-limits.ts';

/** What one image may have. */
export type ImageLimits = {
  /** Of all layers as they are sent. */
  compressedBytes: number;
  /** Of all layers as they will lie on the disk. */
  unpackedBytes: number;
};

/** Where a plan, or the setting of strangers, says less than what any image may have. */
export type PullLimits = Partial<ImageLimits> & {
  /** How many images at a time; absent: `usualAtOnce`. */
  atOnce?: number;
};

/** What holds for the pulls of one deployment. */
export type PullTerms = {
  /** Whose pulls are counted together. */
  client: string;
  atOnce: number;
  image: OwnImageLimits;
};

/** `by`: behind "all that an image may have". `payer`: the client that work for the image is charged to. */
export type OwnImageLimits = Partial<ImageLimits> & { by: string; payer?: string };

/** An engine downloads 3 to 64 layers at a time, for everybody. */
const usualAtOnce = 4;

/**
 * By the plan that a deployment counts to. Without one, those of a client address are counted together, and those of a
 * session where no address is known.
 */
export function pullTermsOf(
  plan: { accountId: string; tier: Tier } | undefined,
  strangers: StrangerLimits,
  { sessionId, client }: { sessionId: string; client: string | undefined },
): PullTerms {
  const { atOnce = usualAtOnce, ...image } = (plan ? plan.tier.pulls : strangers.pulls) ?? {};
  const by = plan ? `with the plan "${plan.tier.name}"` : 'without an account';
  const counted = plan ? `account ${plan.accountId}` : client ? `address ${client}` : `session ${sessionId}`;
  return { client: counted, atOnce, image: { ...image, by, payer: counted } };
}
