/** A document as a tree in which every value has its position. Aliases and merge keys are resolved. */
import { type Document, isAlias, isMap, isNode, isScalar, isSeq } from 'yaml';
import type { Path } from '../diagnostics/diagnostics.ts';

/** Offsets into the text, in UTF-16 units. A value that an alias repeats has the position of its anchor. */
export type Span = { at: number; to: number };

/** `!reset` and `!override`: how a value replaces the one of another file of the project. */
export type MergeTag = 'reset' | 'override';

/** `isRepeated`: an alias repeats the value, so a change would affect several places. */
type Value = Span & { mergeTag?: MergeTag; isRepeated?: true };

export type Tree = Scalar | List | Mapping;
export type Scalar = Value & { kind: 'scalar'; value: string | number | boolean | null; text: string };
export type List = Value & { kind: 'list'; items: Tree[] };
export type Mapping = Value & { kind: 'map'; entries: Map<string, Entry> };

/** `isMerged`: the entry comes from another map through a merge key. */
export type Entry = { key: Span; value: Tree; isMerged?: true };

/** A value with its path. `key`: the position of its key, if it has one. */
export type Field = { tree: Tree; path: Path; key?: Span };

/** No document that people write is nested deeper than some ten levels. */
const maxDepth = 60;
/** The maximum length of a document with expanded aliases, in characters. Without aliases, no document reaches it. */
const maxExpandedLength = 1024 * 1024;
/** The maximum number of values that aliases add. */
const maxRepeatedValues = 20_000;
/** The maximum number of keys that merge keys (`<<`) add. */
const maxMergedKeys = 50_000;

const mergeTags = new Map<string, MergeTag>([
  ['!reset', 'reset'],
  ['!override', 'override'],
]);

export class TooDeep extends Error {}
export class TooManyAliases extends Error {}
export class UnknownAlias extends Error {
  readonly at: number;
  constructor(name: string, at: number) {
    super(name);
    this.at = at;
  }
}

export class BinaryValue extends Error {
  readonly at: number;
  constructor(at: number) {
    super('!!binary');
    this.at = at;
  }
}

/** Throws one of the four errors above. Repeated values are shared, not copied, so nested aliases cost nothing. */
export function toTree(document: Document): Tree {
  const anchors = new Map<string, Tree>();
  const sizes = new Map<Tree, Size>();
  let written = 0;
  let mergedKeys = 0;
  const absent = (at: number): Tree => ({ kind: 'scalar', value: null, text: '', at, to: at });

  const build = (node: unknown, depth: number, at: number): Tree => {
    if (depth > maxDepth) throw new TooDeep();
    if (isAlias(node)) {
      const target = anchors.get(node.source);
      if (!target) throw new UnknownAlias(node.source, node.range?.[0] ?? at);
      target.isRepeated = true;
      return target;
    }
    const tree = buildOwn(node, depth, at);
    const mergeTag = isNode(node) ? mergeTags.get(node.tag ?? '') : undefined;
    if (mergeTag) tree.mergeTag = mergeTag;
    written += 1;
    const size = sizeOf(tree, sizes);
    if (size.length > maxExpandedLength || size.values > maxRepeatedValues + written) throw new TooManyAliases();
    sizes.set(tree, size);
    if (isNode(node) && 'anchor' in node && node.anchor) anchors.set(node.anchor, tree);
    return tree;
  };

  const buildOwn = (node: unknown, depth: number, before: number): Tree => {
    const at = isNode(node) ? (node.range?.[0] ?? before) : before;
    const to = isNode(node) ? (node.range?.[1] ?? at) : at;
    if (isScalar(node) && ArrayBuffer.isView(node.value)) throw new BinaryValue(at);
    if (isScalar(node)) return { ...scalarTree(node.value, node.source), at, to };
    if (isSeq(node)) return { kind: 'list', items: node.items.map((item) => build(item, depth + 1, at)), at, to };
    if (!isMap(node)) return absent(at);

    const entries = new Map<string, Entry>();
    const merged = new Set<string>();
    for (const { key, value } of node.items) {
      const range = isNode(key) ? key.range : undefined;
      const keySpan = { at: range?.[0] ?? at, to: range?.[1] ?? at };
      const name = isScalar(key) ? String(key.value ?? '') : '';
      const tree = build(value, depth + 1, keySpan.to);
      if (name !== '<<') {
        // A written key takes precedence over a merged one, independent of their order.
        if (merged.delete(name)) entries.delete(name);
        entries.set(name, { key: keySpan, value: tree });
        continue;
      }
      for (const source of tree.kind === 'list' ? tree.items : [tree]) {
        if (source.kind !== 'map') continue;
        mergedKeys += source.entries.size + 1;
        if (mergedKeys > maxMergedKeys) throw new TooManyAliases();
        for (const [inherited, entry] of source.entries) {
          if (entries.has(inherited)) continue;
          entries.set(inherited, { ...entry, isMerged: true });
          merged.add(inherited);
        }
      }
    }
    return { kind: 'map', entries, at, to };
  };

  return build(document.contents, 0, 0);
}

type Size = { length: number; values: number };

