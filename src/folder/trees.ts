/** Trees that are read from files, changed, and written as the document to send. */
import { stringify } from 'yaml';
import { printPath } from '../config/diagnostics/diagnostics.ts';
import type { Entry, Mapping, Scalar, Tree } from '../config/document/tree.ts';

export function scalar(text: string, at: number): Scalar {
  return { kind: 'scalar', value: text, text, at, to: at };
}

export function listTree(items: Tree[], at: number): Tree {
  return { kind: 'list', items, at, to: at };
}

export function mapTree(entries: readonly (readonly [string, Tree])[], at: number): Mapping {
  const all = entries.map(([name, value]): [string, Entry] => [name, { key: { at, to: at }, value }]);
  return { kind: 'map', entries: new Map(all), at, to: at };
}

/** Replaces the values of some keys. Undefined removes a key. */
export function withKeys(tree: Tree, changes: Record<string, Tree | undefined>): Mapping {
  const entries = new Map(tree.kind === 'map' ? tree.entries : []);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) entries.delete(name);
    else entries.set(name, { key: entries.get(name)?.key ?? { at: value.at, to: value.to }, value });
  }
  return { kind: 'map', entries, at: tree.at, to: tree.to };
}

/** Replaces all scalars. A repeated value stays shared. */
export function mapScalars(tree: Tree, change: (scalar: Scalar) => Scalar, known = new Map<Tree, Tree>()): Tree {
  const done = known.get(tree);
  if (done) return done;
  const changed: Tree =
    tree.kind === 'scalar'
      ? change(tree)
      : tree.kind === 'list'
        ? { ...tree, items: tree.items.map((item) => mapScalars(item, change, known)) }
        : {
            ...tree,
            entries: new Map(
              [...tree.entries].map(([name, { key, value }]): [string, Entry] => [
                name,
                { key, value: mapScalars(value, change, known) },
              ]),
            ),
          };
  known.set(tree, changed);
  return changed;
}

/** The tree as YAML, its texts as `write` wants them. */
export function printTree(tree: Tree, write: (text: string) => string): string {
  const convert = (one: Tree): unknown => {
    if (one.kind === 'list') return one.items.map(convert);
    if (one.kind === 'map') return new Map([...one.entries].map(([name, { value }]) => [name, convert(value)]));
    if (typeof one.value === 'string') return write(one.text);
    // The text `1.10` differs from the number 1.1.
    return one.value === null || String(one.value) === one.text ? one.value : one.text;
  };
  return stringify(convert(tree), { lineWidth: 0, aliasDuplicateObjects: false });
}

/** Returns the offset of the value at each printed path. */
export function offsetsByPath(root: Tree): (path: string) => number {
  const offsets = new Map<string, number>();
  const walk = (tree: Tree, path: (string | number)[], at: number) => {
    offsets.set(printPath(path), at);
    if (tree.kind === 'list') for (const [index, item] of tree.items.entries()) walk(item, [...path, index], item.at);
    if (tree.kind !== 'map') return;
    for (const [name, { key, value }] of tree.entries) {
      walk(value, [...path, name], value.kind === 'scalar' && value.value !== null ? value.at : key.at);
    }
  };
  walk(root, [], root.at);
  return (path) => {
    for (let known = path; ; known = known.replace(/(?:^|\.)[^.[\]]*$|\[[^\]]*\]$/, '')) {
      const at = offsets.get(known);
      if (at !== undefined) return at;
      if (known === '') return root.at;
    }
  };
}
