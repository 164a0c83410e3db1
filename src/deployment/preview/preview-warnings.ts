/** PURE. Warnings about effects of an update that its author may not expect: databases, their data, and sizes. */
import { newDataDirectory } from '../../config/software/postgres-data.ts';
import { databaseOf, majorVersionOf, readsOnlyWhenNew } from '../../config/software/software.ts';
import type { PodSpec } from '../../config/spec/spec.ts';
import { shortNameOf } from '../../config/values/image-names.ts';
import { printBytes } from '../../config/values/units.ts';
import type { Running } from '../desired.ts';
import type { DesiredVolume } from '../desired-volumes.ts';
import type { Workload } from '../workload/workload.ts';

export type UpdateWarning = {
  code: 'ignored-variable' | 'other-database' | 'other-database-version' | 'empty-database' | 'volume-not-smaller';
  /** Contains no values of the configuration, because they may be secret. */
  message: string;
  hint?: string;
};

/** A pod before and after the update, as configured and as resolved. */
export type PodRevision = { spec: PodSpec; workload: Workload };

export function warningsOf(before: PodRevision, after: PodRevision, volumes: readonly VolumeChange[]): UpdateWarning[] {
  const found = new Map(before.workload.volumes.map(({ volume, mountPath }) => [volume, mountPath]));
  const keepsData = after.workload.volumes.some(({ volume }) => found.has(volume));
  return [...(keepsData ? warningsOfData(before, after) : []), ...warningsOfSizes(volumes)];
}

function warningsOfData(before: PodRevision, after: PodRevision): UpdateWarning[] {
  const kind = databaseOf(after.spec.image);
  if (kind === undefined) return [];
  const [was, is] = [before, after].map(({ spec }) => shortNameOf(spec.image));
  if (databaseOf(before.spec.image) !== kind || isMariaDb(was!) !== isMariaDb(is!)) {
    const message = `${is} does not start on the data of ${was}`;
    return [{ code: 'other-database', message, hint: 'give its volume another name: it begins empty then' }];
  }
  return [...warningsOfVersions(before, after), ...warningsOfVariables(before, after)];
}

function isMariaDb(repository: string): boolean {
  return repository.includes('mariadb');
}

/** Each major version of PostgreSQL has its own data format. */
function warningsOfVersions(before: PodRevision, after: PodRevision): UpdateWarning[] {
  if (databaseOf(after.spec.image) !== 'postgres') return [];
  const [was, is] = [before, after].map(({ spec }) => majorVersionOf(spec.image));
  if (was === undefined || is === undefined || was === is) return [];
  const isApart =
    [before, after].every(({ workload }) => !workload.env.PGDATA && mountsParent(workload)) && Math.min(was, is) >= 18;
  if (isApart) {
    const message = `PostgreSQL ${is} starts with an empty database, next to the one of PostgreSQL ${was}`;
    return [{ code: 'empty-database', message, hint: `dump it with ${was} first, and restore it with ${is}` }];
  }
  const message = `PostgreSQL ${is} does not start on the data of PostgreSQL ${was}`;
  const hint = `keep ${was}, or dump the data first, give the volume another name and restore it there`;
  return [{ code: 'other-database-version', message, hint }];
}

function mountsParent({ volumes }: Workload): boolean {
  return volumes.some(({ mountPath }) => mountPath === newDataDirectory);
}

/** Variables that the image reads only when it creates its database. */
function warningsOfVariables(before: PodRevision, after: PodRevision): UpdateWarning[] {
  const kind = databaseOf(after.spec.image)!;
  const names = Object.entries(after.workload.env)
    .filter(([name, value]) => readsOnlyWhenNew(kind, name) && before.workload.env[name] !== value)
    .map(([name]) => name);
  if (names.length === 0) return [];
  const [are, values] = names.length > 1 ? ['are', 'values'] : ['is', 'value'];
  const message = `${names.join(', ')} ${are} read only when the database is created: the one on its volume keeps the old ${values}`;
  const hint = 'change it inside the database as well, or give the volume another name to begin with an empty one';
  return [{ code: 'ignored-variable', message, hint }];
}

function warningsOfSizes(volumes: readonly VolumeChange[]): UpdateWarning[] {
  return volumes
    .filter(({ change, sizeBytes, fromBytes = 0 }) => change === 'kept' && sizeBytes < fromBytes)
    .map(({ title, fromBytes = 0 }) => ({
      code: 'volume-not-smaller',
      message: `${title} stays at ${printBytes(fromBytes)} where volumes have file systems of their own: these never get smaller`,
    }));
}

/** The effect of an update on the volumes of a pod. */

export type VolumeChange = {
  /** The display name, such as `volume data of pod db`. */
  title: string;
  /**
   * `kept`, `grown`: the data stays. `new`: created empty. `left`: the pod no longer uses it; its data stays on the
   * server until the deployment ends.
   */
  change: 'kept' | 'grown' | 'new' | 'left';
  /** The requested size after and before the update. */
  sizeBytes: number;
  fromBytes?: number;
};

export function volumeChanges(current: Running, next: Running, pod: string): VolumeChange[] {
  const before = volumesOfPod(current, pod);
  const after = volumesOfPod(next, pod);
  const left = [...before.values()].filter(({ volume }) => !after.has(volume));
  return [
    ...[...after.values()].map(({ volume, title, sizeBytes }): VolumeChange => {
      const earlier = before.get(volume) ?? current.volumes.find((known) => known.volume === volume);
      if (!earlier) return { title, change: 'new', sizeBytes };
      const { sizeBytes: fromBytes } = earlier;
      return { title, change: sizeBytes > fromBytes ? 'grown' : 'kept', sizeBytes, fromBytes };
    }),
    ...left.map(({ title, sizeBytes }): VolumeChange => ({ title, change: 'left', sizeBytes })),
  ];
}

/** Returns texts about growing volumes: `volume data of pod db grows from 1 GiB to 2 GiB`. */
export function growthMessage(changes: readonly VolumeChange[]): string[] {
  return changes
    .filter(({ change }) => change === 'grown')
    .map(
      ({ title, fromBytes = 0, sizeBytes }) =>
        `${title} grows from ${printBytes(fromBytes)} to ${printBytes(sizeBytes)}`,
    );
}

function volumesOfPod({ workloads, volumes }: Running, pod: string): Map<string, DesiredVolume> {
  const names = new Set(
    workloads
      .filter(({ workload }) => workload.pod === pod)
      .flatMap(({ workload }) => workload.volumes.map(({ volume }) => volume)),
  );
  return new Map(volumes.filter(({ volume }) => names.has(volume)).map((volume) => [volume.volume, volume]));
}
