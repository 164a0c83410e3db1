/** The entry point of this layer: starts the control loop and the sampler. */
import type { Deployment } from '../deployment/deployment.ts';
import type { PullTerms } from '../deployment/limits/pull-limits.ts';
import type { Samples } from '../deployment/metrics/deployment-metrics.ts';
import { wait } from '../lib/wait.ts';
import { takeOver } from '../store/leases.ts';
import { settleCluster } from './cluster-check.ts';
import type { Control, ControlSettings } from './control.ts';
import { createDiskBook } from './disk/disk-book.ts';
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
  'leaseMs' | 'pollMs' | 'resyncMs' | 'revisitMs' | 'imageDiskShare'
> & {
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
  const loop = startLoop({
    ...others,
    checkTags: createTagCheck({ images, engine: others.engine }),
    pulls: { termsOf: pullTermsOf, turns: createPullTurns() },
    routed,
    wait,
    random: Math.random,
    disk: createDiskBook(),
    pausedClock: createPausedClock(() => performance.now()),
    settings: {
      deployDeadlineMs,
      listenPatienceMs,
      drainMs,
      imageDiskShare,
      diskFreeBytes,
      containerDiskBytes,
      graceMs,
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
