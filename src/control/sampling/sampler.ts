/**
 * Measures workload usage and requests to sites every ten seconds, in memory. Samples of claimed deployments are
 * written to the store every five minutes, and the ids of used deployments every minute. A failed measurement only
 * leaves a gap in the charts.
 */
import type { Instant } from '../../deployment/deployment.ts';
import { type Samples, storedPeriodMs } from '../../deployment/metrics/deployment-metrics.ts';
import { createMeasured, type Measured } from '../../deployment/metrics/measured.ts';
import { stepAt, stepMs } from '../../deployment/metrics/series.ts';
import type { RequestCounts } from '../../deployment/metrics/use.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Metrics } from '../../lib/metrics.ts';
import { runRounds } from '../../lib/rounds.ts';
import type { Wait } from '../../lib/wait.ts';
import type { Database } from '../../store/database.ts';
import { recordResident, recordUse } from '../../store/sleep.ts';
import { storeMetrics } from '../../store/stored-metrics.ts';
import { createActivity } from './activity.ts';

/** Volume usage changes slowly, and measuring it reads the table of all mounts. */
const volumesEverySteps = 3;

export type SamplerParts = {
  db: Database;
  engine: Pick<Engine, 'usage'>;
  /** Requests of each deployment since the previous call; absent if no edge counts. */
  tallyRequests?: (() => Promise<ReadonlyMap<string, RequestCounts>>) | undefined;
  /** The ID of this process among those on the database. */
  process: string;
  now: () => Instant;
  /** Milliseconds; never jumps. */
  uptime: () => number;
  wait: Wait;
  metrics?: Pick<Metrics, 'rounds'> | undefined;
  log: { error(fields: object, message: string): void };
};

export type Sampler = Samples & AsyncDisposable;

export function startSampler(parts: SamplerParts): Sampler {
  const { now, wait, metrics, log } = parts;
  const measured = createMeasured();
  const rounds = runRounds({
    name: 'samples',
    // Until the middle of the next step, so that each step has one sample, however long it takes.
    everyMs: () => (stepAt(now()) + 1.5) * stepMs - now(),
    work: createSampling(parts, measured),
    onFault: (err) => log.error({ err }, 'the resource use of deployments cannot be measured; retrying'),
    metrics,
    wait,
  });
  return {
    of: (deploymentId) => measured.of(deploymentId, now()),
    totals: measured.totals,
    [Symbol.asyncDispose]: rounds[Symbol.asyncDispose],
  };
}

/**
 * Takes one sample relative to the previous one. A failed part is left out, and its fault is thrown after the rest is
 * recorded.
 */
export function createSampling(
  { db, engine, tallyRequests, process, now, uptime }: Omit<SamplerParts, 'wait' | 'log' | 'metrics'>,
  measured: Pick<Measured, 'add' | 'endPeriod'>,
): () => Promise<void> {
  let lookedAtMs: number | undefined;
  const activeIn = createActivity();
  let untilVolumes = 0;
  let period = Math.floor(now() / storedPeriodMs);

  return async () => {
    const volumes = untilVolumes > 0 ? nothing : await tried(async () => await engine.usage?.volumes());
    untilVolumes = volumes.fault ? 0 : (untilVolumes + volumesEverySteps - 1) % volumesEverySteps;
    const uses = await tried(async () => await engine.usage?.workloads());
    // The counts are read last, because tallied requests are not returned again.
    const requests = await tried(async () => (await tallyRequests?.()) ?? new Map<string, RequestCounts>());
    const at = now();
    const atMs = uptime();
    const elapsedMs = lookedAtMs === undefined ? 0 : atMs - lookedAtMs;
    lookedAtMs = atMs;
    const arePodsMeasured = engine.usage !== undefined;
    await measured.add({
      at,
      elapsedMs,
      arePodsMeasured,
      uses: uses.value,
      requests: requests.value,
      volumes: volumes.value,
    });
    await recordResident(db, uses.value);
    await recordUse(db, [...activeIn({ elapsedMs, uses: uses.value, requests: requests.value })], at);
    const current = Math.floor(at / storedPeriodMs);
    if (current !== period) {
      period = current;
      await storeMetrics(
        db,
        process,
        await measured.endPeriod((current - 1) * storedPeriodMs, storedPeriodMs / stepMs),
      );
    }
    const failed = [volumes, uses, requests].find(({ fault }) => fault);
    if (failed) throw failed.fault;
  };
}

type Tried<T> = { value?: T; fault?: unknown };

const nothing: Tried<undefined> = {};

/** One failure does not stop the other measurements. */
async function tried<T>(work: () => Promise<T>): Promise<Tried<T>> {
  try {
    return { value: await work() };
  } catch (fault) {
    return { fault };
  }
}
