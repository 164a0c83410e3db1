/** The facet `copies` of the in-memory engine: its folders are names in its world, and so are their files. */
import { Writable } from 'node:stream';
import type { SizedVolume } from '../../deployment/snapshot/snapshot.ts';
import { EngineFault } from '../engine.ts';
import type { FilesBelow, FillableTars, ReadableTars, VolumeCopies } from '../volume-facets.ts';
import { volumeKey } from './deployment-map.ts';
import type { Interceptor } from './memory-call.ts';
import { announce, type MemoryWorld } from './world.ts';

/** Whether copies are read as files, as on an engine of this machine, or as tars, as on remote engines. */
export type CopiesAs = 'files' | 'tars';

/** Copied volumes by name. */
export type CopiedVolumes = Map<string, { sizeBytes: number; files: Map<string, string> }>;

export function createCopies(
  world: MemoryWorld,
  owner: string,
  intercept: Interceptor,
  copiesAs: CopiesAs = 'files',
): VolumeCopies {
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

  const filesOf = (key: string, names: readonly string[]): FilesBelow => ({
    kind: 'files',
    folder: folderOf(key),
    paths: [...names],
  });
  /** The tars contain the texts of the files. */
  const tarOf = (files: ReadonlyMap<string, string>) => Buffer.from(JSON.stringify([...files]));
  const readable = (key: string, taken: CopiedVolumes): ReadableTars => ({
    kind: 'tars',
    sizes: new Map([...taken].map(([volume, { files }]) => [volume, tarOf(files).length])),
    async read(volume, to) {
      const files = await intercept({ name: 'copies.read' }, () => copies.get(folderOf(key))?.get(volume)?.files);
      to.write(tarOf(files!));
    },
  });
  const fillable = (key: string): FillableTars => ({
    kind: 'tars',
    async fill(volume, { read }) {
      const pieces: Uint8Array[] = [];
      await read(new Writable({ write: (piece, _, done) => done(void pieces.push(piece)) }));
      const files = new Map<string, string>(JSON.parse(Buffer.concat(pieces).toString()));
      await intercept({ name: 'copies.fill' }, () => {
        copies.get(folderOf(key))!.get(volume)!.files = files;
      });
    },
  });

  return {
    sizes: async (deploymentId) =>
      new Map(
        volumes.of(deploymentId).flatMap((one) => (one.owner === owner ? [[one.volume, one.sizeBytes] as const] : [])),
      ),
    take: (deploymentId, names, key) =>
      intercept({ name: 'copies.take', deploymentId }, () => {
        const begun = begin(key);
        for (const name of names) {
          const { sizeBytes, files } = found(deploymentId, name);
          begun.set(name, { sizeBytes, files: new Map(files) });
        }
        const texts = [...begun.values()].flatMap(({ files }) => [...files.values()]);
        const apparentBytes = texts.reduce((sum, { length }) => sum + length, 0);
        const copied = { pausedMs: 0, apparentBytes };
        return copiesAs === 'tars' ? { ...copied, ...readable(key, begun) } : { ...copied, ...filesOf(key, names) };
      }),
    make: (deploymentId, wanted: readonly SizedVolume[], key) =>
      intercept({ name: 'copies.make', deploymentId }, () => {
        const begun = begin(key);
        for (const { volume, sizeBytes } of wanted) begun.set(volume, { sizeBytes, files: new Map() });
        if (copiesAs === 'tars') return fillable(key);
        return filesOf(
          key,
          wanted.map(({ volume }) => volume),
        );
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

/** An ended container has no open files. */
function refuseUsed({ containers }: MemoryWorld, deploymentId: string, volume: string): void {
  for (const { workload, phase } of containers.of(deploymentId))
    if (phase !== 'exited' && workload.volumes.some((mount) => mount.volume === volume))
      throw new EngineFault('unavailable', `The volume ${volume} is in use.`);
}
