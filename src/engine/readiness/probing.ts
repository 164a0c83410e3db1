/** Asking several workloads at once, and what is told of those that do not get ready. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Stuck } from '../../deployment/workload/workload.ts';
import type { ContainerState } from './container-state.ts';
import type { Elsewhere } from './listening.ts';
import type { Probe } from './probe.ts';

/** A probe may take longer; it goes on, and a later observation has its answer. */
const probeWaitMs = 250;

export type Probed = { state: ContainerState; probe?: Probe; elsewhere?: Elsewhere };

export async function probeAll(known: readonly Pick<Probed, 'probe'>[]): Promise<void> {
  const attempts = known.flatMap(({ probe }) => (probe?.dueInMs() === 0 ? [probe.attempt()] : []));
  if (attempts.length === 0) return;
  const enough = new AbortController();
  await Promise.race([Promise.all(attempts), delay(probeWaitMs, undefined, { signal: enough.signal }).catch(() => {})]);
  enough.abort();
}

/** `since` by the clock that never jumps. */
export function stuckOf({ probe, elsewhere, state }: Probed): Stuck | undefined {
  if (state.exit || !probe || probe.isReady) return undefined;
  if (probe.unhealthySinceMs !== undefined) return { by: 'health-check', since: probe.unhealthySinceMs };
  return elsewhere && { by: 'listening', since: elsewhere.sinceMs };
}
