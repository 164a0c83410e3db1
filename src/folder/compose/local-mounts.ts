/**
 * Mounts of local paths, which a shared host cannot provide. Files that a program reads are added to the document or
 * the image, directories that it writes become volumes, and paths of the host itself are refused.
 */
import { posix, relative, resolve, sep } from 'node:path';
import { bindKind, isDataFolderName, isReadAtStart } from '../../config/compose/bind-mounts.ts';
import { harmlessMounts, isEngineSocket } from '../../config/compose/service-volumes.ts';
import { childOf, type Field, itemsOf, type Tree, textOf } from '../../config/document/tree.ts';
import { dataDirectoryOf } from '../../config/software/data-directories.ts';
import type { DockerImage } from '../dockerfile.ts';
import type { Findings } from '../findings.ts';
import { type FolderFiles, shownPath } from '../folder-files.ts';
import type { InlineFile, InlineFiles } from '../inline-files.ts';
import { isVariablesFile, reportMissingFile } from '../missing-files.ts';
import type { FolderLayer, FolderOptions } from '../project.ts';
import { refuseOutside } from '../read-text.ts';

export type Mount = { source: string; target: string; isReadOnly: boolean; at: number };

/** The result for the mounts of one service. */
export type Mounted = {
  /** Mounts of volumes, which stay as they are written. */
  kept: Tree[];
  inline: { file: InlineFile; at: number }[];
  layers: FolderLayer[];
  /** Folders that a volume replaces. The caller decides which of them are filled. */
  data: (Mount & { isThere: boolean })[];
};

export type MountContext = {
  service: string;
  /** The image that it runs, or that its own is built on. */
  image: string;
  built?: { context: string; image: DockerImage };
  files: FolderFiles;
  findings: Findings;
  inline: InlineFiles;
  options: Pick<FolderOptions, 'without'>;
};

/** Folders that a build recreates. A volume at such a path only hides the laptop's folder. */
const made = /(?:^|\/)(?:node_modules|vendor|\.venv|venv|\.next|\.nuxt|__pycache__|target|bundle)\/?$/;

export function readMounts(service: Field, context: MountContext): Mounted {
  const { findings, built } = context;
  const mounted: Mounted = { kept: [], inline: [], layers: [], data: [] };
  const binds: Mount[] = [];
  const hidden: string[] = [];
  for (const item of itemsOf(childOf(service, 'volumes'))) {
    const bind = bindOf(item);
    if (bind) {
      binds.push(bind);
      continue;
    }
    // The value decides whether it is a volume or a folder.
    if (findings.needs(volumeSource(item), item.tree.at)) continue;
    const target = volumeTarget(item);
    if (target !== undefined) hidden.push(target);
    if (built && target !== undefined && made.test(target)) {
      const message = `the volume at ${target} of "${context.service}" is left out: the image that is built has its own`;
      findings.note('made-folder-left-out', message, item.tree.at);
    } else mounted.kept.push(item.tree);
  }
  for (const bind of binds) place(bind, hidden, mounted, context);
  return mounted;
}

function bindOf(item: Field): Mount | undefined {
  const { tree } = item;
  if (tree.kind !== 'map' || textOf(childOf(item, 'type')) !== 'bind') return undefined;
  const source = textOf(childOf(item, 'source')) ?? '';
  const target =
    textOf(childOf(item, 'target')) ?? textOf(childOf(item, 'dst')) ?? textOf(childOf(item, 'destination'));
  if (target === undefined || !source.startsWith(sep)) return undefined;
  const isReadOnly = /^(?:true|yes)$/i.test(textOf(childOf(item, 'read_only')) ?? '');
  return { source, target: target === '/' ? target : target.replace(/\/+$/, ''), isReadOnly, at: tree.at };
}

/** Returns the source of a volume, in either form. */
function volumeSource(item: Field): string {
  if (item.tree.kind === 'map') return textOf(childOf(item, 'source')) ?? textOf(childOf(item, 'src')) ?? '';
  return (textOf(item) ?? '').split(':')[0]!;
}

