/** Environment variables in every form that people write them: a map, or lists of several kinds. Pure. */
import { type Path, quote, type TextEdit } from '../diagnostics/diagnostics.ts';
import type { Report } from '../diagnostics/report.ts';
import type { Source } from '../document/source.ts';
import { writeScalar } from '../document/text-edits.ts';
import { entriesOf, entryOf, type Field, isEmpty, itemsOf, type Span, textOf } from '../document/tree.ts';

/** Longest value: Linux refuses to start a program with a longer one (MAX_ARG_STRLEN). */
export const maxVarLength = 128 * 1024 - 1;
/** Most variables of a pod. The largest of some 280 real documents has 57. */
const maxVars = 1000;

export type Var = { name: string; value: string; path: Path };

/** Scalars keep their written text. If a name repeats, the last value counts. */
export function readVars(field: Field | undefined, source: Source, report: Report): Var[] {
  if (!field || isEmpty(field)) return [];
  const found = new Map<string, Var>();
  const { tree, path } = field;
  if (tree.kind === 'scalar') {
    const hint = 'write one variable a line: "NAME: value"';
    report.error(path, 'wrong-type', 'must be a map of names to single values', { hint });
    return [];
  }
  const count = tree.kind === 'map' ? tree.entries.size : tree.items.length;
  if (count > maxVars) {
    report.error(path, 'bad-value', `holds ${count} variables, and at most ${maxVars} are possible`);
    return [];
  }
  if (tree.kind === 'map') {
    for (const [name, value] of entriesOf(field)) add(found, name, value, value.path, report);
  } else {
    const entries = itemsOf(field);
    for (const entry of entries) readEntry(entry, found, report);
    if (!entries.every(isDocumented) && !report.isBroken(path)) {
      const hint = 'write a map: "NAME: value"';
      const fix = mapInstead(source, tree, [...found.values()]);
      report.warn(path, 'vars-list', 'is a list, which is read like a map', { hint, fix });
    }
  }
  return [...found.values()];
}

/** Returns whether the entry is `{ key, value }`, or a map with one key: the forms that the schema allows. */
function isDocumented({ tree }: Field): boolean {
  if (tree.kind !== 'map') return false;
  const keys = [...tree.entries.keys()];
  return keys.length === 1 || (tree.entries.has('key') && keys.every((key) => key === 'key' || key === 'value'));
}

/** Rewrites the list as a map. Undefined if comments would be lost, or if a bracketed list spans several lines. */
function mapInstead(source: Source, { at, to }: Span, vars: readonly Var[]): TextEdit | undefined {
  const written = source.text.slice(at, to);
  if (written.includes('#')) return undefined;
  const lines = vars.map(({ name, value }) => `${writeScalar(name)}: ${writeScalar(value)}`);
  if (written.startsWith('[')) {
    return written.includes('\n') ? undefined : { from: at, to, text: `{ ${lines.join(', ')} }` };
  }
  const lineStart = source.text.lastIndexOf('\n', at - 1) + 1;
  const indent = source.text.slice(lineStart, at);
  if (!written.startsWith('-') || indent.trim() !== '') return undefined;
  // A list may have the same indentation as its key. A map may not.
  const text = lines.map((line) => `${indent}  ${line}`).join('\n');
  return { from: lineStart, to: at + written.trimEnd().length, text };
}

/** `{ key, value }`, `{ name, value }` as Kubernetes has it, a map of one or more, or `NAME=value`. */
function readEntry(entry: Field, found: Map<string, Var>, report: Report): void {
  const text = textOf(entry);
  if (text !== undefined) {
    const [, name, value] = /^([^=]+)=([\s\S]*)$/.exec(text) ?? [];
    if (name !== undefined) {
      addText(found, name.trim(), value ?? '', entry.path, report);
      return;
    }
  }
  if (entry.tree.kind !== 'map') {
    const hint = 'write "key: NAME" and "value: …"';
    report.error(entry.path, 'wrong-type', 'must be a variable', { hint });
    return;
  }
  const label = entryOf(entry, 'key') ?? entryOf(entry, 'name');
  const value = entryOf(entry, 'value');
  const keys = [...entry.tree.entries.keys()];
  const isPair = label && textOf(label) !== undefined && (value || keys.length === 1);
  if (!isPair || !keys.every((key) => ['key', 'name', 'value', 'valueFrom'].includes(key))) {
    if (label && entryOf(entry, 'valueFrom')) {
      const hint = 'write the value, or a file below "secrets"';
      report.error(entry.path, 'bad-value', 'refers to a secret outside of the document', { hint });
      return;
    }
    for (const [name, own] of entriesOf(entry)) add(found, name, own, own.path, report);
    return;
  }
  // `- name: x` alone is a variable with the name `name`. `- key: x` is a variable without a value.
  if (!value && keys[0] === 'name') {
    add(found, 'name', label, label.path, report);
    return;
  }
  if (value) add(found, textOf(label)!, value, value.path, report);
  else addText(found, textOf(label)!, '', entry.path, report);
}

function add(found: Map<string, Var>, name: string, value: Field, path: Path, report: Report): void {
  if (value.tree.kind !== 'scalar') {
    const kind = value.tree.kind === 'map' ? 'a map' : 'a list';
    const example = value.tree.kind === 'map' ? '{"a": 1}' : 'a,b';
    const hint = `write one text, in quotes where it is JSON: ${name}: '${example}'`;
    report.error(path, 'nested-var', `must be a single value and is ${kind}`, { hint });
    return;
  }
  addText(found, name, value.tree.text, path, report);
}

function addText(found: Map<string, Var>, name: string, value: string, path: Path, report: Report): void {
  if (name === '' || /[=\0]/.test(name)) {
    report.error(path, 'bad-var-name', `${quote(name)} cannot be the name of a variable`);
    return;
  }
  if (value.includes('\0')) {
    report.error(path, 'bad-var-value', 'holds a NUL character, which no variable can');
    return;
  }
  if (value.length > maxVarLength) {
    const hint = 'write it as a file, below "files"';
    report.error(path, 'bad-var-value', 'is longer than 128 KiB, which no program accepts', { hint });
    return;
  }
  if (/\s/.test(name)) {
    report.warn(path, 'bad-var-name', `the name ${quote(name)} holds a space, and few programs can read it`);
  }
  if (found.has(name)) {
    report.warn(path, 'duplicate-var', `the variable ${quote(name)} is there twice; this one counts`);
  }
  found.set(name, { name, value, path });
}
