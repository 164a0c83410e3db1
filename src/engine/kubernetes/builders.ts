/** Pods of image builds. As on other engines, their start ends when commands can be run in them. */
import type { Workload } from '../../deployment/workload/workload.ts';
import { EngineFault } from '../engine.ts';
import type { Cache } from './cache.ts';
import { cachedWorkloads } from './observe.ts';
import type { PodFacts } from './pods.ts';

/** Enough for a new node and the pull of the image. */
const patienceMs = 3 * 60_000;

/** Throws EngineFault if the pod ends, is removed, lacks something on its node, or does not start in time. */
export async function untilBuilderRuns(
  cache: Cache,
  deploymentId: string,
  { name, image }: Pick<Workload, 'name' | 'image'>,
): Promise<void> {
  const factsNow = () => cachedWorkloads(cache, deploymentId).find(({ labels }) => labels.name === name)?.facts;
  const isDecided = () => {
    const facts = factsNow();
    return !facts || runs(facts) || facts.hasEnded || facts.obstacle?.lacks !== undefined;
  };
  try {
    await cache.until(deploymentId, isDecided, patienceMs);
  } catch (error) {
    if (!(error instanceof EngineFault)) throw error;
  }
  const facts = factsNow();
  if (!facts || !runs(facts)) throw notStarted(facts, image);
}

function runs({ phase, pod, hasEnded }: PodFacts): boolean {
  return phase === 'running' && !hasEnded && pod?.startedAt !== undefined;
}

/** PURE. Why the builder does not run, for the owner of the deployment. */
export function notStarted(facts: PodFacts | undefined, image: string): EngineFault {
  const { words = 'has ended', hint, lacks } = facts?.obstacle ?? {};
  const fix = lacks === 'image' ? `the operator has to load ${image} onto the nodes` : hint;
  return new EngineFault('unavailable', `The builder does not run: ${words}.`, { ...(fix && { hint: fix }) });
}
