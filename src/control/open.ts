/** The entry point of this layer: starts the control loop and the sampler. */

import type { Kysely } from 'kysely';
import type { Deployment } from '../deployment/deployment.ts';
import type { PullTerms } from '../deployment/limits/pull-limits.ts';
import type { Samples } from '../deployment/metrics/deployment-metrics.ts';
import type { SleepPolicy } from '../deployment/sleep.ts';
import { StartError } from '../lib/start-error.ts';
import { wait } from '../lib/wait.ts';
import { isPostgres } from '../store/dialect/dialect.ts';
import { otherServices } from '../store/dialect/postgres.ts';
import { claimCluster, claimedCluster, countByCluster, moveToCluster } from '../store/installation.ts';
import { takeOver } from '../store/leases.ts';
import type { Tables } from '../store/rows.ts';
import { write } from '../store/transaction.ts';
import type { Control, ControlSettings } from './control.ts';
import { createDiskState } from './disk/disk-state.ts';
import { type Loop, startLoop } from './loop.ts';
import { storedRoutes } from './routing.ts';
import { type SamplerParts, startSampler } from './sampling/sampler.ts';
import { createPausedClock } from './visit/paused-clock.ts';
import { createPullTurns } from './visit/pull-turns.ts';
import { createTagCheck, type TagCheckParts } from './visit/tag-check.ts';

/** A lease is renewed three times in this period. After it, another process on the store takes over. */
const leaseMs = 15_000;
const pollMs = 5_000;
const resyncMs = 30_000;
const revisitMs = 10 * 60_000;
const imageDiskShare = 0.85;

export type OpenControlSettings = Omit<
  ControlSettings,
  'leaseMs' | 'pollMs' | 'resyncMs' | 'revisitMs' | 'imageDiskShare' | 'sleep'
> &
  SleepPolicy & {
    /** Checks that the operator has switched off, such as `cluster`. */
    allowUnsafe: readonly string[];
  };

export type ControlParts = Pick<
  Control,
  | ('db' | 'seal' | 'engine' | 'refreshEdge' | 'othersServe' | 'othersLead' | 'underWay' | 'urlOf' | 'egressOf')
  | 'runtimeOf'
  | ('metrics' | 'now' | 'log' | 'afterOperation' | 'process' | 'epoch')
> & {
  /** Resolves tags at registries. */
  images: TagCheckParts['images'];
  /** Returns the limits of a deployment's pulls: of the plan of its account, or of strangers. */
  pullTermsOf: (deployment: Deployment) => Promise<PullTerms>;
  /** Returns the requests that the edge has forwarded to each deployment since the previous call. */
  tallyRequests: SamplerParts['tallyRequests'];
};

/** Closing it ends all visits at their next safe point. */
export type OpenControl = AsyncDisposable & Pick<Loop, 'wake' | 'takeOverFrom'> & { samples: Samples };

/** Resolves when the edge has the stored routes and the loop runs. Throws StartError. */
export async function openControl(settings: OpenControlSettings, parts: ControlParts): Promise<OpenControl> {
  const { pullTermsOf, images, tallyRequests, ...others } = parts;
  const { db, now } = others;
  await settleCluster(db, others.engine.cluster, settings.allowUnsafe.includes('cluster'));
  const routed = await storedRoutes(db);
  await others.refreshEdge();
  await takeOver(db, { now: now(), spreadMs: resyncMs, random: Math.random });
  const { deployDeadlineMs, listenPatienceMs, drainMs, diskFreeBytes, containerDiskBytes, graceMs } = settings;
  const { freezeAfterMs, freezeClaimedAfterMs, stopAfterMs } = settings;
  const loop = startLoop({
    ...others,
    checkTags: createTagCheck({ images, engine: others.engine }),
    pulls: { termsOf: pullTermsOf, turns: createPullTurns() },
    routed,
    wait,
    random: Math.random,
    disk: createDiskState(),
    pausedClock: createPausedClock(() => performance.now()),
    settings: {
      deployDeadlineMs,
      listenPatienceMs,
      drainMs,
      imageDiskShare,
      diskFreeBytes,
      containerDiskBytes,
      graceMs,
      sleep: { freezeAfterMs, freezeClaimedAfterMs, stopAfterMs },
      leaseMs,
      pollMs,
      resyncMs,
      revisitMs,
    },
  });
  const { engine, metrics, log } = others;
  const uptime = () => performance.now();
  const process = others.process?.id ?? 'alone';
  const sampler = startSampler({ db, engine, tallyRequests, process, now, uptime, wait, metrics, log });
  return {
    wake: loop.wake,
    takeOverFrom: loop.takeOverFrom,
    samples: sampler,
    async [Symbol.asyncDispose]() {
      await Promise.all([sampler[Symbol.asyncDispose](), loop.stop()]);
    },
  };
}

/**
 * Refuses to start with the kubeconfig of another cluster. The service would find none of its deployments there and
 * start all of them a second time.
 */

/**
 * `cluster`: the engine's cluster, if it has one. `mayMove`: the operator allows another cluster. If two services with
 * different clusters start on an empty store, the second one finds the claim of the first. Throws StartError.
 */
export async function settleCluster(db: Kysely<Tables>, cluster: string | undefined, mayMove: boolean): Promise<void> {
  const own = cluster ?? null;
  await write(db, 'all', async (db) => {
    const elsewhere = [...(await countByCluster(db))].filter(([each]) => each !== own);
    const known = elsewhere.filter(([each]) => each !== null);
    if (known.length > 0 && !mayMove) throw new StartError(onAnother(known, own));
    const claimed = await claimedCluster(db);
    const isContested = claimed !== null && claimed !== own && isPostgres(db) && (await otherServices(db)).length > 0;
    if (isContested && !mayMove) throw new StartError(otherInstallation(claimed, own));
    if (claimed !== own) await claimCluster(db, own);
    if (elsewhere.length > 0) await moveToCluster(db, own);
  });
}

function otherInstallation(claimed: string, own: string | null): string {
  const here = own === null ? 'this engine is not a cluster' : `this is the cluster ${own}`;
  return `Another service of this installation works on the cluster ${claimed}, and ${here}.
Look at KUBECONFIG and BERTH_ENGINE, or stop that service first.`;
}

function onAnother(known: readonly (readonly [string | null, number])[], own: string | null): string {
  const places = known.map(([cluster, count]) => `${count} on the cluster ${cluster}`).join(', ');
  const here = own === null ? 'and this engine is not a cluster' : `and this is the cluster ${own}`;
  return `The deployments of this installation are elsewhere: ${places}, ${here}.
Check KUBECONFIG and BERTH_ENGINE. BERTH_ALLOW_UNSAFE=cluster starts all of these deployments here, with the data that
berth admin restore has restored, or with empty volumes. Their old containers keep running without supervision.`;
}
