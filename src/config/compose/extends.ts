/** `extends`: a service with what it takes from another one of the document. */
import { nearestName } from '../diagnostics/suggest.ts';
import { childOf, type Entry, entriesOf, type Field, isEmpty, type Tree } from '../document/tree.ts';
import { keyOf, type Reading } from './compose-reader.ts';

/** Longest chain. A chain of thousands would be merged anew for each of its links. */
const longest = 20;

/** All services with their bases merged in. Bases outside of the document and circles are reported. */
export function resolveExtends(services: Field, reading: Reading): Map<string, Field> {
  const byName = new Map(entriesOf(services));
  const resolved = new Map<string, Field>();

  const resolve = (name: string, chain: string[]): Field => {
    const service = byName.get(name)!;
    const known = resolved.get(name);
    if (known) return known;
    const extended = extend(service, name, chain);
    resolved.set(name, extended);
    return extended;
  };

  const extend = (service: Field, name: string, chain: string[]): Field => {
    const extension = childOf(service, 'extends');
    if (!extension) return service;
    const file = childOf(extension, 'file');
    if (file) {
      const message = 'the file of "extends" is not part of the document';
      reading.error(keyOf(file), 'extends-file', message, 'copy the service that is extended into this document');
      return service;
    }
    const baseField = extension.tree.kind === 'scalar' ? extension : childOf(extension, 'service');
    const base = baseField && reading.text(baseField);
    if (!baseField || base === undefined || !byName.has(base)) {
      const guess = nearestName(base ?? '', [...byName.keys()]);
      const hint = guess ? `did you mean "${guess}"?` : `the services are ${listOf([...byName.keys()])}`;
      reading.error(baseField ?? extension, 'unknown-service', `there is no service "${base ?? ''}" to extend`, hint);
      return service;
    }
    if (base === name || chain.includes(base) || chain.length >= longest) {
      const circle = [...chain, name, base].slice(0, longest).join(' → ');
      reading.error(
        baseField,
        'extends-cycle',
        `services extend each other in a circle: ${circle}`,
        'remove one of them',
      );
      return service;
    }
    const tree = mergeService(resolve(base, [...chain, name]).tree, service.tree);
    return { ...service, tree };
  };

  for (const name of byName.keys()) resolve(name, []);
  return resolved;
}

export function listOf(names: readonly string[]): string {
  return names.length <= 10 ? names.join(', ') : `${names.slice(0, 10).join(', ')}, …`;
}

/** What a command is replaces what it was; it is not continued by it. */
const replaced = new Set(['command', 'entrypoint', 'test', 'extends']);

/** These may be maps or lists; both are read as names with values. */
const paired = new Set(['environment', 'labels', 'annotations', 'extra_hosts', 'sysctls', 'depends_on', 'networks']);

function mergeService(base: Tree, own: Tree): Tree {
  if (base.kind !== 'map') return own;
  if (own.kind !== 'map') return own.kind === 'scalar' && own.value === null ? base : own;
  const entries = new Map<string, Entry>([...base.entries].filter(([key]) => key !== 'extends'));
  for (const [key, entry] of own.entries) {
    const inherited = entries.get(key);
    entries.set(key, inherited && !replaced.has(key) ? mergeEntry(key, inherited, entry) : entry);
  }
  return { ...own, entries };
}

function mergeEntry(key: string, base: Entry, own: Entry): Entry {
  const [before, after] =
    paired.has(key) && base.value.kind !== own.value.kind
      ? [asMap(base.value, key), asMap(own.value, key)]
      : [base.value, own.value];
  if (isEmpty({ tree: after, path: [] })) return base;
  if (before.kind === 'map' && after.kind === 'map') return { ...own, value: mergeService(before, after) };
  if (before.kind === 'list' && after.kind === 'list') {
    const items = [...before.items, ...after.items];
    const kept = key === 'volumes' ? lastOfEachTarget(items) : withoutRepeated(items);
    return { ...own, value: { ...after, items: kept } };
  }
  return own;
}

/** The list form as a map: `[a, b]` and `[A=1]` become `{ a: , b: }` and `{ A: 1 }`. */
function asMap(tree: Tree, key: string): Tree {
  if (tree.kind !== 'list') return tree;
  const entries = tree.items.flatMap((item): [string, Entry][] => {
    if (item.kind !== 'scalar') return [];
    const equals = key === 'environment' ? item.text.indexOf('=') : -1;
    const name = equals === -1 ? item.text : item.text.slice(0, equals);
    const value = equals === -1 ? null : item.text.slice(equals + 1);
    return [[name, { key: item, value: { ...item, value, text: value ?? '' } }]];
  });
  return { kind: 'map', entries: new Map(entries), at: tree.at, to: tree.to };
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

/** A mount at the same place replaces the one of the base. */
function lastOfEachTarget(items: Tree[]): Tree[] {
  const last = new Map(items.map((item, index) => [targetOf(item) ?? `#${index}`, item]));
  return items.filter((item, index) => last.get(targetOf(item) ?? `#${index}`) === item);
}

function targetOf(item: Tree): string | undefined {
  if (item.kind === 'scalar')
    return item.text.split(':').find((part, index) => index > 0 && part.startsWith('/')) ?? item.text;
  const target = item.kind === 'map' ? item.entries.get('target')?.value : undefined;
  return target?.kind === 'scalar' ? target.text : undefined;
}
