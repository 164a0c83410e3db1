/** The door of this layer: images are built from source, where the engine can run commands in workloads. */

import { join } from 'node:path';
import type { Deployment } from '../deployment/deployment.ts';
import type { PodRuntime } from '../deployment/workload/workload.ts';
import type { Engine } from '../engine/engine.ts';
import { runRounds } from '../lib/rounds.ts';
import { createBaseImages } from './base-images.ts';
import type { BuildParts } from './build-parts.ts';
import { builderImage } from './builder-workload.ts';
import { createBuildWorker } from './worker.ts';

const pollMs = 5_000;

export type BuildSettings = {
  /** `atATime`: 0 refuses source code. `inGvisor`: pods may run in another runtime. `memoryBytes`: of one build. */
  builds: { atATime: number; inGvisor: boolean; memoryBytes: number };
  /** The default runtime of pods. */
  runtime: PodRuntime;
  /** The memory limit of a build. */
  buildProxy: { address: string; port: number } | undefined;
  dataDir: string;
};

/** Returns whether this service has the image of builders, and can run commands and get base images. */
export async function offersBuilds(
  { builds }: Pick<BuildSettings, 'builds'>,
  engine: Pick<Engine, 'exec' | 'builderExec' | 'images' | 'bases' | 'findImage'>,
  log: Pick<BuildParts['log'], 'info'>,
): Promise<boolean> {
  if (builds.atATime === 0 || !(engine.exec ?? engine.builderExec) || !(engine.images ?? engine.bases)) return false;
  const isThere = (await engine.findImage(builderImage)) !== undefined;
  if (!isThere)
    log.info(
      { image: builderImage },
      'no images are built from source: the image of the builder is missing, or BERTH_LOCAL_IMAGES leaves it out',
    );
  return isThere;
}

const limits = { cpuMillis: 2_000, volumeBytes: 10 * 2 ** 30, baseBytes: 10 * 2 ** 30, withinMs: 20 * 60_000 };

export type OpenBuildParts = Omit<BuildParts, 'bases' | 'limits' | 'volumeBytes' | 'withinMs' | 'proxy'>;

/** Closing it ends running builds, which the next process restarts. `wake`: called after a build was requested. */
export function openBuilds(
  { builds, runtime, buildProxy, dataDir }: BuildSettings,
  parts: OpenBuildParts,
): AsyncDisposable & { wake(): void } {
  const stopping = new AbortController();
  const { cpuMillis, volumeBytes, withinMs } = limits;
  const bases = createBaseImages(join(dataDir, 'base-images'), limits.baseBytes);
  const proxy = buildProxy && `http://${buildProxy.address}:${buildProxy.port}`;
  const runtimeOf = async (deployment: Deployment) =>
    builds.inGvisor ? 'runsc' : ((await parts.runtimeOf(deployment)) ?? runtime);
  const whole = {
    ...parts,
    runtimeOf,
    bases,
    proxy,
    limits: { memoryBytes: builds.memoryBytes, cpuMillis },
    volumeBytes,
    withinMs,
  };
  const worker = createBuildWorker(whole, builds.atATime, stopping.signal);
  const rounds = runRounds({
    name: 'builds',
    everyMs: pollMs,
    work: worker.wake,
    onFault: (err) => parts.log.error({ err }, 'builds could not be read; retrying'),
    signal: stopping.signal,
  });
  return {
    wake: rounds.soon,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await rounds[Symbol.asyncDispose]();
      await worker.ended();
    },
  };
}
