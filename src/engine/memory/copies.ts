/** The facet `copies` of the in-memory engine: its folders are names in its world, and so are their files. */
import type { SizedVolume } from '../../deployment/snapshot/snapshot.ts';
import { EngineFault } from '../engine.ts';
import type { VolumeCopies } from '../volume-facets.ts';
import type { Interceptor } from './memory-call.ts';
import { announce, type MemoryWorld, volumeKey } from './world.ts';

/** By name of the volume. */
export type CopiedVolumes = Map<string, { sizeBytes: number; files: Map<string, string> }>;

export function createCopies(world: MemoryWorld, owner: string, intercept: Interceptor): VolumeCopies {
  const { copies, volumes } = world;
  const folderOf = (key: string) => `${owner}/${key}`;
  const found = (deploymentId: string, volume: string) => {
    const one = volumes.get(volumeKey(deploymentId, volume));
    if (one?.owner !== owner) throw new EngineFault('unavailable', `The volume ${volume} is not on the host.`);
    return one;
  };
  const begin = (key: string): CopiedVolumes => {
    const begun: CopiedVolumes = new Map();
    copies.set(folderOf(key), begun);
    return begun;
  };

  return {
    take: (deploymentId, names, key) =>
      intercept({ name: 'copies.take', deploymentId }, () => {
        const begun = begin(key);
        for (const name of names) {
          const { sizeBytes, files } = found(deploymentId, name);
          begun.set(name, { sizeBytes, files: new Map(files) });
        }
        const texts = [...begun.values()].flatMap(({ files }) => [...files.values()]);
        const apparentBytes = texts.reduce((sum, { length }) => sum + length, 0);
        return { folder: folderOf(key), paths: [...names], pausedMs: 0, apparentBytes };
      }),
    make: (deploymentId, wanted: readonly SizedVolume[], key) =>
      intercept({ name: 'copies.make', deploymentId }, () => {
        const begun = begin(key);
        for (const { volume, sizeBytes } of wanted) begun.set(volume, { sizeBytes, files: new Map() });
        return { folder: folderOf(key), paths: wanted.map(({ volume }) => volume) };
      }),
    finish: (deploymentId) => intercept({ name: 'copies.finish', deploymentId }, () => {}),
    swap: (deploymentId, names, { key }) =>
      intercept({ name: 'copies.swap', deploymentId }, (extent) => {
        const made = copies.get(folderOf(key));
        if (!made) return false;
        const some = extent === 'halfway' ? names.slice(0, Math.ceil(names.length / 2)) : names;
        for (const name of some) {
          refuseUsed(world, deploymentId, name);
          const filled = made.get(name);
          if (!filled) continue;
          const key = volumeKey(deploymentId, name);
          volumes.set(key, { owner, deploymentId, volume: name, ...filled });
          made.delete(name);
        }
        announce(world, deploymentId);
        return true;
      }),
    filledBytes: async () => 0,
    room: async () => world.capacity.disk?.freeBytes ?? 0,
    clear: (key) => intercept({ name: 'copies.clear' }, () => void copies.delete(folderOf(key))),
    list: async () =>
      [...copies.keys()].flatMap((folder) => (folder.startsWith(`${owner}/`) ? [folder.slice(owner.length + 1)] : [])),
  };
}

/** One that has ended has nothing open. */
function refuseUsed({ containers }: MemoryWorld, deploymentId: string, volume: string): void {
  for (const { workload, phase } of containers.of(deploymentId))
    if (phase !== 'exited' && workload.volumes.some((mount) => mount.volume === volume))
      throw new EngineFault('unavailable', `The volume ${volume} is in use.`);
}
