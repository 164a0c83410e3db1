/**
 * Makes paths of this machine in a Compose file absolute, because paths of merged files are relative to different
 * folders.
 */
import { resolve } from 'node:path';
import { isHostPath } from '../../config/compose/service-volumes.ts';
import type { Entry, Tree } from '../../config/document/tree.ts';
import { listTree, mapTree, scalar, withKeys } from '../trees.ts';

/** `~` begins a path in the home folder. */
export type Bases = { base: string; home: string | undefined };

export function withAbsolutePaths(document: Tree, bases: Bases): Tree {
  if (document.kind !== 'map') return document;
  const absolute = (tree: Tree) => absoluteScalar(tree, bases);
  const change: Record<string, (tree: Tree) => Tree> = {
    services: (tree) => mapEntries(tree, (service) => ofService(service, bases)),
    configs: (tree) => mapEntries(tree, (one) => changeKeys(one, { file: absolute })),
    secrets: (tree) => mapEntries(tree, (one) => changeKeys(one, { file: absolute })),
  };
  return changeKeys(document, change);
}

export function absolutePath(path: string, { base, home }: Bases): string {
  if (home !== undefined && (path === '~' || path.startsWith('~/'))) return resolve(home, path.slice(2));
  return resolve(base, path);
}

/** Git repositories and archives, which the builder fetches. */
export function isRemoteSource(context: string): boolean {
  return /^(?:(?:https?|git|ssh):\/\/|git@|github\.com\/)/.test(context);
}

/**
 * Additional contexts that are not folders. An image needs its two slashes: without them the builder looks for a folder
 * of that name, which may be a link of the project to any folder of this machine.
 */
export function isRemoteContext(context: string): boolean {
  return isRemoteSource(context) || /^(?:docker-image:\/\/|oci-layout:|service:|target:)/.test(context);
}

/** Resolves `build` of a service or a pod: a context, or a map with one. A context in a `source` is relative to it. */
export function absoluteBuild(build: Tree, bases: Bases): Tree {
  if (build.kind !== 'map') return absoluteSource(build, bases);
  return changeKeys(build, {
    ...(!build.entries.has('source') && { context: (context: Tree) => absoluteSource(context, bases) }),
    additional_contexts: (contexts) => additional(contexts, bases),
  });
}

function ofService(service: Tree, bases: Bases): Tree {
  const absolute = (tree: Tree) => absoluteScalar(tree, bases);
  return changeKeys(service, {
    build: (build) => absoluteBuild(build, bases),
    env_file: (tree) =>
      mapItems(tree, (item) => (item.kind === 'map' ? changeKeys(item, { path: absolute }) : absolute(item))),
    volumes: (tree) => mapItems(tree, (item) => absoluteMount(item, bases)),
  });
}

function absoluteScalar(tree: Tree, bases: Bases): Tree {
  if (tree.kind !== 'scalar' || tree.value === null) return tree;
  return scalar(absolutePath(tree.text, bases), tree.at);
}

function absoluteSource(tree: Tree, bases: Bases): Tree {
  return tree.kind === 'scalar' && isRemoteSource(tree.text) ? tree : absoluteScalar(tree, bases);
}

function absoluteContext(tree: Tree, bases: Bases): Tree {
  return tree.kind === 'scalar' && isRemoteContext(tree.text) ? tree : absoluteScalar(tree, bases);
}

function additional(tree: Tree, bases: Bases): Tree {
  if (tree.kind !== 'list') return mapEntries(tree, (context) => absoluteContext(context, bases));
  return mapItems(tree, (item) => {
    if (item.kind !== 'scalar') return item;
    const [, name = '', context = ''] = /^([^=]*)=(.*)$/s.exec(item.text) ?? [];
    return isRemoteContext(context) ? item : scalar(`${name}=${absolutePath(context, bases)}`, item.at);
  });
}

/** A mount of the host in its long form: an absolute path may hold a colon. */
function absoluteMount(item: Tree, bases: Bases): Tree {
  if (item.kind === 'map') {
    const source = item.entries.get('source') ?? item.entries.get('src');
    const type = item.entries.get('type')?.value;
    const isBind = type?.kind === 'scalar' && type.text === 'bind';
    if (source?.value.kind !== 'scalar' || !(isBind || isHostPath(source.value.text))) return item;
    return withKeys(item, {
      source: absoluteScalar(source.value, bases),
      src: undefined,
      type: scalar('bind', item.at),
    });
  }
  if (item.kind !== 'scalar') return item;
  const [source = '', target, mode = ''] = item.text.split(':');
  if (target === undefined || !/^[./~]/.test(source)) return item;
  const { at } = item;
  const isReadOnly = mode.split(',').includes('ro');
  return mapTree(
    [
      ['type', scalar('bind', at)],
      ['source', scalar(absolutePath(source, bases), at)],
      ['target', scalar(target, at)],
      ...(isReadOnly ? [['read_only', scalar('true', at)] as const] : []),
    ],
    at,
  );
}

function changeKeys(tree: Tree, changes: Record<string, (value: Tree) => Tree>): Tree {
  if (tree.kind !== 'map') return tree;
  const entries = [...tree.entries].map(([name, entry]): [string, Entry] => {
    const change = Object.hasOwn(changes, name) ? changes[name] : undefined;
    return [name, change ? { ...entry, value: tagged(entry.value, change(entry.value)) } : entry];
  });
  return { ...tree, entries: new Map(entries) };
}

function mapEntries(tree: Tree, change: (value: Tree) => Tree): Tree {
  if (tree.kind !== 'map') return tree;
  const entries = [...tree.entries].map(([name, entry]): [string, Entry] => [
    name,
    { ...entry, value: tagged(entry.value, change(entry.value)) },
  ]);
  return { ...tree, entries: new Map(entries) };
}

/** A single value counts as a list of one. */
function mapItems(tree: Tree, change: (item: Tree) => Tree): Tree {
  if (tree.kind === 'list') return { ...tree, items: tree.items.map(change) };
  return tree.kind === 'scalar' && tree.value === null ? tree : listTree([change(tree)], tree.at);
}

/** Keeps a value's merge tag. */
function tagged(before: Tree, after: Tree): Tree {
  return before.mergeTag ? { ...after, mergeTag: before.mergeTag } : after;
}
