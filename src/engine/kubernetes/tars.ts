/**
 * Contents of claims as tars, by programs in the pods that mount them. GNU tar detects the holes of sparse files, and
 * lists the entries of a folder in a stable order, so that an earlier content is recognized.
 */
import { Writable } from 'node:stream';
import { EngineFault } from '../engine.ts';
import type { FillableTars, ReadableTars, SizedTar } from '../volume-facets.ts';
import type { Copiers } from './copiers.ts';
import type { PodAddress } from './pod-programs.ts';

export type Places = ReadonlyMap<string, { pod: PodAddress; path: string }>;

export type Tars = {
  /** For places without writers. */
  toRead(places: Places, stop?: AbortSignal): Promise<ReadableTars & { apparentBytes: number }>;
  /** Calls `note` with the size of each piece written. */
  toFill(places: Places, note: (bytes: number) => void): FillableTars;
};

const sizeMs = 10 * 60_000;

const plain = ['tar', '--create', '--format=gnu', '--numeric-owner', '--sort=name', '--one-file-system'];
const packing = [...plain, '--sparse'];

const packCommand = (path: string) => [...packing, '--file=-', `--directory=${path}`, '.'];

/** To the null device, tar writes nothing, and says how much it would have been. */
const sizeCommand = (program: readonly string[], path: string) => [
  ...program,
  ...['--totals', '--file=/dev/null', `--directory=${path}`, '.'],
];

/**
 * Older clusters cannot signal the end of input to a program, and do not report its end while it leaves some input
 * unread. So the rest after tar's input is also read. tar is called by its path, because some shells have their own
 * tar. The script is constant.
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
    toFill: (places, note) => ({
      kind: 'tars',
      async fill(volume, tar, signal) {
        const { pod, path } = places.get(volume)!;
        const input = inputOf(tar, note);
        await run(pod, fedCommand('--extract', path, tar.sizeBytes), signal, { input });
        await run(pod, fedCommand('--compare', path, tar.sizeBytes), signal, { input: inputOf(tar, () => {}) });
      },
    }),
  };
}

function inputOf({ read }: SizedTar, note: (bytes: number) => void) {
  return async (to: Writable) => await read(passing(to, note));
}

function passing(to: Writable, note: (bytes: number) => void): Writable {
  const passed = new Writable({
    write(piece: Uint8Array, _, done) {
      note(piece.length);
      to.write(piece, done);
    },
  });
  // The writer gets the error with the piece. An unhandled error event would end this process.
  return passed.on('error', () => {});
}

/** PURE. The total bytes in the output of tar. */
export function totalOf(said: string): number {
  const bytes = /^Total bytes written: (\d+) /m.exec(said)?.[1];
  if (bytes === undefined) throw new Error('tar did not report the size');
  return Number(bytes);
}
