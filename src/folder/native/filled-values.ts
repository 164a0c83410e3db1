/**
 * Replaces `${NAME}` in a native document if the folder has a value for it. Variables that a pod defines are left to
 * the service, which has more information. Files of a pod are also left, because they have their own `${…}`.
 */

import type { Lookup } from '../../config/compose/interpolate.ts';
import { childOf, type Entry, entriesOf, type Field, itemsOf, type Tree, textOf } from '../../config/document/tree.ts';
import { runsInShell } from '../../config/values/shell-words.ts';
import { escapeParameters, readParameters } from '../../config/variables/parameter-expansion.ts';
import type { Variables } from '../local-variables.ts';

export type Filled = {
  /** The same tree if nothing has changed. */
  tree: Tree;
  /** Names without a value, with the offsets of their places. */
  missing: Map<string, number[]>;
  /** Variables without a value in places where the service does not interpolate. Such a document is not valid. */
  needed: Set<string>;
};

/** `document`: the service does not interpolate this place, such as the name of an image. */
type Place = 'value' | 'document' | 'left';

const documentMaps = new Set(['registryLogin', 'source']);
const documentKeys = new Set(['image', 'url', 'name', ...documentMaps]);
const leftKeys = new Set(['files']);
/** Deepest default within a default. */
const maxDepth = 20;

export function fillValues(root: Tree, variables: Variables): Filled {
  const { lookup, whys } = variables;
  const missing = new Map<string, number[]>();
  const needed = new Set<string>();
  const defined = definedBy(root, lookup);

  const fill = (text: string, at: number, place: Place, depth: number): string => {
    const parts = readParameters(text);
    if (!parts || depth > maxDepth) return text;
    const literal = (value: string) => (place === 'document' ? value : escapeParameters(value));
    return parts
      .map((part) => {
        if (part.kind === 'text') return literal(part.text);
        const { name, operator, word, whole } = part;
        if (place === 'value' && defined.has(name)) return whole;
        const value = lookup(name);
        const isSet = operator?.startsWith(':') ? Boolean(value) : value !== undefined;
        if (operator?.endsWith('+')) return isSet ? fill(word, at, place, depth + 1) : '';
        if (isSet) return literal(value!);
        if (operator?.endsWith('-')) return fill(word, at, place, depth + 1);
        if (operator !== undefined && !whys.has(name)) whys.set(name, word);
        missing.set(name, [...(missing.get(name) ?? []), at]);
        if (place === 'document') needed.add(name);
        return whole;
      })
      .join('');
  };

  const walk = (tree: Tree, place: Place): Tree => {
    if (place === 'left') return tree;
    if (tree.kind === 'scalar') {
      if (typeof tree.value !== 'string') return tree;
      const text = fill(tree.text, tree.at, place, 0);
      return text === tree.text ? tree : { ...tree, value: text, text };
    }
    if (tree.kind === 'list') {
      const items = tree.items.map((item) => walk(item, place));
      return items.every((item, index) => item === tree.items[index]) ? tree : { ...tree, items };
    }
    const isShell = isInShell({ tree, path: [] });
    const entries = [...tree.entries].map(([name, entry]): [string, Entry] => {
      const value = walk(entry.value, placeOf(name, entry.value, place, isShell));
      return [name, value === entry.value ? entry : { ...entry, value }];
    });
    return entries.every(([name, entry]) => entry === tree.entries.get(name))
      ? tree
      : { ...tree, entries: new Map(entries) };
  };

  const top = { tree: root, path: [] };
  const application = childOf(top, 'application');
  if (application?.tree.kind !== 'map') return { tree: root, missing, needed };
  return { tree: walk(root, 'value'), missing, needed };
}

function placeOf(key: string, value: Tree, around: Place, isShell: boolean): Place {
  if (around !== 'value') return around;
  if (leftKeys.has(key) || key.startsWith('x-')) return 'left';
  if (documentKeys.has(key) && (value.kind === 'scalar' || documentMaps.has(key))) return 'document';
  // A secret of several lines is a file with a syntax of its own.
  if (key === 'data' && value.kind === 'scalar' && value.text.includes('\n')) return 'left';
  return isShell && (key === 'command' || key === 'entrypoint') ? 'left' : 'value';
}

/** Returns whether a shell reads the `command` of a map. The shell's variables are then its own. */
function isInShell(field: Field): boolean {
  const words = (key: string): string[] | undefined => {
    const child = childOf(field, key);
    if (!child) return undefined;
    const text = textOf(child);
    return text === undefined ? itemsOf(child).flatMap((item) => textOf(item) ?? []) : text.split(/\s+/);
  };
  return runsInShell(words('entrypoint'), words('command'));
}

/** Variables that a pod defines: `TOKEN: ${TOKEN}` needs a value, and `MODE: ${MODE:-dev}` uses an existing one. */
function definedBy(root: Tree, lookup: Lookup): Set<string> {
  const application = childOf({ tree: root, path: [] }, 'application');
  const pairs = itemsOf(childOf(application, 'pods')).flatMap((pod): [string, string | undefined][] => {
    const vars = childOf(pod, 'vars');
    if (vars?.tree.kind === 'map') return entriesOf(vars).map(([name, value]) => [name, textOf(value)]);
    return itemsOf(vars).map((item) => [textOf(childOf(item, 'key')) ?? '', textOf(childOf(item, 'value'))]);
  });
  const isDefined = (name: string, value: string) => {
    const itself = readParameters(value)?.find((part) => part.kind === 'parameter' && part.name === name);
    if (itself?.kind !== 'parameter') return true;
    return lookup(name) === undefined && /[-+]$/.test(itself.operator ?? '');
  };
  return new Set(pairs.flatMap(([name, value]) => (value !== undefined && isDefined(name, value) ? [name] : [])));
}
