/** PURE. Limits of image pulls: sizes and concurrency. */
import type { Tier } from './plan-tier.ts';
import type { StrangerLimits } from './stranger-limits.ts';

/** Limits of one image. */
export type ImageLimits = {
  /** All layers, compressed. */
  compressedBytes: number;
  /** All layers, unpacked. */
  unpackedBytes: number;
};

/** Lower limits of a plan or of strangers. */
export type PullLimits = Partial<ImageLimits> & {
  /** Concurrent pulls; absent: `usualAtOnce`. */
  atOnce?: number;
};

/** The limits of the pulls of one deployment. */
export type PullTerms = {
  /** The client whose pulls are counted together. */
  client: string;
  atOnce: number;
  image: OwnImageLimits;
};

/** `by`: the source of the limit, for messages. `payer`: the client that work for the image is charged to. */
export type OwnImageLimits = Partial<ImageLimits> & { by: string; payer?: string };

/** An engine downloads 3 to 64 layers at a time, for all clients. */
const usualAtOnce = 4;

/**
 * Returns the limits by the deployment's plan. Without a plan, pulls are counted by client address, or by session if
 * the address is unknown.
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
