/**
 * Copies of volumes with their own file systems, mounted for reading until they are disposed. Each process has its own
 * folder for them, named by its ID. Leftovers of a killed process are removed when the next one opens.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import type Docker from 'dockerode';
import { createSemaphore } from '../../../lib/concurrency.ts';
import { isAlive } from '../../../lib/is-alive.ts';
import { programEnvironment } from '../../../lib/run-program.ts';
import { labelKeys, labelSelector } from '../../labels.ts';
import type { ArchivedVolumes, VolumeArchive, VolumeArchives } from '../../volume-facets.ts';
import { nestedSlug, nestedVolumeName, pathOfSlug, volumeName } from '../names.ts';
import { noRoomForCopy } from './frozen-copy.ts';
import { type LoopPlace, loopPlace, nestedDirectory, nestedSlugsIn } from './loop-layout.ts';
import type { LoopVolumes } from './loop-volumes.ts';
import { clearFolder, copyVolumes, freeBytesForCopies, volumesIn } from './volume-copies.ts';
import { listVolumes } from './volumes.ts';

export type ArchivesOptions = {
  owner: string;
  loops: LoopVolumes;
  /** The folder of the copies. */
  directory: string;
  /** Disk space that copies must leave free. */
  diskFreeBytes: number;
};

/** Next to the volumes, so that the copies can share blocks with them. */
function copiesFolder(directory: string): string {
  return join(dirname(directory), 'exports');
}

export function createVolumeArchives(docker: Docker, options: ArchivesOptions): VolumeArchives {
  const { owner, loops, directory, diskFreeBytes } = options;
  const inTurn = createSemaphore(1);

  async function copyInto(
    root: string,
    deploymentId: string,
    volumes: readonly string[],
    signal?: AbortSignal,
  ): Promise<ArchivedVolumes> {
    const packing: Packing = new Set();
    await using opening = new AsyncDisposableStack();
    opening.defer(() => removeCopy(root));
    opening.defer(() => stopPacking(packing));
    await mkdir(root, { recursive: true, mode: 0o700 });
    for (const volume of volumes) await loops.ensure({ deploymentId, volume });
    const { pausedMs } = await copyVolumes(directory, root, deploymentId, volumes, { signal });
    const nested = await nestedPaths(docker, owner, deploymentId);
    const archives: VolumeArchive[] = [];
    for (const volume of volumes) {
      const to = loopPlace(join(root, volumesIn), deploymentId, volume);
      for (const { folder, ...where } of await foldersIn(to, nested.get(volume) ?? [])) {
        const sizeBytes = await packedSize(folder, packing, signal);
        archives.push({ volume, ...where, sizeBytes, read: (signal) => packFolder(folder, packing, signal) });
      }
    }
    const open = opening.move();
    return { pausedMs, archives, [Symbol.asyncDispose]: () => open.disposeAsync() };
  }

  return {
    async take(deploymentId, volumes, signal) {
      const sizes = await Promise.all(volumes.map((volume) => loops.sizeOf({ deploymentId, volume })));
      const here = volumes.filter((_, index) => sizes[index]! > 0);
      if (here.length === 0) return { pausedMs: 0, archives: [], [Symbol.asyncDispose]: async () => {} };
      // One at a time, because two would each count on the same free space.
      return await inTurn(async () => {
        signal?.throwIfAborted();
        await refuseWithoutRoom(directory, deploymentId, here, diskFreeBytes);
        const root = join(copiesFolder(directory), `${process.pid}-${randomUUID()}`);
        return await copyInto(root, deploymentId, here, signal);
      });
    },
  };
}

/** Removes copies of processes that no longer exist. */
export async function removeOrphanedCopies(directory: string): Promise<void> {
  const folder = copiesFolder(directory);
  for (const name of await readdir(folder).catch(() => [])) {
    const pid = Number(name.split('-')[0]);
    if (pid === process.pid || !isAlive(pid)) await removeCopy(join(folder, name));
  }
}

/** Removes a copy, and the folder of all copies if it was the last one. */
async function removeCopy(root: string): Promise<void> {
  await clearFolder(root);
  await rmdir(dirname(root)).catch(() => {});
}

async function refuseWithoutRoom(
  directory: string,
  deploymentId: string,
  volumes: readonly string[],
  diskFreeBytes: number,
): Promise<void> {
  if ((await freeBytesForCopies(directory, deploymentId, volumes)) >= diskFreeBytes) return;
  throw noRoomForCopy();
}

/**
 * Returns for each volume the subdirectories that the image declares as volumes, from containers or Docker's volumes.
 */
