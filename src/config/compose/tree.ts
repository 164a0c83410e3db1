/** A document as a tree in which every value knows where it stands, with aliases and merge keys followed. */
import { type Document, isAlias, isMap, isScalar, isSeq, type Node } from 'yaml';
import type { Path } from '../diagnostics.ts';

/** `at` is an offset into the text. A value that an alias repeats stands where its anchor does. */
export type Tree =
  | { kind: 'scalar'; value: string | number | boolean | null; text: string; at: number }
  | { kind: 'list'; items: Tree[]; at: number }
  | { kind: 'map'; entries: Map<string, Entry>; at: number };

export type Entry = { keyAt: number; value: Tree };

/** A value with the way that leads to it; `keyAt` is the place of its key, when it has one. */
export type Field = { tree: Tree; path: Path; keyAt?: number };

/** No Compose file that people write is nested deeper than some ten levels. */
const maxDepth = 60;

export class TooDeep extends Error {}

export function toTree(document: Document): Tree {
  const anchors = new Map<string, Tree>();
  const absent = (at: number): Tree => ({ kind: 'scalar', value: null, text: '', at });

  const build = (node: unknown, depth: number, at: number): Tree => {
    if (depth > maxDepth) throw new TooDeep('The document is nested too deeply.');
    // Repeated values are shared, not copied: aliases of aliases cost nothing.
    if (isAlias(node)) return anchors.get(node.source) ?? absent(at);
    const tree = buildOwn(node, depth, at);
    if (isNode(node) && node.anchor) anchors.set(node.anchor, tree);
    return tree;
  };

  const buildOwn = (node: unknown, depth: number, at: number): Tree => {
    const start = isNode(node) ? (node.range?.[0] ?? at) : at;
    if (isScalar(node)) return scalarTree(node.value, node.source, start);
    if (isSeq(node)) return { kind: 'list', items: node.items.map((item) => build(item, depth + 1, start)), at: start };
    if (!isMap(node)) return absent(start);

    const entries = new Map<string, Entry>();
    const merged = new Set<string>();
    for (const { key, value } of node.items) {
      const keyAt = (isNode(key) && key.range?.[0]) || start;
      const name = isScalar(key) ? String(key.value ?? '') : '';
      const tree = build(value, depth + 1, keyAt);
      if (name !== '<<') {
        // A key that is written wins over one that is merged in, wherever the merge stands.
        if (merged.delete(name)) entries.delete(name);
        entries.set(name, { keyAt, value: tree });
        continue;
      }
      for (const source of tree.kind === 'list' ? tree.items : [tree]) {
        if (source.kind !== 'map') continue;
        for (const [inherited, entry] of source.entries) {
          if (entries.has(inherited)) continue;
          entries.set(inherited, entry);
          merged.add(inherited);
        }
      }
    }
    return { kind: 'map', entries, at: start };
  };

  return build(document.contents, 0, 0);
}

function isNode(value: unknown): value is Node {
  return isScalar(value) || isMap(value) || isSeq(value) || isAlias(value);
}

/** A number keeps the text it was written with: the version `1.10` stays `1.10`. */
function scalarTree(value: unknown, source: string | undefined, at: number): Tree {
  if (typeof value === 'string') return { kind: 'scalar', value, text: value, at };
  if (typeof value === 'number' || typeof value === 'boolean') {
    return { kind: 'scalar', value, text: source ?? String(value), at };
  }
  return { kind: 'scalar', value: null, text: '', at };
}

export function isEmpty({ tree }: Field): boolean {
  return tree.kind === 'scalar' && tree.value === null;
}

/** The value below a key; undefined when there is none, or nothing is written behind it. */
export function childOf(field: Field, key: string): Field | undefined {
  const child = entryOf(field, key);
  return child && !isEmpty(child) ? child : undefined;
}

/** As `childOf`, and a key with nothing behind it counts. */
export function entryOf({ tree, path }: Field, key: string): Field | undefined {
  const entry = tree.kind === 'map' ? tree.entries.get(key) : undefined;
  return entry && { tree: entry.value, path: [...path, key], keyAt: entry.keyAt };
}

/** The keys of a map with their values, in document order; nothing for anything else. */
export function entriesOf({ tree, path }: Field): [string, Field][] {
  if (tree.kind !== 'map') return [];
  return [...tree.entries].map(([key, { keyAt, value }]) => [key, { tree: value, path: [...path, key], keyAt }]);
}

/** The entries of a list; a scalar or a map counts as a list of one, and nothing written as an empty one. */
export function itemsOf(field: Field | undefined): Field[] {
  if (!field || isEmpty(field)) return [];
  if (field.tree.kind !== 'list') return [field];
  return field.tree.items.map((tree, index) => ({ tree, path: [...field.path, index] }));
}
