/** Where snapshots of an in-memory world are kept, as restic keeps those of a real one. */
import type { Repository } from '../../src/backup/restic.ts';
import type { CopiedVolumes } from '../../src/engine/memory/copies.ts';
import type { MemoryWorld } from '../../src/engine/memory/world.ts';
import { newId } from '../../src/lib/ids.ts';

export type MemoryRepository = Repository & {
  kept: Map<string, { tags: readonly string[]; volumes: CopiedVolumes }>;
};

/** `call`: stands between each call and what it does; `kept`: by an earlier process. */
export function createMemoryRepository(
  world: MemoryWorld,
  call: <T>(name: string, perform: () => T) => Promise<T>,
  kept: MemoryRepository['kept'],
): MemoryRepository {
  const listed = (tag: string) =>
    [...kept].flatMap(([id, { tags }], at) => (tags.includes(tag) ? [{ id, at, tags }] : []));
  return {
    kept,
    place: { kind: 'folder', location: '/kept' },
    provide: () => call('provide', () => false),
    save: (folder, _paths, { tags }) =>
      call('save', () => {
        const volumes = copyOf(world.copies.get(folder)!);
        const id = newId();
        kept.set(id, { tags, volumes });
        return { id, totalBytes: 100, addedBytes: 10 };
      }),
    check: () => call('check', () => {}),
    list: (tag) => call('list', () => listed(tag)),
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
    remove: () => call('remove', () => kept.clear()),
  };
}

function copyOf(volumes: CopiedVolumes): CopiedVolumes {
  return new Map([...volumes].map(([name, { sizeBytes, files }]) => [name, { sizeBytes, files: new Map(files) }]));
}