function volumeTarget(item: Field): string | undefined {
  if (item.tree.kind === 'map') return textOf(childOf(item, 'target'));
  const parts = (textOf(item) ?? '').split(':');
  return parts.length === 1 ? parts[0] : parts[1];
}

function place(bind: Mount, hidden: readonly string[], mounted: Mounted, context: MountContext): void {
  const { files, findings, inline, service, built } = context;
  const { source, target, at } = bind;
  const shown = shownPath(files, source);
  const entry = files.look(source);
  const isOwn = source === files.folder || source.startsWith(files.folder + sep);
  const machine = isOwn ? undefined : ofMachine(bind, context);
  if (machine === 'done') return;
  if (entry.kind === 'special') {
    findings.refuse('bind-mount', `${shown} is neither a file nor a folder`, at);
  } else if (entry.kind === 'missing' || entry.kind === 'outside') {
    replaceAbsent(bind, entry.kind, mounted, context);
  } else if (built && isCopied(bind, built, files)) {
    const message = `${shown} is not mounted into "${service}": its image is built with it at ${target}`;
    findings.note('source-mount-left-out', message, at);
  } else if (entry.kind === 'folder' && isData(bind, context)) {
    mounted.data.push({ ...bind, isThere: true });
  } else {
    // Files of the document are added to those of the image, while a mounted folder hides them. Exception: secrets are
    // never put into an image.
    const secrets = built !== undefined || holdsFiles(target);
    const found =
      entry.kind === 'file'
        ? [inline.takeFile(source, target) ?? []].flat()
        : inline.takeFolder(source, target, { secrets });
    if (found && found.length > 0) {
      mounted.inline.push(...found.map((file) => ({ file, at })));
      if (entry.kind === 'file' || isEmptyInImages(target)) return;
      const message = `the files of ${shown} lie at ${target} of "${service}" next to those of its image`;
      findings.note('files-inline', message, at);
      return;
    }
    if (entry.kind === 'file') reportWindowsScript(source, shown, at, context);
    const below = hidden.filter((path) => path.startsWith(`${target}/`)).map((path) => posix.relative(target, path));
    const except = entry.kind === 'folder' && below.length > 0 ? { except: below } : {};
    mounted.layers.push({ from: source, kind: entry.kind, to: target, ...except, at: findings.placeOf(at) });
    const volume = hidden.find((path) => target.startsWith(`${path}/`) || target === path);
    if (volume === undefined) return;
    const message = `${shown} is copied onto the volume at ${volume} of "${service}" while that is new, and not again`;
    findings.note('layer-below-volume', message, at);
  }
}

/** Returns whether images usually have files at this path, such as `/etc/nginx/conf.d`. */
function holdsFiles(target: string): boolean {
  return /^\/(?:$|(?:bin|etc|home|lib|lib64|opt|root|sbin|srv|usr|var)(?:\/|$))/.test(target);
}

/** The folder only exists as a mount point. */
function isEmptyInImages(target: string): boolean {
  return target.startsWith('/docker-entrypoint-initdb.d');
}

/** Handles mounts of the machine itself. `done` if the mount needs nothing else. */
function ofMachine({ source, target, at }: Mount, { findings, service }: MountContext): 'done' | undefined {
  if (isEngineSocket(source)) {
    const message = `"${service}" requires the engine's socket, which gives control of the host`;
    findings.refuse('docker-socket', message, at, 'it cannot run on a shared host; leave the service out');
    return 'done';
  }
  if (Object.hasOwn(harmlessMounts, source)) {
    findings.note('ignored', `${source} is not mounted into "${service}"`, at, harmlessMounts[source]);
    return 'done';
  }
  if (bindKind({ source, target }) !== 'machine') return undefined;
  const message = `"${service}" wants ${source} of the machine, which is not available on a shared host`;
  findings.refuse('bind-mount', message, at, 'remove the mount, or leave the service out');
  return 'done';
}

