/** Pods that have claims and wait for programs: started for a copy of volumes, by its key, and gone with it. */

import { Writable } from 'node:stream';
import { EngineFault } from '../engine.ts';
import type { FillableTars, ReadableTars, SizedTar } from '../volume-facets.ts';
import { type Cache, isRunning } from './cache.ts';
import type { Cluster } from './cluster.ts';
import { clusterUnresponsive, isTimeout } from './faults.ts';
import type { FetchImage } from './images.ts';
import { type CopierMount, copierContainer, copierKey, copierManifest, copierName } from './manifests/copier.ts';
import { copyKey, deploymentOf, ofCopy } from './manifests/marks.ts';
import { passManifest, pullSuffix } from './manifests/pull-secret.ts';
import type { FoundController, FoundPod } from './objects.ts';
import type { PodAddress, ProgramStreams } from './pod-programs.ts';
import { podFacts } from './pods.ts';

export type CopierParts = {
  cluster: Pick<Cluster, 'apply' | 'remove' | 'run'>;
  cache: Cache;
  owner: string;
  /** The image of copiers. */
  image: string;
  bring: FetchImage;
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
  /** Returns the started pods of a key. */
  pods(key: string): PodAddress[];
  /** Resolves when all pods of the key are removed and their mounts are released. */
  end(key: string): Promise<void>;
  /** Returns the output. Throws EngineFault unless the program ends with 0. */
  run(pod: PodAddress, command: readonly string[], signal: AbortSignal, streams?: ProgramStreams): Promise<string>;
};

/** A node may have to pull the image and attach a disk. */
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
      await cache.untilVisible('Job', job);
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
        // Callers that read or write translate other errors themselves.
        if (error instanceof Error && !isTimeout(error)) throw error;
        throw new EngineFault('unavailable', clusterUnresponsive, { cause: error });
      });
      if (code === 0) return output;
      throw new EngineFault('unavailable', `The volumes could not be read or written: ${messageOf(output, isFlood)}`);
    },
  };
}

/** Prints the output of our own programs. It may name files of the deployment. */
function messageOf(output: string, isFlood: boolean): string {
  if (/no space left|disk quota exceeded/i.test(output)) return 'a volume has no room for it.';
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  return isFlood ? 'the differences are too large.' : (lines.at(-1)?.slice(0, 300) ?? 'the program did not say why.');
}

function addressOf({ metadata }: FoundPod): PodAddress {
  return { namespace: metadata.namespace!, pod: metadata.name, container: copierContainer };
}

/**
 * Contents of claims as tars, by programs in the pods that mount them. GNU tar detects the holes of sparse files, and
 * lists the entries of a folder in a stable order, so that an earlier content is recognized.
 */

export type Places = ReadonlyMap<string, { pod: PodAddress; path: string }>;

type Tars = {
  /** For places without writers. */
  toRead(places: Places, stop?: AbortSignal): Promise<ReadableTars & { apparentBytes: number }>;
  /** Calls `note` with the size of each piece written. */
  toFill(places: Places, onBytes: (bytes: number) => void): FillableTars;
};

const sizeMs = 10 * 60_000;

const plain = ['tar', '--create', '--format=gnu', '--numeric-owner', '--sort=name', '--one-file-system'];
const packing = [...plain, '--sparse'];

const packCommand = (path: string) => [...packing, '--file=-', `--directory=${path}`, '.'];

/** When the target is the null device, tar writes nothing and prints the size. */
const sizeCommand = (program: readonly string[], path: string) => [
  ...program,
  ...['--totals', '--file=/dev/null', `--directory=${path}`, '.'],
];

/**
 * Older clusters cannot signal the end of input to a program, and do not report its end while it leaves input unread.
 * So the rest after tar's input is also read. tar is called by its path, because some shells have their own tar. The
 * script is constant.
 */
const fedScript = `head -c "$1" | { /bin/tar "$2" --file=- --numeric-owner --directory="$3"; code=$?; cat >/dev/null; exit $code; }`;

const fedCommand = (what: '--extract' | '--compare', path: string, bytes: number) => [
  ...['sh', '-c', fedScript, 'sh', String(bytes), what, path],
];

export const copyCommand = (from: string, to: string) => ['cp', '-a', `${from}/.`, `${to}/`];

export const syncCommand = ['sync'];

export function createTars({ run }: Pick<Copiers, 'run'>): Tars {
  return {
    async toRead(places, stop) {
      const sizes = new Map<string, number>();
      const signal = AbortSignal.any([AbortSignal.timeout(sizeMs), ...(stop ? [stop] : [])]);
      let apparentBytes = 0;
      for (const [volume, { pod, path }] of places) {
        sizes.set(volume, totalOf(await run(pod, sizeCommand(packing, path), signal)));
        apparentBytes += totalOf(await run(pod, sizeCommand(plain, path), signal));
      }
      return {
        kind: 'tars',
        sizes,
        apparentBytes,
        async read(volume, to, signal) {
          const { pod, path } = places.get(volume)!;
          let bytes = 0;
          const output = passing(to, (piece) => {
            bytes += piece;
          });
          await run(pod, packCommand(path), signal, { output });
          if (bytes !== sizes.get(volume))
            throw new EngineFault('unavailable', 'The cluster transferred a volume only partly.');
        },
      };
    },
    toFill: (places, onBytes) => ({
      kind: 'tars',
      async fill(volume, tar, signal) {
        const { pod, path } = places.get(volume)!;
        const input = inputOf(tar, onBytes);
        await run(pod, fedCommand('--extract', path, tar.sizeBytes), signal, { input });
        await run(pod, fedCommand('--compare', path, tar.sizeBytes), signal, { input: inputOf(tar, () => {}) });
      },
    }),
  };
}

function inputOf({ read }: SizedTar, onBytes: (bytes: number) => void) {
  return async (to: Writable) => await read(passing(to, onBytes));
}

function passing(to: Writable, onBytes: (bytes: number) => void): Writable {
  const passed = new Writable({
    write(piece: Uint8Array, _, done) {
      onBytes(piece.length);
      to.write(piece, done);
    },
  });
  // The writer gets the error with the piece. An unhandled error event would end this process.
  return passed.on('error', () => {});
}

/** PURE. The total bytes in the output of tar. */
function totalOf(said: string): number {
  const bytes = /^Total bytes written: (\d+) /m.exec(said)?.[1];
  if (bytes === undefined) throw new Error('tar did not report the size');
  return Number(bytes);
}
