/** A place for backups in memory: as restic's, but nothing is encrypted, and it costs no processor. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { Writable } from 'node:stream';
import { BackupFault } from '../../src/backup/backup-fault.ts';
import type { Repository } from '../../src/backup/restic.ts';

type Kept = { id: string; at: number; tags: readonly string[]; files: Map<string, Buffer> };

export function createFileRepository(): Repository & { kept: Kept[] } {
  const kept: Kept[] = [];
  const keep = (tags: readonly string[], files: Map<string, Buffer>) => {
    const id = createHash('sha256').update(String(kept.length)).digest('hex');
    kept.push({ id, at: kept.length, tags, files });
    const totalBytes = files.values().reduce((sum, { length }) => sum + length, 0);
    // The short form of an id.
    return { id: id.slice(0, 8), totalBytes, addedBytes: totalBytes };
  };
  const found = (id: string) => {
    const one = kept.find((each) => each.id.startsWith(id));
    if (!one) throw new BackupFault(`nothing is kept as ${id}`);
    return one;
  };
  return {
    kept,
    place: { kind: 'folder', location: '/kept' },
    provide: async () => ({ isNew: kept.length === 0, kept: [...kept] }),
    save: async (folder, paths, { tags }) =>
      keep(tags, new Map((await Promise.all(paths.map((path) => filesBelow(folder, path)))).flat())),
    async saveStream(name, write, { tags }) {
      const pieces: Uint8Array[] = [];
      const to = new Writable({ write: (piece, _, done) => done(void pieces.push(piece)) });
      await write(to, new AbortController().signal);
      return keep(tags, new Map([[name, Buffer.concat(pieces)]]));
    },
    check: async () => {},
    list: async (tag) => kept.filter(({ tags }) => tags.includes(tag)),
    read: async (id, path, take) => take(found(id).files.get(path)!),
    sizeOf: async (id, path) => found(id).files.get(path)!.length,
    async readInto(id, path, to) {
      if (!to.write(found(id).files.get(path)!)) await once(to, 'drain');
    },
    async bring(id, folder) {
      for (const [path, content] of found(id).files) {
        await mkdir(dirname(join(folder, path)), { recursive: true });
        await writeFile(join(folder, path), content);
      }
    },
    async drop(ids) {
      for (const id of ids) kept.splice(kept.indexOf(found(id)), 1);
    },
    clear: async () => {},
    remove: async () => void kept.splice(0),
  };
}

async function filesBelow(folder: string, path: string): Promise<[string, Buffer][]> {
  const whole = join(folder, path);
  const entries = await readdir(whole, { recursive: true, withFileTypes: true }).catch(() => undefined);
  if (!entries) return [[path, await readFile(whole)]];
  const files = entries.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name));
  return await Promise.all(
    files.map(async (file): Promise<[string, Buffer]> => [relative(folder, file), await readFile(file)]),
  );
}
