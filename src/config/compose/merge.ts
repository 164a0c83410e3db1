/**
 * Merges one part of a Compose file over another: a service over the one that it extends, or a file over the previous
 * one. Follows "Merge" of the Compose specification. Pure.
 */
import { type Entry, isEmpty, type List, type Tree } from '../document/tree.ts';

/** Later commands replace earlier ones instead of extending them. */
const replaced = new Set(['command', 'entrypoint', 'test', 'extends']);

/** Keys that may be maps or lists. Both are read as names with values. */
const paired = new Set([
  ...['environment', 'labels', 'annotations', 'extra_hosts', 'sysctls', 'depends_on', 'networks'],
  ...['args', 'additional_contexts'],
]);

/** The separators between name and value in their list form. */
const separators = new Map([
  ...['environment', 'labels', 'annotations', 'sysctls', 'args', 'additional_contexts'].map(
    (key) => [key, /=/] as const,
  ),
  ['extra_hosts', /[=:]/] as const,
]);

/** Keys that may be a single value or a list. */
const listed = new Set(['env_file', 'label_file', 'dns', 'dns_search', 'tmpfs']);

/** The identity of an entry in these lists: of equal entries, the later one counts. */
const identities = new Map<string, (item: Tree) => string | undefined>([
  ['volumes', targetOf],
  ['configs', sourceOrTarget],
  ['secrets', sourceOrTarget],
  ['ports', portOf],
]);

/** Merges a whole service. Its `extends` is not inherited. */
export function mergeService(base: Tree, own: Tree): Tree {
  return base.kind === 'map' ? mergeMaps(withoutKey(base, 'extends'), own) : own;
}

/** Two files: `services` and the other top-level maps entry by entry. */
export function mergeDocuments(base: Tree, own: Tree): Tree {
  return mergeMaps(base, own);
}

function mergeMaps(base: Tree, own: Tree): Tree {
  if (base.kind !== 'map' || own.mergeTag === 'override') return own;
  if (own.kind !== 'map') return own.kind === 'scalar' && own.value === null ? base : own;
  const entries = new Map<string, Entry>(base.entries);
  for (const [key, entry] of own.entries) {
    const inherited = entries.get(key);
    if (entry.value.mergeTag === 'reset') entries.delete(key);
    else entries.set(key, inherited && !replaced.has(key) ? mergeEntry(key, inherited, entry) : entry);
  }
  return { ...own, entries };
}

function mergeEntry(key: string, base: Entry, own: Entry): Entry {
  if (own.value.mergeTag === 'override') return own;
  const [before, after] = alike(key, base.value, own.value);
  if (isEmpty({ tree: after, path: [] })) return base;
  if (before.kind === 'map' && after.kind === 'map') return { ...own, value: mergeMaps(before, after) };
  if (before.kind === 'list' && after.kind === 'list') {
    const items = [...before.items, ...after.items];
    const identity = identities.get(key);
    const kept = identity ? lastOfEach(items, identity) : withoutRepeated(items);
    return { ...own, value: { ...after, items: kept } };
  }
  return own;
}

/** Converts both values to the same form, if the specification allows several. */
function alike(key: string, base: Tree, own: Tree): [Tree, Tree] {
  if (base.kind === own.kind && base.kind !== 'scalar') return [base, own];
  if (paired.has(key)) return [asMap(base, key), asMap(own, key)];
  if (listed.has(key)) return [asList(base), asList(own)];
  if (key === 'build') return [asBuild(base), asBuild(own)];
  return [base, own];
}

/** The list form as a map: `[a, b]` and `[A=1]` become `{ a: , b: }` and `{ A: 1 }`. */
function asMap(tree: Tree, key: string): Tree {
  if (tree.kind !== 'list') return tree;
  const separator = separators.get(key);
  const entries = tree.items.flatMap((item): [string, Entry][] => {
    if (item.kind !== 'scalar') return [];
    const end = separator ? item.text.search(separator) : -1;
    const name = end === -1 ? item.text : item.text.slice(0, end);
    const value = end === -1 ? null : item.text.slice(end + 1);
    return [[name, { key: item, value: { ...item, value, text: value ?? '' } }]];
  });
  return { kind: 'map', entries: new Map(entries), at: tree.at, to: tree.to };
}

function asList(tree: Tree): Tree {
  if (tree.kind === 'list' || (tree.kind === 'scalar' && tree.value === null)) return tree;
  const { at, to } = tree;
  return { kind: 'list', items: [tree], at, to } satisfies List;
}

/** `build: ./api` means its context. */
function asBuild(tree: Tree): Tree {
  if (tree.kind !== 'scalar' || tree.value === null) return tree;
  const { at, to } = tree;
  return { kind: 'map', entries: new Map([['context', { key: { at, to }, value: tree }]]), at, to };
}

function withoutKey(tree: Tree, key: string): Tree {
  if (tree.kind !== 'map' || !tree.entries.has(key)) return tree;
  return { ...tree, entries: new Map([...tree.entries].filter(([name]) => name !== key)) };
}

function withoutRepeated(items: Tree[]): Tree[] {
  const seen = new Set<string>();
  return items.filter((item) => {
    if (item.kind !== 'scalar') return true;
    if (seen.has(item.text)) return false;
    seen.add(item.text);
    return true;
  });
}

function lastOfEach(items: Tree[], identity: (item: Tree) => string | undefined): Tree[] {
  const last = new Map(items.map((item, index) => [identity(item) ?? `#${index}`, item]));
  return items.filter((item, index) => last.get(identity(item) ?? `#${index}`) === item);
}

/** A mount at the same path replaces the mount of the base. */
function targetOf(item: Tree): string | undefined {
  if (item.kind === 'scalar')
    return item.text.split(':').find((part, index) => index > 0 && part.startsWith('/')) ?? item.text;
  return textAt(item, 'target');
}

function sourceOrTarget(item: Tree): string | undefined {
  return item.kind === 'scalar' ? item.text : (textAt(item, 'target') ?? textAt(item, 'source'));
}

function portOf(item: Tree): string | undefined {
  if (item.kind === 'scalar') return item.text.replace(/\/tcp$/, '');
  const [target = '', published = '', address = '', protocol = 'tcp'] = [
    'target',
    'published',
    'host_ip',
    'protocol',
  ].map((key) => textAt(item, key));
  return (
    [address, published, target].filter((part) => part !== '').join(':') + (protocol === 'tcp' ? '' : `/${protocol}`)
  );
}

function textAt(item: Tree, key: string): string | undefined {
  const value = item.kind === 'map' ? item.entries.get(key)?.value : undefined;
  return value?.kind === 'scalar' ? value.text : undefined;
}
