/** Writes the files of one commit into a folder. Runs in a thread; everything in the pack may be hostile. */
import { Readable } from 'node:stream';
import { printable } from '../../lib/printable.ts';
import { readEntry, SourceError } from '../source-entry.ts';
import { createSourceWriter, isDamage, type SourceWriter } from '../source-writer.ts';
import { LargeObjectError, PackError } from './apply-delta.ts';
import { openPackFile, type PackFile } from './pack-file.ts';

export type Unpacking = {
  pack: string;
  /** The hash of a commit, or of a tag that names one. */
  hash: string;
  /** The names of the folders that lead to the source. */
  path: readonly string[];
  /** An existing folder. */
  folder: string;
  limits: { maxBytes: number; maxEntries: number; maxFileBytes: number };
};

export type UnpackedCommit = {
  /** A digest of the files. */
  content: string;
  commit: string;
  /** The author's name, and the first line of the message. */
  author: string;
  subject: string;
  /** Paths of submodules, which are left out. */
  submodules: string[];
  bytes: number;
  entries: number;
};

type TreeEntry = { name: string; mode: number; hash: string };

/** Throws SourceError. */
export async function unpackCommit({ pack, hash, path, folder, limits }: Unpacking): Promise<UnpackedCommit> {
  const { maxBytes, maxEntries, maxFileBytes } = limits;
  try {
    // Each folder of the source is an object, too, and so is each parent folder.
    using objects = openPackFile(pack, { maxObjects: 4 * maxEntries, maxBytes: maxFileBytes });
    const commit = commitOf(objects, hash);
    const writer = createSourceWriter(folder, { maxBytes, maxEntries });
    const submodules: string[] = [];
    await writeTree({ objects, writer, submodules }, folderAt(objects, treeOf(objects, commit), path), '');
    const content = await writer.finish();
    return { content, commit, submodules, ...describeCommit(objects.read(commit, 'commit')), ...writer.used() };
  } catch (error) {
    if (error instanceof LargeObjectError) throw new SourceError(error.message, { isTooLarge: true });
    if (error instanceof SourceError || !(error instanceof PackError || isDamage(error))) throw error;
    throw new SourceError('The repository is damaged or incomplete.', { cause: error });
  }
}

/** A tag may name another tag. */
function commitOf(objects: PackFile, hash: string): string {
  let at = hash;
  for (let tags = 0; objects.typeOf(at) === 'tag' && tags < 10; tags++) at = field(objects.read(at, 'tag'), 'object');
  if (objects.typeOf(at) !== 'commit') throw new SourceError('`ref` does not name a commit.');
  return at;
}

function treeOf(objects: PackFile, commit: string): string {
  return field(objects.read(commit, 'commit'), 'tree');
}

const longest = { author: 100, subject: 200 };

/** Headers, an empty line, and the message. */
function describeCommit(content: Buffer): Pick<UnpackedCommit, 'author' | 'subject'> {
  const text = content.toString('utf8', 0, 16_384);
  const end = text.indexOf('\n\n');
  const [, author = ''] = /^author ([^\n]*?) *<[^\n]*$/m.exec(end === -1 ? text : text.slice(0, end)) ?? [];
  const [subject = ''] = end === -1 ? [] : text.slice(end).trimStart().split('\n', 1);
  return {
    author: printable(author.slice(0, longest.author)),
    subject: printable(subject.slice(0, longest.subject)).trimEnd(),
  };
}

/** The first line of a commit or a tag: a name and a hash. */
function field(content: Buffer, name: string): string {
  const [, hash] = new RegExp(`^${name} ([0-9a-f]{40})\n`).exec(content.toString('latin1', 0, 100)) ?? [];
  if (hash === undefined) throw new PackError(`an object without ${name}`);
  return hash;
}

function folderAt(objects: PackFile, tree: string, path: readonly string[]): string {
  return path.reduce((at, name) => {
    const found = entriesOf(objects.read(at, 'tree')).find(
      (entry) => entry.name === name && entry.mode === modes.folder,
    );
    if (found) return found.hash;
    throw new SourceError(`The repository has no folder ${path.join('/')} at this commit.`);
  }, tree);
}

const modes = { folder: 0o40000, link: 0o120000, submodule: 0o160000 };

type Writing = { objects: PackFile; writer: SourceWriter; submodules: string[] };

async function writeTree(writing: Writing, tree: string, below: string): Promise<void> {
  const { objects, writer, submodules } = writing;
  for (const { name, mode, hash } of entriesOf(objects.read(tree, 'tree'))) {
    const path = `${below}${name}`;
    const add = async (type: string, target: string, content?: Buffer) =>
      await writer.add(readEntry({ name: path, type, mode, target }), async () => Readable.from([content]));
    switch (mode) {
      case modes.folder:
        await add('directory', '');
        await writeTree(writing, hash, `${path}/`);
        break;
      case modes.submodule:
        await add('directory', '');
        submodules.push(path);
        break;
      case modes.link:
        await add('symlink', objects.read(hash, 'blob').toString('utf8', 0, 4_096));
        break;
      default:
        await add('file', '', objects.read(hash, 'blob'));
    }
  }
}

/** Each entry: the mode in octal digits, a space, the name, a zero byte, and the 20 bytes of the hash. */
function entriesOf(tree: Buffer): TreeEntry[] {
  const entries: TreeEntry[] = [];
  for (let at = 0; at < tree.length; ) {
    const end = tree.indexOf(0, at);
    const [, mode, name] = /^([0-7]{5,6}) ([^/]+)$/.exec(tree.toString('utf8', at, end)) ?? [];
    if (end === -1 || mode === undefined || name === undefined || end + 21 > tree.length)
      throw new PackError('a folder is damaged');
    entries.push({ name, mode: Number.parseInt(mode, 8), hash: tree.toString('hex', end + 1, end + 21) });
    at = end + 21;
  }
  return entries;
}
