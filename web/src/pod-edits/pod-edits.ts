/**
 * Edits of one pod in the text of a configuration, native or Compose. Everything else, including comments, is
 * preserved. Pure.
 */
import type { Path, TextEdit } from '../../../src/config/diagnostics/diagnostics.ts';
import { addField, removeField, replaceValue, replaceWithYaml } from '../../../src/config/document/edits.ts';
import { readSource, type Source } from '../../../src/config/document/source.ts';
import { removeLines, writeScalar } from '../../../src/config/document/text-edits.ts';
import {
  childOf,
  entriesOf,
  type Field,
  isShared,
  itemsOf,
  nearest,
  textOf,
} from '../../../src/config/document/tree.ts';

export type Variable = { name: string; value: string };
export type PodVariables = { pod: string; variables: Variable[] };

/** The text after an edit, and the line that it is about, from 1. */
export type Edited = { text: string; line: number };

/** Returns the variables of each pod, in the order of the document. Undefined while the text is not valid YAML. */
export function variablesIn(text: string): PodVariables[] | undefined {
  const { source } = readSource(text);
  if (!source) return undefined;
  return podsOf(source).map(({ name, field, form }) => ({
    pod: name,
    variables: entriesIn(childOf(field, variablesKey[form])).map(({ name, value }) => ({ name, value })),
  }));
}

/** Changes a variable or adds it; undefined where the text is written in a way that only a person can edit. */
export function setVariable(text: string, pod: string, { name, value }: Variable): Edited | undefined {
  return edit(text, pod, (source, { field, form }) => {
    const key = variablesKey[form];
    const variables = childOf(field, key);
    const known = entriesIn(variables).find((entry) => entry.name === name);
    if (isShared(source.root, (known ?? variables ?? field).path)) return undefined;
    if (known) return replaceValue(source, known.path, known.isWhole ? `${name}=${value}` : value);
    const pair = `${writeScalar(name)}: ${writeScalar(value)}`;
    if (!variables) return addBehindAny(source, field, `${key}: { ${pair} }`);
    if (variables.tree.kind === 'list') return addItem(source, variables, { name, value });
    if (entriesOf(variables).length === 0)
      return replaceWithYaml(source, variables.path, `{ ${pair} }`) ?? fill(variables, pair);
    return addBehindAny(source, variables, pair);
  });
}

/** Sets a variable to a literal value. Escapes `$` in a Compose file, where it would refer to a variable. */
export function setLiteral(text: string, pod: string, { name, value }: Variable): Edited | undefined {
  const found = podIn(text, pod);
  return setVariable(text, pod, { name, value: found?.form === 'compose' ? value.replaceAll('$', () => '$$') : value });
}

/** Adds a variable without a value; the text stays as it is where the pod has the variable. */
export function withVariable(text: string, pod: string, name: string): Edited | undefined {
  const line = lineOfVariable(text, pod, name);
  return line === undefined ? setVariable(text, pod, { name, value: '' }) : { text, line };
}

/** The line of a pod's variable, from 1; undefined if the pod does not have it. */
export function lineOfVariable(text: string, pod: string, name: string): number | undefined {
  const found = podIn(text, pod);
  const known = found && variableOf(found, name);
  return known && found.source.place(known.path).line;
}

export function removeVariable(text: string, pod: string, name: string): Edited | undefined {
  return edit(text, pod, (source, { field, form }) => {
    const variables = childOf(field, variablesKey[form]);
    const known = entriesIn(variables).find((entry) => entry.name === name);
    if (!variables || !known || isShared(source.root, known.path)) return undefined;
    const all = entriesIn(variables).length;
    if (all === 1) return removeField(source, variables.path);
    if (variables.tree.kind === 'map')
      return removeField(source, known.path) ?? removeFromFlow(source, variables, name);
    const index = itemsOf(variables).findIndex(({ path }) => path.every((part, at) => part === known.path[at]));
    const item = itemsOf(variables)[index];
    if (!item) return undefined;
    const dash = /-[ \t]*$/.exec(source.text.slice(0, item.tree.at))?.[0].length ?? 0;
    return removeLines(source.text, { at: item.tree.at - dash, to: item.tree.to });
  });
}

/** Makes the pod be reached at the port that it listens on. */
export function withPort(
  text: string,
  pod: string,
  { listensOn, declared }: { listensOn: number; declared: number },
): Edited | undefined {
  return edit(text, pod, (source, { field, form }) => {
    for (const key of portKeys[form]) {
      for (const item of itemsOf(childOf(field, key))) {
        if (isShared(source.root, item.path)) continue;
        const written = textOf(item);
        if (written === `${declared}`) return replaceWithYaml(source, item.path, `${listensOn}`);
        if (form === 'compose' && written?.endsWith(`:${declared}`))
          return replaceValue(source, item.path, `${written.slice(0, -`${declared}`.length)}${listensOn}`);
      }
    }
    return form === 'native' && !childOf(field, 'servicePorts')
      ? addBehindAny(source, field, `servicePorts: [${listensOn}]`)
      : undefined;
  });
}

