/**
 * The disk use of directories without their own limit: container layers, and volumes that are plain directories. They
 * are walked when the free space has changed since the last walk or a container is new, for at most a fifth of the
 * time, at the lowest priority. If the directories are not reachable from here, the engine walks them.
 */
import { stat, statfs } from 'node:fs/promises';
import type Docker from 'dockerode';
import { ProgramError, runProgram } from '../../../lib/run-program.ts';
import { orAbsent } from '../faults.ts';
import { type HostFacts, isLocal } from '../host/host-facts.ts';
import { deletedBytes } from './deleted-files.ts';

/** A loss of free space since the last walk, in bytes or files, that shows that workloads are writing. */
const noticed = { bytes: 16 * 2 ** 20, files: 4_096 };

/** If more free space than this disappears without an explanation, deleted files are searched. */
const unexplainedBytes = 64 * 2 ** 20;

/** Each directory entry takes an inode. A disk has about one per 16 KiB, so an empty file is not free. */
const minBytesOfFile = 4096;

/** The pause after a walk, as a multiple of its duration. */
const pauseFactor = 4;

export type WalkOptions = {
  hostFacts: () => Promise<HostFacts>;
  now: () => number;
  /** Walks this often although nothing seems to be written. */
  walkEveryMs: number;
};

export type Walks = {
  /**
   * The result of the last walk, or of a new one if due. `volumesNow` is only called for a walk, because the engine
   * takes 35 ms to list a thousand volumes (measured). `otherBytes`: the bytes held elsewhere.
   */
  latest(
    containers: Docker.ContainerInfo[],
    volumesNow: () => Promise<Docker.VolumeInspectInfo[]>,
    otherBytes: number,
  ): Promise<Found>;
};

/** `bytes`: by the ids of the containers and the names of the volumes. */
export type Found = { volumes: Docker.VolumeInspectInfo[]; bytes: ReadonlyMap<string, number> };

/** Where a container writes outside of the volumes of its configuration. */
type Places = {
  /** The container's own layer, and anonymous volumes of its image. Empty if the engine does not report them. */
  directories: string[];
  /** The engine's files that root in a container may write to: `/etc/hosts` and the like. */
  files: string[];
  /** Whether these are all, for good: the engine makes its files at the first start of the container. */
  areAll: boolean;
};

type Room = { freeBytes: number; freeFiles: number };
type Walk = Room & {
  endedMs: number;
  tookMs: number;
  otherBytes: number;
  volumes: Docker.VolumeInspectInfo[];
  bytes: Map<string, number>;
};

export function createWalks(docker: Docker, { hostFacts, now, walkEveryMs }: WalkOptions): Walks {
  const isReachable = isLocal(docker) && process.getuid?.() === 0;
  const places = new Map<string, Places>();
  /** Containers that have been seen to hold deleted files. */
  const suspects = new Set<string>();
  // The engine walks all its containers, including those of others, with normal priority.
  const everyMs = isReachable ? walkEveryMs : 3 * walkEveryMs;
  let last: Walk | undefined;
  let unexplained = 0;

  async function walk(containers: Docker.ContainerInfo[], volumes: Docker.VolumeInspectInfo[]) {
    await findPlaces(containers);
    const layers = [...places.values()].flatMap(({ directories }) => directories);
    const measured = await measure([...layers, ...volumes.map(({ Mountpoint }) => Mountpoint)]);
    const bytes = new Map(volumes.map(({ Name, Mountpoint }) => [Name, measured.get(Mountpoint) ?? 0]));
    const hidden = containers.filter(({ Id }) => !places.get(Id)?.directories.length);
    const reported = hidden.length > 0 ? await layersReportedByDocker(docker, hidden) : new Map<string, number>();
    for (const [id, { directories, files }] of places) {
      const inLayer = reported.get(id) ?? directories.reduce((sum, path) => sum + (measured.get(path) ?? 0), 0);
      bytes.set(id, inLayer + (await sizeOf(files)));
    }
    return bytes;
  }

  async function findPlaces(containers: Docker.ContainerInfo[]): Promise<void> {
    for (const id of places.keys()) {
      if (containers.some(({ Id }) => Id === id)) continue;
      places.delete(id);
      suspects.delete(id);
    }
    for (const { Id } of containers) {
      if (places.get(Id)?.areAll) continue;
      const found = await placesOf(docker, Id);
      if (found) places.set(Id, found);
      else places.delete(Id);
    }
  }

  /**
   * Adds the deleted files of containers: of all if space is lost without an explanation, or else of those that had
   * some before.
   */
  async function addDeleted(bytes: Map<string, number>, directory: string): Promise<void> {
    const isAlarm = unexplained > unexplainedBytes;
    if (isAlarm) unexplained = 0;
    for (const id of isAlarm ? [...places.keys()] : suspects) {
      const found = await orAbsent(docker.getContainer(id).inspect());
      const pid = found?.State.Pid;
      const root = (found?.GraphDriver?.Data as { MergedDir?: string } | null | undefined)?.MergedDir;
      const held = pid ? await deletedBytes(pid, root ? [directory, root] : [directory]) : 0;
      if (held > noticed.bytes) suspects.add(id);
      else suspects.delete(id);
      bytes.set(id, (bytes.get(id) ?? 0) + held);
    }
  }

  return {
    async latest(containers, volumesNow, otherBytes) {
      const startedMs = now();
      const { rootDirectory } = await hostFacts();
      const room = isReachable ? await roomOf(rootDirectory) : { freeBytes: 0, freeFiles: 0 };
      // Data that a container has written before its first walk is included in the free space at the walk's start.
      const hasNew = isReachable && containers.some(({ Id }) => !last?.bytes.has(Id));
      if (last && !isDue(last, room, startedMs, hasNew ? 0 : everyMs)) return last;
      const volumes = await volumesNow();
      const bytes = isReachable
        ? await walk(containers, volumes)
        : await sizesReportedByDocker(docker, containers, volumes);
      if (isReachable) {
        const grown = total(bytes) + otherBytes - (last ? total(last.bytes) + last.otherBytes : 0);
        if (last) unexplained = Math.max(0, unexplained + last.freeBytes - room.freeBytes - grown);
        await addDeleted(bytes, rootDirectory);
      }
      last = { ...room, endedMs: now(), tookMs: now() - startedMs, otherBytes, volumes, bytes };
      return last;
    },
  };
}