async function nestedPaths(docker: Docker, owner: string, deploymentId: string): Promise<Map<string, string[]>> {
  const filters = { label: labelSelector(owner, deploymentId) };
  const containers = await docker.listContainers({ all: true, filters });
  const paths = new Map<string, Set<string>>();
  const note = (name: string | undefined, volume: string, below: string) => {
    if (name === nestedVolumeName(deploymentId, volume, below))
      paths.set(volume, (paths.get(volume) ?? new Set()).add(below));
  };
  const own = volumeName(deploymentId, '');
  for (const { Mounts: mounts } of containers) {
    for (const { Name: above, Destination: folder } of mounts) {
      if (!above?.startsWith(own)) continue;
      for (const { Name: name, Destination: path } of mounts)
        if (path.startsWith(`${folder}/`)) note(name, above.slice(own.length), path.slice(folder.length + 1));
    }
  }
  // Stopped or failed workloads have no container.
  for (const { Name: name, Labels: labels } of await listVolumes(docker, owner, deploymentId)) {
    const { [labelKeys.volume]: volume, [labelKeys.below]: below } = labels ?? {};
    if (volume && below) note(name, volume, below);
  }
  return new Map([...paths].map(([volume, all]) => [volume, [...all].sort()]));
}

type PackedPlace = Pick<VolumeArchive, 'below' | 'isUnplaced'> & { folder: string };

/** Returns all folders of the file system, including those with an unknown path. */
async function foldersIn(place: LoopPlace, nested: readonly string[]): Promise<PackedPlace[]> {
  const names = await readdir(place.mount);
  const below = nestedSlugsIn(names).flatMap((slug): PackedPlace[] => {
    const folder = nestedDirectory(place, slug);
    const known = nested.filter((path) => nestedSlug(path) === slug);
    const only = pathOfSlug(slug);
    if (known.length === 0 && only === undefined) return [{ below: slug, isUnplaced: true, folder }];
    return (known.length > 0 ? known : [only!]).map((path) => ({ below: path, folder }));
  });
  return [...(names.includes(basename(place.data)) ? [{ below: '', folder: place.data }] : []), ...below];
}

/**
 * Packs a folder with untrusted, unchanging content as a tar. GNU tar writes it, because it detects the holes of sparse
 * files: an empty file of 1 TB takes 1 kB. Links are not followed, and only directories, files and links are listed for
 * it.
 */

/** Running programs, which are ended before their source is removed. */
export type Packing = Set<ChildProcess>;

const wantedKinds = ['(', '-type', 'f', '-o', '-type', 'd', '-o', '-type', 'l', ')'];
const tarArguments = ['--create', '--format=gnu', '--sparse', '--numeric-owner', '--no-recursion', '--null'];

/** Computes the size of the whole tar in bytes, without reading the content of files. Throws at the abort. */
export async function packedSize(folder: string, packing: Packing, signal?: AbortSignal): Promise<number> {
  signal?.throwIfAborted();
  // When the target is the null device, tar writes nothing and prints the size.
  const { tar, ended } = startTar(folder, ['--totals', '--file=/dev/null'], packing);
  tar.stdout!.resume();
  const end = () => tar.kill('SIGKILL');
  signal?.addEventListener('abort', end, { once: true });
  const said = await ended.finally(() => signal?.removeEventListener('abort', end));
  const bytes = /^Total bytes written: (\d+) /m.exec(said)?.[1];
  if (bytes === undefined) throw new Error('tar did not report the size');
  return Number(bytes);
}

/** Returns a stream, which must be read to its end or destroyed. */
function packFolder(folder: string, packing: Packing, signal: AbortSignal): Readable {
  return Readable.from(piecesOf(folder, packing), { objectMode: false, signal });
}

async function* piecesOf(folder: string, packing: Packing): AsyncGenerator<Uint8Array> {
  const { tar, ended } = startTar(folder, ['--file=-'], packing);
  ended.catch(() => {});
  try {
    yield* tar.stdout as AsyncIterable<Uint8Array>;
    await ended;
  } finally {
    tar.kill('SIGKILL');
  }
}

/** Ends what is under way. */
export async function stopPacking(packing: Packing): Promise<void> {
  await Promise.all(
    [...packing].map(async (child) => {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    }),
  );
}

function startTar(folder: string, more: readonly string[], packing: Packing) {
  const options = { cwd: folder, env: programEnvironment };
  const find = spawn('find', ['.', '-xdev', ...wantedKinds, '-print0'], {
    ...options,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const tar = spawn('tar', [...tarArguments, ...more, '--files-from=-'], { ...options, stdio: 'pipe' });
  // The exit codes decide, in any order of the ends.
  find.stdout.on('error', () => {}).pipe(tar.stdin.on('error', () => {}));
  const both = [succeeded(find, 'find', packing), succeeded(tar, 'tar', packing)] as const;
  return { tar, ended: Promise.all(both).then(([, said]) => said) };
}

/** The output on standard error. */
async function succeeded(child: ChildProcess, name: string, packing: Packing): Promise<string> {
  packing.add(child);
  let said = '';
  child.stderr!.on('data', (piece: Uint8Array) => {
    said = `${said}${String(piece)}`.slice(-2_000);
  });
  try {
    const [status] = (await once(child, 'close')) as [number | null];
    if (status !== 0) throw new Error(`${name} has ended with ${status}: ${said.trim()}`);
    return said;
  } finally {
    packing.delete(child);
  }
}
