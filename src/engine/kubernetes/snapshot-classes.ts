/** PURE. Which VolumeSnapshotClass is for the volumes of a storage class. */
import type { FoundSnapshotClass } from './objects.ts';

/** A class, or the reason for having none, in words for the operator. */
export type ChosenClass = { name: string } | { because: string };

const defaultKey = 'snapshot.storage.kubernetes.io/is-default-class';

/** `driver`: of the volumes; `wanted`: the only class that may be used, if given. */
export function chooseSnapshotClass(
  driver: string,
  classes: readonly FoundSnapshotClass[],
  wanted?: string,
): ChosenClass {
  const named = classes.filter(({ metadata }) => wanted === undefined || metadata.name === wanted);
  if (named.length === 0 && wanted !== undefined)
    return { because: `the cluster has no VolumeSnapshotClass ${wanted}` };
  const own = named.filter((each) => each.driver === driver);
  if (own.length === 0)
    return { because: `no VolumeSnapshotClass${wanted === undefined ? '' : ` ${wanted}`} is of the driver ${driver}` };
  // With another policy, what the storage has taken would stay when the object goes.
  const leaving = own.filter(({ deletionPolicy }) => deletionPolicy === 'Delete');
  if (leaving.length === 0) return { because: `the deletionPolicy of ${namesOf(own)} is not Delete` };
  const defaults = leaving.filter(({ metadata }) => metadata.annotations?.[defaultKey] === 'true');
  const [only, ...others] = leaving.length === 1 || defaults.length === 0 ? leaving : defaults;
  if (others.length === 0) return { name: only!.metadata.name };
  return { because: `there are several of the driver ${driver}, ${namesOf(leaving)}: BERTH_SNAPSHOT_CLASS names one` };
}

function namesOf(classes: readonly FoundSnapshotClass[]): string {
  return classes
    .map(({ metadata }) => metadata.name)
    .sort()
    .join(', ');
}
