/** PURE. The effect of an update on the volumes of a pod. */
import { printBytes } from '../../config/values/units.ts';
import type { Running } from '../desired.ts';
import type { DesiredVolume } from '../desired-volumes.ts';

export type VolumeChange = {
  /** The display name, such as `volume data of pod db`. */
  title: string;
  /**
   * `kept`, `grown`: with its data. `new`: created empty. `left`: the pod no longer uses it; its data stays on the
   * server until the deployment ends.
   */
  change: 'kept' | 'grown' | 'new' | 'left';
  /** Its requested size after and before the update. */
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
export function growthWords(changes: readonly VolumeChange[]): string[] {
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