/** Returns the size of a tree with expanded aliases. The sizes of its children are known. */
function sizeOf(tree: Tree, sizes: ReadonlyMap<Tree, Size>): Size {
  const size = { length: 0, values: 1 };
  const add = (child: Tree) => {
    const { length, values } = sizes.get(child) ?? { length: 0, values: 1 };
    size.length += length;
    size.values += values;
  };
  if (tree.kind === 'scalar') size.length += tree.text.length;
  else if (tree.kind === 'list') for (const child of tree.items) add(child);
  else {
    for (const [key, { value }] of tree.entries) {
      size.length += key.length;
      add(value);
    }
  }
  return size;
}

/** A number keeps its text: the version `1.10` stays `1.10`. A date is text. */
function scalarTree(value: unknown, source: string | undefined): Omit<Scalar, 'at' | 'to'> {
  if (typeof value === 'string') return { kind: 'scalar', value, text: value };
  if (typeof value === 'number' || typeof value === 'boolean') {
    return { kind: 'scalar', value, text: source ?? String(value) };
  }
  if (value instanceof Date && source !== undefined) return { kind: 'scalar', value: source, text: source };
  return { kind: 'scalar', value: null, text: '' };
}

export function isEmpty({ tree }: Field): boolean {
  return tree.kind === 'scalar' && tree.value === null;
}

/** The value of a key. Undefined if it is missing or empty. */
export function childOf(field: Field | undefined, key: string): Field | undefined {
  const child = field && entryOf(field, key);
  return child && !isEmpty(child) ? child : undefined;
}

/** As `childOf`, but a key without a value counts. */
export function entryOf({ tree, path }: Field, key: string): Field | undefined {
  const entry = tree.kind === 'map' ? tree.entries.get(key) : undefined;
  return entry && { tree: entry.value, path: [...path, key], key: entry.key };
}

/** Returns the keys of a map with their values, in document order. Empty for other values. */
export function entriesOf(field: Field | undefined): [string, Field][] {
  if (field?.tree.kind !== 'map') return [];
  const { path } = field;
  return [...field.tree.entries].map(([name, { key, value }]) => [name, { tree: value, path: [...path, name], key }]);
}

/**
 * Returns the entries of a list. A scalar or a map counts as a list with one entry, and a missing value as an empty
 * list.
 */
export function itemsOf(field: Field | undefined, max = Number.POSITIVE_INFINITY): Field[] {
  if (!field || isEmpty(field)) return [];
  if (field.tree.kind !== 'list') return [field];
  return field.tree.items.slice(0, max).map((tree, index) => ({ tree, path: [...field.path, index] }));
}

/** Returns the text of a scalar as written. Undefined for other values. */
export function textOf(field: Field | undefined): string | undefined {
  return field && field.tree.kind === 'scalar' && field.tree.value !== null ? field.tree.text : undefined;
}

/** The field at a path, or the nearest that exists on the way to it, with how much of the path was found. */
export function nearest(root: Tree, path: Path): { field: Field; depth: number } {
  let field: Field = { tree: root, path: [] };
  for (let depth = 0; depth < path.length; depth++) {
    const segment = path[depth]!;
    const next = typeof segment === 'number' ? itemAt(field, segment) : entryOf(field, segment);
    if (!next) return { field, depth };
    field = next;
  }
  return { field, depth: path.length };
}

/** Returns whether the path passes through an alias or a merge key, or leads to an anchor that an alias uses. */
export function isShared(root: Tree, path: Path): boolean {
  let tree: Tree | undefined = root;
  for (const segment of path) {
    if (!tree || tree.isRepeated) break;
    if (typeof segment === 'number') {
      tree = tree.kind === 'list' ? tree.items[segment] : undefined;
      continue;
    }
    const entry: Entry | undefined = tree.kind === 'map' ? tree.entries.get(segment) : undefined;
    if (entry?.isMerged) return true;
    tree = entry?.value;
  }
  return tree?.isRepeated === true;
}

function itemAt({ tree, path }: Field, index: number): Field | undefined {
  const item = tree.kind === 'list' ? tree.items[index] : undefined;
  return item && { tree: item, path: [...path, index] };
}

/** Every list of the schema is shorter, so further entries do not change the result. */
const maxListLength = 1001;

/**
 * Returns the plain value for the schema. A field without a value counts as absent, because users leave an empty
 * `volumes:` in their documents. A field that is checked elsewhere counts as empty. Shared values stay shared.
 */
export function toValue(root: Tree, isJudgedElsewhere: (key: string) => boolean): unknown {
  const known = new Map<Tree, unknown>();
  const convert = (tree: Tree): unknown => {
    if (tree.kind === 'scalar') return tree.value;
    if (known.has(tree)) return known.get(tree);
    if (tree.kind === 'list') {
      const list = tree.items.slice(0, maxListLength).map(convert);
      known.set(tree, list);
      return list;
    }
    // Without a prototype: `__proto__` is a key like any other.
    const object: Record<string, unknown> = Object.create(null);
    for (const [key, { value }] of tree.entries) {
      if (value.kind === 'scalar' && value.value === null) continue;
      object[key] = isJudgedElsewhere(key) ? {} : convert(value);
    }
    known.set(tree, object);
    return object;
  };
  return convert(root);
}
