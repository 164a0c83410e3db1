/** PURE. Finds databases that a snapshot stores as dumps of their own tools instead of files. */
import { databaseOf } from '../../config/software/software.ts';
import type { AppSpec } from '../../config/spec/spec.ts';
import { shortNameOf } from '../../config/values/image-names.ts';
import { podsOfVolumes, replicasOf } from '../desired-volumes.ts';

/** `mysql` includes MariaDB. `redis` includes Valkey and KeyDB. */
export const dumpKinds = ['postgres', 'mysql', 'redis'] as const;
/** A database that saves its data before its files are stored. */
type SavedKind = 'redis';
/** A database that is stored as a dump, which its tool loads. */
export type LoadedKind = Exclude<(typeof dumpKinds)[number], SavedKind>;

/** `volumes`: volumes of the pod, whose files are not stored. */
export type LoadedDump = { pod: string; kind: LoadedKind; volumes: string[] };
export type Dump = LoadedDump | { pod: string; kind: SavedKind; volumes: never[] };

/** They use the protocol of Redis but cannot save all data to a file. */
const unlikeRedis = new Set(['dragonfly', 'redis-cluster']);

/** Returns databases with one replica whose volumes are not shared. */
export function dumpsOf(spec: Pick<AppSpec, 'pods'>): Dump[] {
  const users = [...podsOfVolumes(spec)];
  return spec.pods.flatMap((pod): Dump[] => {
    const { name, image } = pod;
    const found = unlikeRedis.has(shortNameOf(image)) ? undefined : databaseOf(image);
    const kind = dumpKinds.find((each) => each === found);
    const volumes = users.flatMap(([volume, pods]) => (pods.includes(name) ? [volume] : []));
    const areItsOwn = users.every(([volume, pods]) => !volumes.includes(volume) || pods.length === 1);
    if (!kind || volumes.length === 0 || !areItsOwn || replicasOf(pod) !== 1) return [];
    return [kind === 'redis' ? { pod: name, kind, volumes: [] } : { pod: name, kind, volumes }];
  });
}

/** Returns the databases that are stored as dumps and loaded. */
export function loadedOf(dumps: readonly Dump[]): LoadedDump[] {
  return dumps.filter((dump): dump is LoadedDump => dump.kind !== 'redis');
}

/** Returns the volumes that are stored as files. */
export function withoutDumped<Named extends { volume: string }>(
  volumes: readonly Named[],
  dumps: readonly Dump[],
): Named[] {
  const dumped = new Set(loadedOf(dumps).flatMap((dump) => dump.volumes));
  return volumes.filter(({ volume }) => !dumped.has(volume));
}
