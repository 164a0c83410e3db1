/** Applies the `.gitignore` files of a folder. Rules of a folder apply below it, and deeper ones take precedence. */
import { join, posix } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import type { FolderFiles } from '../../folder/folder-files.ts';
import type { Ignored } from './folder-listing.ts';

const mostRuleBytes = 1024 * 1024;

export function gitIgnored(files: FolderFiles): Ignored {
  const read = new Map<string, Ignore | undefined>();
  const left = new Set<string>();

  function rulesOf(folder: string): Ignore | undefined {
    if (!read.has(folder)) {
      const path = join(files.folder, folder, '.gitignore');
      const text = files.look(path).kind === 'file' ? files.read(path, mostRuleBytes)?.toString('utf8') : undefined;
      read.set(folder, text === undefined ? undefined : ignore().add(text));
    }
    return read.get(folder);
  }

  function isIgnored(path: string, isFolder: boolean): boolean {
    if (posix.basename(path) === '.git') return true;
    let folder = posix.dirname(path);
    // Git never looks into a folder that is ignored, so no rule below can bring a file back.
    if (left.has(folder)) return true;
    for (;;) {
      const within = posix.relative(folder, path);
      const { ignored, unignored } = rulesOf(folder)?.test(isFolder ? `${within}/` : within) ?? {};
      if (ignored || unignored) return ignored === true;
      if (folder === '.') return false;
      folder = posix.dirname(folder);
    }
  }

  return {
    ignores(path, isFolder) {
      const isLeft = isIgnored(path, isFolder);
      if (isLeft && isFolder) left.add(path);
      return isLeft;
    },
    mayKeepBelow: () => false,
  };
}
