/** Where snapshots of an in-memory world are kept, as restic keeps those of a real one. */
import { Writable } from 'node:stream';
import type { Repository } from '../../src/backup/restic.ts';
import type { CopiedVolumes } from '../../src/engine/memory/copies.ts';
import type { MemoryWorld } from '../../src/engine/memory/world.ts';
import { newId } from '../../src/lib/ids.ts';

export type MemoryRepository = Repository & {
  kept: Map<string, Kept>;
};

/** Files of volumes, or one file of them all. */
type Kept = { tags: readonly string[]; volumes: CopiedVolumes; stream?: string };

/** A file in one of several volumes (`db-data` and those after it) that are stored under such an id. */
export function keptFile(kept: MemoryRepository['kept'], placeId: string, volume: string, file: string) {
  const [first = ''] = placeId.split(' ');
  const { stream, volumes } = kept.get(first) ?? {};
  return stream === undefined
    ? volumes?.get(volume)?.files.get(file)
    : new Map<string, string>(JSON.parse(stream)).get(file);
}

/** `call`: stands between each call and what it does; `kept`: by an earlier process. */
export function createMemoryRepository(
  world: MemoryWorld,
  call: <T>(name: string, perform: () => T) => Promise<T>,
  kept: MemoryRepository['kept'],
): MemoryRepository {
  const listed = () => [...kept].map(([id, { tags }], at) => ({ id, at, tags }));
  return {
    kept,
    place: { kind: 'folder', location: '/kept' },
    provide: () => call('provide', () => ({ isNew: false, kept: listed() })),
    save: (folder, _paths, { tags }) =>
      call('save', () => {
        const volumes = copyOf(world.copies.get(folder)!);
        const id = newId();
        kept.set(id, { tags, volumes });
        return { id, totalBytes: 100, addedBytes: 10 };
      }),
    async saveStream(_name, write, { tags }) {
      const stream = await textFrom((to) => write(to, new AbortController().signal));
      return await call('saveStream', () => {
        const id = newId();
        kept.set(id, { tags, volumes: new Map(), stream });
        return { id, totalBytes: 100, addedBytes: 10 };
      });
    },
    sizeOf: (id) => call('sizeOf', () => kept.get(id)!.stream!.length),
    async readInto(id, _path, to) {
      to.write(await call('readInto', () => kept.get(id)!.stream!));
    },
    check: () => call('check', () => {}),
    list: (tag) => call('list', () => listed().filter(({ tags }) => tags.includes(tag))),
    read: () => call('read', () => {}),
    bring: (id, folder, paths = []) =>
      call('bring', () => {
        const made = world.copies.get(folder)!;
        for (const [name, { files }] of copyOf(kept.get(id)!.volumes))
          if (paths.includes(name)) made.get(name)!.files = files;
      }),
    drop: (ids) =>
      call('drop', () => {
        for (const id of ids) kept.delete(id);
      }),
    clear: () => call('clear', () => {}),
    remove: () => call('remove', () => kept.clear()),
  };
}

async function textFrom(write: (to: Writable) => Promise<void>): Promise<string> {
  const pieces: Uint8Array[] = [];
  await write(new Writable({ write: (piece, _, done) => done(void pieces.push(piece)) }));
  return Buffer.concat(pieces).toString();
}

function copyOf(volumes: CopiedVolumes): CopiedVolumes {
  return new Map([...volumes].map(([name, { sizeBytes, files }]) => [name, { sizeBytes, files: new Map(files) }]));
}
