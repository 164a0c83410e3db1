/** PURE. Which pods' databases a snapshot can have by their own tools, in the place of the files of their volumes. */
import { databaseOf } from '../../config/software/software.ts';
import type { AppSpec } from '../../config/spec/spec.ts';
import { podsOfVolumes, replicasOf } from '../desired-volumes.ts';

export const dumpKinds = ['postgres', 'mysql'] as const;
/** `mysql` is MariaDB too. */
export type DumpKind = (typeof dumpKinds)[number];

/** `volumes`: of the pod, of which no files are kept then. */
export type Dump = { pod: string; kind: DumpKind; volumes: string[] };

/** Those with one replica, whose volumes are nobody else's. */
export function dumpsOf(spec: Pick<AppSpec, 'pods'>): Dump[] {
  const users = [...podsOfVolumes(spec)];
  return spec.pods.flatMap((pod): Dump[] => {
    const found = databaseOf(pod.image);
    const kind = dumpKinds.find((each) => each === found);
    const volumes = users.flatMap(([volume, pods]) => (pods.includes(pod.name) ? [volume] : []));
    const areItsOwn = users.every(([volume, pods]) => !volumes.includes(volume) || pods.length === 1);
    return kind && volumes.length > 0 && areItsOwn && replicasOf(pod) === 1 ? [{ pod: pod.name, kind, volumes }] : [];
  });
}

/** Volumes that are kept as files. */
export function withoutDumped<Named extends { volume: string }>(
  volumes: readonly Named[],
  dumps: readonly Dump[],
): Named[] {
  return volumes.filter(({ volume }) => !dumps.some((dump) => dump.volumes.includes(volume)));
}
