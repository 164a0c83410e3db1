/** PURE. Which pods' databases a snapshot can have by their own tools, in the place of the files of their volumes. */
import { databaseOf } from '../../config/software/software.ts';
import type { AppSpec } from '../../config/spec/spec.ts';
import { shortNameOf } from '../../config/values/image-names.ts';
import { podsOfVolumes, replicasOf } from '../desired-volumes.ts';

/** `mysql` includes MariaDB. `redis` includes Valkey and KeyDB. */
export const dumpKinds = ['postgres', 'mysql', 'redis'] as const;
/** What has written all that it holds before its files are kept, as ever. */
type SavedKind = 'redis';
/** What is kept as its tool writes it, and loaded by it. */
export type LoadedKind = Exclude<(typeof dumpKinds)[number], SavedKind>;

/** `volumes`: of the pod, of which no files are kept then. */
export type LoadedDump = { pod: string; kind: LoadedKind; volumes: string[] };
export type Dump = LoadedDump | { pod: string; kind: SavedKind; volumes: never[] };

/** They answer as Redis does, and have no save of the whole in a file. */
const unlikeRedis = new Set(['dragonfly', 'redis-cluster']);

/** Those with one replica, whose volumes are nobody else's. */
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

/** Those that are kept beside the files, and loaded. */
export function loadedOf(dumps: readonly Dump[]): LoadedDump[] {
  return dumps.filter((dump): dump is LoadedDump => dump.kind !== 'redis');
}

/** Volumes that are kept as files. */
export function withoutDumped<Named extends { volume: string }>(
  volumes: readonly Named[],
  dumps: readonly Dump[],
): Named[] {
  const dumped = new Set(loadedOf(dumps).flatMap((dump) => dump.volumes));
  return volumes.filter(({ volume }) => !dumped.has(volume));
}
