/** Pods that have claims and wait for programs: started for a copy of volumes, by its key, and gone with it. */
import { EngineFault } from '../engine.ts';
import type { Cache } from './cache.ts';
import type { Cluster } from './cluster.ts';
import { clusterIsSilent, isSilence } from './faults.ts';
import type { BringImage } from './images.ts';
import { type CopierMount, copierContainer, copierKey, copierManifest, copierName } from './manifests/copier.ts';
import { copyKey, deploymentOf, ofCopy } from './manifests/marks.ts';
import { passManifest, pullSuffix } from './manifests/pull-secret.ts';
import type { FoundController, FoundPod } from './objects.ts';
import type { PodAddress, ProgramStreams } from './pod-programs.ts';
import { podFacts } from './pods.ts';
import { isRunning } from './workload-pods.ts';

export type CopierParts = {
  cluster: Pick<Cluster, 'apply' | 'remove' | 'run'>;
  cache: Cache;
  owner: string;
  /** The image of copiers. */
  image: string;
  bring: BringImage;
};

export type CopierWanted = {
  deploymentId: string;
  key: string;
  part: string;
  node?: string | undefined;
  mounts: readonly CopierMount[];
  signal?: AbortSignal | undefined;
};

export type Copiers = {
  /** Resolves when programs can be run in it. Throws EngineFault. */
  start(wanted: CopierWanted): Promise<PodAddress>;
  /** Those of a key that were started. */
  pods(key: string): PodAddress[];
  /** Resolves when no pod of the key is there any more, and nothing is mounted for it. */
  end(key: string): Promise<void>;
  /** Returns the output. Throws EngineFault unless the program ends with 0. */
  run(pod: PodAddress, command: readonly string[], signal: AbortSignal, streams?: ProgramStreams): Promise<string>;
};

/** A node may have to pull the image, and a disk has to come to it. */
const startPatienceMs = 5 * 60_000;
const endPatienceMs = 2 * 60_000;

export function createCopiers({ cluster, cache, owner, image, bring }: CopierParts): Copiers {
  const podsOf = (job: string, deploymentId: string) =>
    cache.list('Pod', deploymentId).filter(({ metadata }) => metadata.labels?.[copierKey] === job);

  return {
    async start({ deploymentId, key, part, signal, ...wanted }) {
      const name = copierName({ key, part });
      const labels = { [copyKey]: key };
      const { pass, image: reference } = await bring({ image, pod: copierContainer });
      const pullSecret = pass && `${name}${pullSuffix}`;
      if (pass) await cluster.apply(passManifest(pullSecret!, { deploymentId, labels }, pass));
      const job = await cluster.apply<FoundController>(
        copierManifest({ owner, deploymentId, key, part, image: reference, pullSecret, ...wanted }),
      );
      await cache.untilSeen('Job', job);
      const hasStarted = () => podsOf(name, deploymentId).some(isRunning);
      await cache.until(deploymentId, hasStarted, startPatienceMs, signal).catch(() => {
        signal?.throwIfAborted();
        const obstacle =
          podFacts(job, podsOf(name, deploymentId), true).obstacle?.words ?? 'it has not started in time';
        throw new EngineFault('unavailable', `The pods that copy volumes cannot run on the cluster now: ${obstacle}.`);
      });
      return addressOf(podsOf(name, deploymentId).find(isRunning)!);
    },
    pods: (key) => ofCopy(cache.list('Pod'), key).filter(isRunning).map(addressOf),
    async end(key) {
      for (const { metadata } of ofCopy(cache.list('Job'), key)) {
        const { name, namespace = '', uid } = metadata;
        await cluster.remove('Job', name, { namespace, uid });
        await cluster.remove('Secret', `${name}${pullSuffix}`, { namespace });
      }
      const left = ofCopy([...cache.list('Job'), ...cache.list('Pod')], key);
      for (const deploymentId of new Set(left.map(deploymentOf)))
        await cache.until(
          deploymentId,
          () => ofCopy([...cache.list('Job', deploymentId), ...cache.list('Pod', deploymentId)], key).length === 0,
          endPatienceMs,
        );
    },
    async run(pod, command, signal, streams) {
      const { code, output, isFlood } = await cluster.run(pod, command, signal, streams).catch((error: unknown) => {
        // Callers that write or read word other errors themselves.
        if (error instanceof Error && !isSilence(error)) throw error;
        throw new EngineFault('unavailable', clusterIsSilent, { cause: error });
      });
      if (code === 0) return output;
      throw new EngineFault('unavailable', `The volumes could not be read or written: ${wordsOf(output, isFlood)}`);
    },
  };
}

/** Of programs that are ours; they may name files of the deployment. */
function wordsOf(output: string, isFlood: boolean): string {
  if (/no space left|disk quota exceeded/i.test(output)) return 'a volume has no room for it.';
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  return isFlood ? 'the differences are too large.' : (lines.at(-1)?.slice(0, 300) ?? 'the program did not say why.');
}

function addressOf({ metadata }: FoundPod): PodAddress {
  return { namespace: metadata.namespace!, pod: metadata.name, container: copierContainer };
}
