/** Files in the document itself: small texts, up to a total size. */
import { join, posix } from 'node:path';
import type { FolderFiles } from './folder-files.ts';

/** One file of the document. */
export type InlineFile = { path: string; content: string; isSecret: boolean };

/** A document may have 256 KiB. Its own lines and the indentation of the files need the rest. */
const room = { document: 160 * 1024, file: 64 * 1024, folder: 48 * 1024, filesOfFolder: 20, files: 120, depth: 8 };

export type InlineFiles = {
  /** A file as a part of the document. Undefined if it is large, binary or executable. */
  takeFile(path: string, to: string): InlineFile | undefined;
  /** Adds all files of a folder. Undefined if they do not fit, or if secrets are wanted and the folder has none. */
  takeFolder(path: string, to: string, wanted?: { secrets: boolean }): InlineFile[] | undefined;
};

export function openInlineFiles(files: FolderFiles): InlineFiles {
  let length = 0;
  let count = 0;

  const readText = (path: string, max: number): string | undefined => {
    const entry = files.look(path);
    if (entry.kind !== 'file' || entry.size > max) return undefined;
    const text = textOf(files.read(path, max));
    // Files of a document cannot be executed, and some systems mark all files as programs.
    return entry.isExecutable && text?.startsWith('#!') ? undefined : text;
  };

  const take = (found: InlineFile[]): boolean => {
    const more = found.reduce((sum, { content }) => sum + weightOf(content), 0);
    if (length + more > room.document || count + found.length > room.files) return false;
    length += more;
    count += found.length;
    return true;
  };

  const collect = (path: string, to: string, found: InlineFile[], depth: number): boolean => {
    const names = files.list(path, room.filesOfFolder + 1);
    // An empty folder has a purpose, and a document cannot contain one.
    if (names.length === 0 || depth > room.depth) return false;
    return names.every(({ name, isLink }) => {
      const from = join(path, name);
      if (isLink) return false;
      if (files.look(from).kind === 'folder') return collect(from, posix.join(to, name), found, depth + 1);
      const content = readText(from, room.folder);
      if (content === undefined || found.length >= room.filesOfFolder) return false;
      found.push({ path: posix.join(to, name), content, isSecret: isSecretFile(name) });
      return true;
    });
  };

  return {
    takeFile(path, to) {
      const content = readText(path, room.file);
      const file = content === undefined ? undefined : { path: to, content, isSecret: isSecretFile(path) };
      return file && take([file]) ? file : undefined;
    },
    takeFolder(path, to, { secrets } = { secrets: false }) {
      const found: InlineFile[] = [];
      if (!collect(path, to, found, 0)) return undefined;
      if (secrets && !found.some(({ isSecret }) => isSecret)) return undefined;
      const isSmall = found.reduce((sum, { content }) => sum + content.length, 0) <= room.folder;
      return isSmall && take(found) ? found : undefined;
    },
  };
}

/** Returns UTF-8 without NUL characters as text. Undefined for other content. */
export function textOf(content: Buffer | undefined): string | undefined {
  if (!content || content.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    // The file is binary.
    return undefined;
  }
}

/** Each line is indented in the document. */
function weightOf(content: string): number {
  return Buffer.byteLength(content) + 8 * content.split('\n').length;
}

function isSecretFile(path: string): boolean {
  return /(?:\.(?:key|pem|p12|pfx|htpasswd)|(?:^|\/)(?:\.env[\w.-]*|\.htpasswd|\.npmrc|\.netrc|id_\w+))$/i.test(path);
}