function isDue(last: Walk, room: Room, atMs: number, walkEveryMs: number): boolean {
  const sinceMs = atMs - last.endedMs;
  if (sinceMs < last.tookMs * pauseFactor) return false;
  return (
    sinceMs >= walkEveryMs ||
    Math.abs(last.freeBytes - room.freeBytes) >= noticed.bytes ||
    Math.abs(last.freeFiles - room.freeFiles) >= noticed.files
  );
}

async function roomOf(directory: string): Promise<Room> {
  const { bavail, bsize, ffree } = await statfs(directory);
  return { freeBytes: bavail * bsize, freeFiles: ffree };
}

async function placesOf(docker: Docker, id: string): Promise<Places | undefined> {
  const found = await orAbsent(docker.getContainer(id).inspect());
  if (!found) return undefined;
  const layer = (found.GraphDriver?.Data as { UpperDir?: string } | null)?.UpperDir;
  // Mounts that are bound to a directory are folders of the service.
  const bound = (found.HostConfig.Mounts ?? []).filter(
    ({ VolumeOptions: given }) => given?.DriverConfig?.Options?.device,
  );
  const unkept = found.Mounts.filter(
    ({ Type, Name, Destination }) =>
      Type === 'volume' && /^[0-9a-f]{64}$/.test(Name ?? '') && !bound.some(({ Target }) => Target === Destination),
  );
  const files = [found.HostsPath, found.HostnamePath, found.ResolvConfPath];
  return {
    directories: layer ? [layer, ...unkept.map(({ Source }) => Source)] : [],
    files: files.filter(Boolean),
    areAll: files.every(Boolean),
  };
}

async function sizeOf(files: string[]): Promise<number> {
  const sizes = files.map((file) =>
    stat(file).then(
      ({ blocks }) => blocks * 512,
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, bytes) => sum + bytes, 0);
}

/** The engine's own walk of the layers, by id; it counts files with holes in full. */
async function layersReportedByDocker(
  docker: Docker,
  containers: Docker.ContainerInfo[],
): Promise<Map<string, number>> {
  const filters = { id: containers.map(({ Id }) => Id) };
  const reported = (await docker.listContainers({ filters, size: true })) as (Docker.ContainerInfo & {
    SizeRw?: number;
  })[];
  return new Map(reported.map(({ Id, SizeRw = 0 }) => [Id, SizeRw]));
}

async function sizesReportedByDocker(
  docker: Docker,
  containers: Docker.ContainerInfo[],
  volumes: Docker.VolumeInspectInfo[],
) {
  const bytes = containers.length > 0 ? await layersReportedByDocker(docker, containers) : new Map<string, number>();
  if (volumes.length === 0) return bytes;
  const names = new Set(volumes.map(({ Name }) => Name));
  const { Volumes: known } = (await docker.df()) as { Volumes: Docker.VolumeInspectInfo[] | null };
  for (const { Name, UsageData } of known ?? [])
    if (names.has(Name)) bytes.set(Name, Math.max(UsageData?.Size ?? 0, 0));
  return bytes;
}

function total(bytes: ReadonlyMap<string, number>): number {
  return [...bytes.values()].reduce((sum, more) => sum + more, 0);
}

/**
 * Measures directories of this machine, by path, in allocated blocks. Directories removed during the walk are missing.
 * `du` runs with the lowest priority, and does not follow links or enter other file systems. Needs root for files of
 * other users.
 */
async function measure(paths: string[]): Promise<Map<string, number>> {
  if (paths.length === 0) return new Map();
  const [bytes, files] = [await du(paths, '--block-size=1'), await du(paths, '--inodes')];
  return new Map([...bytes].map(([path, taken]) => [path, Math.max(taken, (files.get(path) ?? 0) * minBytesOfFile)]));
}

async function du(paths: string[], unit: string): Promise<Map<string, number>> {
  const argv = ['nice', '-n', '19', 'du', '-s', '-x', '--null', unit, '--files0-from=-'] as const;
  // `du` reports files that disappear during the walk, and continues.
  const output = await runProgram(argv, { input: paths.join('\0') }).catch((error) => {
    if (error instanceof ProgramError && error.code === 1) return error.stdout;
    throw error;
  });
  return parseDu(output);
}

/** PURE. `<number>\t<path>\0` for each. */
export function parseDu(output: string): Map<string, number> {
  const entries = output.split('\0').flatMap((line): [string, number][] => {
    const tab = line.indexOf('\t');
    const number = Number(line.slice(0, tab));
    return tab > 0 && Number.isFinite(number) ? [[line.slice(tab + 1), number]] : [];
  });
  return new Map(entries);
}