/** Compose creates a missing folder. Paths outside are not inspected. */
function replaceAbsent(bind: Mount, absence: 'missing' | 'outside', mounted: Mounted, context: MountContext): void {
  const { files, findings } = context;
  const { source, target, isReadOnly, at } = bind;
  const shown = shownPath(files, source);
  const kind = bindKind({ source, target });
  const isWritten = kind === 'data' || isDataFolderName(source) || isDataDirectory(target, context.image);
  if (isWritten && !isReadOnly) mounted.data.push({ ...bind, isThere: false });
  else if (absence === 'outside') refuseOutside(source, files, findings, at);
  else if (kind === 'code' || kind === 'texts') {
    mounted.data.push({ ...bind, isThere: false });
  } else {
    const similar = [`${source}.example`, `${source}.sample`, `${source}.dist`].find(
      (path) => files.look(path).kind === 'file',
    );
    const example = similar && shownPath(files, similar);
    if (isVariablesFile(source)) {
      reportMissingFile({ file: shown, at, ...(example !== undefined && { example }) }, context);
      return;
    }
    const hint = example && `copy it from ${example}`;
    findings.refuse('missing-file', `${shown}, which "${context.service}" mounts, is not there`, at, hint);
  }
}

function isData({ source, target, isReadOnly }: Mount, { image }: MountContext): boolean {
  if (isDataDirectory(target, image)) return true;
  return !isReadOnly && isDataFolderName(source) && !isReadAtStart(target);
}

function isDataDirectory(target: string, image: string): boolean {
  const directory = dataDirectoryOf(image);
  return (
    directory !== undefined && (isWithin(target, directory) || (isWithin(directory, target) && target !== '/var/lib'))
  );
}

/**
 * Returns whether the image contains the mounted files at the mount's path, because its Dockerfile copies them there.
 */
function isCopied(
  { source, target }: Mount,
  built: { context: string; image: DockerImage },
  files: FolderFiles,
): boolean {
  return built.image.copies.some(({ sources, to }) =>
    sources.some((written) => {
      const from = resolve(built.context, `.${posix.resolve('/', written)}`);
      const isPattern = /[*?[]/.test(written);
      if (isPattern) return matches(source, from) && posix.join(to, posix.basename(source)) === target;
      const { kind } = files.look(from);
      if (kind === 'file') {
        const isFolder = to.endsWith('/');
        return source === from && (isFolder ? posix.join(to, posix.basename(from)) : to) === target;
      }
      if (kind !== 'folder') return false;
      if (isWithin(source, from)) return trimmed(posix.join(to, relative(from, source))) === target;
      // A part of the mounted content is copied to the path where the mount would have it.
      return isWithin(from, source) && trimmed(to) === posix.join(target, relative(source, from));
    }),
  );
}

/** `package*.json`: only in the last part, which is the common use. */
function matches(path: string, pattern: string): boolean {
  if (posix.dirname(path) !== posix.dirname(pattern)) return false;
  const parts = posix.basename(pattern).split(/([*?])/);
  const expression = parts.map((part) =>
    part === '*' ? '[^/]{0,200}' : part === '?' ? '[^/]' : part.replace(/[^\w]/g, '\\$&'),
  );
  return new RegExp(`^${expression.join('')}$`).test(posix.basename(path));
}

function trimmed(path: string): string {
  return path.replace(/(?<=.)\/+$/, '');
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);
}

/** Much longer than the first line of any script. */
const firstBytes = 4096;

/** The kernel treats the carriage return as a part of the interpreter's name, and does not find the program. */
function reportWindowsScript(source: string, shown: string, at: number, { files, findings }: MountContext): void {
  const beginning = files.read(source, firstBytes)?.toString('latin1') ?? '';
  if (!/^#![^\n]*\r\n/.test(beginning)) return;
  const message = `the script ${shown} has Windows line endings (CRLF), and its interpreter is not found`;
  findings.note('windows-line-endings', message, at, 'save it with line endings of Unix (LF)');
}