/** Returns the line of a pod, from 1. Undefined if it is not found. */
export function lineOf(text: string, pod: string): number | undefined {
  const found = podIn(text, pod);
  return found?.source.at(found.field.key?.at ?? found.field.tree.at).line;
}

const variablesKey = { native: 'vars', compose: 'environment' } as const;
const portKeys = { native: ['servicePorts'], compose: ['expose', 'ports'] } as const;

type Pod = { name: string; field: Field; form: 'native' | 'compose' };

function podsOf({ root }: Source): Pod[] {
  const whole: Field = { tree: root, path: [] };
  const services = childOf(whole, 'services');
  if (services) return entriesOf(services).map(([name, field]) => ({ name, field, form: 'compose' }));
  const pods = childOf(childOf(whole, 'application'), 'pods');
  return itemsOf(pods).flatMap((field) => {
    const name = textOf(childOf(field, 'name'));
    return name === undefined ? [] : [{ name, field, form: 'native' as const }];
  });
}

function podIn(text: string, pod: string): (Pod & { source: Source }) | undefined {
  const { source } = readSource(text);
  const found = source && podsOf(source).find(({ name }) => name === pod);
  return found && { ...found, source };
}

function variableOf({ field, form }: Pod, name: string): Entry | undefined {
  return entriesIn(childOf(field, variablesKey[form])).find((entry) => entry.name === name);
}

/** `isWhole`: the value at the path is `NAME=value`. */
type Entry = Variable & { path: Path; isWhole: boolean };

/** Entries with single values, of a map or of a list. */
function entriesIn(field: Field | undefined): Entry[] {
  if (!field) return [];
  if (field.tree.kind === 'map') {
    return entriesOf(field).flatMap(([name, value]) =>
      value.tree.kind === 'scalar' ? [{ name, value: value.tree.text, path: value.path, isWhole: false }] : [],
    );
  }
  return itemsOf(field).flatMap((item): Entry[] => {
    if (item.tree.kind === 'scalar') {
      const [name = '', ...rest] = item.tree.text.split('=');
      return name === '' ? [] : [{ name, value: rest.join('='), path: item.path, isWhole: true }];
    }
    const name = textOf(childOf(item, 'key')) ?? textOf(childOf(item, 'name'));
    const value = childOf(item, 'value');
    return name !== undefined && value ? [{ name, value: textOf(value) ?? '', path: value.path, isWhole: false }] : [];
  });
}

function edit(
  text: string,
  pod: string,
  change: (source: Source, pod: Pod) => TextEdit | undefined,
): Edited | undefined {
  const found = podIn(text, pod);
  const made = found && change(found.source, found);
  if (!made) return undefined;
  const changed = text.slice(0, made.from) + made.text + text.slice(made.to);
  // The removed part may have contained an anchor.
  if (!readSource(changed).source) return undefined;
  const start = made.from + (made.text.length - made.text.trimStart().length);
  return { text: changed, line: changed.slice(0, Math.min(start, changed.length)).split('\n').length };
}

/** Adds the field after the last one that ends its line. */
function addBehindAny(source: Source, map: Field, yaml: string): TextEdit | undefined {
  if (isShared(source.root, map.path)) return undefined;
  for (const [key, { path }] of entriesOf(map).toReversed()) {
    if (isShared(source.root, path)) continue;
    const added = addField(source, map.path, key, yaml);
    if (added) return added;
  }
  return undefined;
}

/** Fills an empty `vars:`. */
function fill({ tree }: Field, pair: string): TextEdit {
  return { from: tree.at, to: tree.at, text: ` { ${pair} }` };
}

function addItem({ text, root }: Source, list: Field, { name, value }: Variable): TextEdit | undefined {
  const items = itemsOf(list);
  const last = items.at(-1)?.tree;
  if (!last || items.some(({ path }) => isShared(root, path))) return undefined;
  const isMap = last.kind === 'map';
  const item = isMap ? `{ key: ${writeScalar(name)}, value: ${writeScalar(value)} }` : writeScalar(`${name}=${value}`);
  if (text[list.tree.at] === '[') return { from: last.to, to: last.to, text: `, ${item}` };
  const first = items[0]!.tree;
  const lineStart = text.lastIndexOf('\n', first.at - 1) + 1;
  const indent = /^[ \t]*/.exec(text.slice(lineStart))![0];
  const end = text[last.to - 1] === '\n' ? last.to - 1 : last.to;
  const lineBreak = text.indexOf('\n', end);
  const at = lineBreak === -1 ? text.length : lineBreak;
  return { from: at, to: at, text: `\n${indent}- ${item}` };
}

/** `{ A: 1, B: 2 }`, with the adjacent comma. */
function removeFromFlow({ text, root }: Source, map: Field, name: string): TextEdit | undefined {
  const field = nearest(root, [...map.path, name]).field;
  if (text[map.tree.at] !== '{' || !field.key) return undefined;
  const before = /,\s*$/.exec(text.slice(map.tree.at, field.key.at))?.[0].length ?? 0;
  const behind = before > 0 ? 0 : (/^\s*,\s*/.exec(text.slice(field.tree.to))?.[0].length ?? 0);
  return { from: field.key.at - before, to: field.tree.to + behind, text: '' };
}
