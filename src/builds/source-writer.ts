/** Writes the files of a source, which may be hostile, into a folder. Files stay inside it, and bytes and entries are limited. */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { copyFile, mkdir, stat, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type SourceEntry, SourceError } from './source-entry.ts';

export type UnpackLimits = { maxBytes: number; maxEntries: number };

export type SourceWriter = {
  /** Writes an entry. `open`: opens the content of a file. */
  add(entry: SourceEntry | undefined, open: () => Promise<Readable>): Promise<void>;
  /** Writes the links last, so that no file is written through one. Returns the digest of the content. */
  finish(): Promise<string>;
  /** Returns the amount written so far. */
  used(): { bytes: number; entries: number };
};

/** `folder` exists. */
export function createSourceWriter(folder: string, { maxBytes, maxEntries }: UnpackLimits): SourceWriter {
  const links: Extract<SourceEntry, { kind: 'link' }>[] = [];
  const folders = new Set<string>();
  const content = new Map<string, string>();
  let entries = 0;
  let bytes = 0;
  const count = (more: number) => {
    bytes += more;
    if (bytes > maxBytes)
      throw new SourceError(`The source has more than ${Math.floor(maxBytes / 2 ** 20)} MiB.`, {
        isTooLarge: true,
      });
  };
  const makeFolder = async (path: string) => {
    if (folders.has(path)) return;
    await mkdir(path, { recursive: true, mode: 0o755 });
    folders.add(path);
  };
  return {
    async add(entry, open) {
      if (!entry) return;
      entries += 1;
      if (entries > maxEntries)
        throw new SourceError(`The source has more than ${maxEntries} files and folders.`, { isTooLarge: true });
      const path = join(folder, entry.path);
      switch (entry.kind) {
        case 'link':
          links.push(entry);
          content.set(entry.path, `link ${JSON.stringify(entry.target)}`);
          return;
        case 'folder':
          return await makeFolder(path);
        case 'copy':
          await makeFolder(dirname(path));
          content.set(entry.path, `copy ${JSON.stringify(entry.from)}`);
          count((await stat(join(folder, entry.from))).size);
          return await copyFile(join(folder, entry.from), path);
        case 'file': {
          await makeFolder(dirname(path));
          const hash = createHash('sha256');
          const counted = new Transform({
            transform(piece: Buffer, _, done) {
              try {
                count(piece.length);
                hash.update(piece);
                done(undefined, piece);
              } catch (error) {
                done(error as Error);
              }
            },
          });
          const mode = entry.isExecutable ? 0o755 : 0o644;
          await pipeline(await open(), counted, createWriteStream(path, { mode }));
          content.set(entry.path, `file ${mode} ${hash.digest('hex')}`);
        }
      }
    },
    async finish() {
      for (const { path, target } of links) {
        await makeFolder(dirname(join(folder, path)));
        await symlink(target, join(folder, path));
      }
      const lines = [...content].map(([path, what]) => `${JSON.stringify(path)} ${what}\n`).sort();
      return createHash('sha256').update(lines.join('')).digest('hex');
    },
    used: () => ({ bytes, entries }),
  };
}

/** Errors that the content of a source causes, and not this machine. */
export function isDamage(error: unknown): boolean {
  const { code = '' } = error as NodeJS.ErrnoException;
  return !/^(?:EACCES|EDQUOT|EIO|EMFILE|ENFILE|ENOSPC|EPERM|EROFS)$/.test(code);
}
