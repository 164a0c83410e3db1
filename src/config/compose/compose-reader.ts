/** The reader of every part of the mapping: texts with their variables replaced, and reports with their place. */
import { type Diagnostic, listOf, printPath, quote, type TextEdit } from '../diagnostics/diagnostics.ts';
import { entriesOf, type Field, isEmpty, itemsOf } from '../document/tree.ts';
import { secretScriptlet } from '../variables/scriptlets.ts';
import { isSecretName } from '../variables/secret-names.ts';

import type { ComposeCode } from './compose-codes.ts';
import { interpolate, type Lookup } from './interpolate.ts';
import {
  generatedMessage,
  isDollarSign,
  missingKeyMessage,
  missingPasswordMessage,
  type UnsetForm,
  unsetMessage,
  whereToSet,
} from './unset-variables.ts';

export type Reading = {
  error(at: Field, code: ComposeCode, message: string, hint?: string): void;
  warn(at: Field, code: ComposeCode, message: string, hint?: string, fix?: TextEdit): void;
  /** Reports once for all places with the same `about`: `labels` of ten services are one warning. */
  warnOnce(at: Field, code: ComposeCode, about: string, message: string, hint?: string): void;
  errorOnce(at: Field, code: ComposeCode, message: string, hint?: string): void;
  /** Reports one warning or note for all subjects of a code, per service or document, at the first subject. */
  gather(at: Field, code: ComposeCode, scope: 'service' | 'document', subject: string, say: Say, detail?: string): void;
  /** Returns the text of a scalar with its variables replaced. Reports other values and returns undefined. */
  text(field: Field): string | undefined;
  /** A part of a scalar's text that has no meaning here: its variables are replaced, and may have no value. */
  aside(part: string): string;
  /** Returns whether the `text` of this field had a variable without a value. */
  isIncomplete(field: Field): boolean;
  /** Reports that a field cannot be read because its variables have no value; false if they all have one. */
  needsValue(field: Field, what: string): boolean;
  /** The value of a variable that is named without a dollar sign, such as `environment: [TOKEN]`. */
  variable(at: Field, name: string): string | undefined;
  hasErrorAt(path: string): boolean;
  /** Returns whether an entry of the list at the path has a variable without a value. */
  hasErrorBelow(path: string): boolean;
  /** Returns whether a finding with this code was collected at the position. Its warning may be at another position. */
  hasGathered(code: string, at: { line: number; column: number }): boolean;
  diagnostics(): Diagnostic[];
};

type Gathered = { subjects: Map<string, { at: Field; detail: string }>; say: Say; diagnostic: Diagnostic };
/** `details`: the details that were reported with each subject, in the same order. */
type Say = (subjects: readonly string[], details: readonly string[]) => { message: string; hint?: string };

/** Maximum total length of expanded variables, in characters: a few short ones can otherwise expand to gigabytes. */
const maxExpansion = 4 * 1024 * 1024;

/** Information that requires no action. */
const notes: ReadonlySet<ComposeCode> = new Set(['generated-value']);

export type Place = (offset: number) => { line: number; column: number };

/**
 * `canBeMadeUp`: whether a missing variable can get a random value. `lackedBy`: the service whose image does not start
 * without the variable, if the document does not define it.
 */
export function openReading(
  place: Place,
  lookup: Lookup,
  canBeMadeUp: (name: string) => boolean,
  lackedBy: (name: string) => string | undefined = () => undefined,
): Reading {
  const found: Diagnostic[] = [];
  const seen = new Set<string>();
  const incomplete = new Map<unknown, string[]>();

  const gathered = new Map<string, Gathered>();

  let expansion = 0;

  const spend = (field: Field, text: string): string => {
    expansion += text.length;
    if (expansion <= maxExpansion) return text;
    reading.errorOnce(
      field,
      'expands-too-far',
      'the document expands to more than 4 MiB',
      'use fewer aliases and variables',
    );
    return '';
  };

  const add = (
    severity: Diagnostic['severity'],
    at: Field,
    code: ComposeCode,
    message: string,
    hint?: string,
    fix?: TextEdit,
  ) => {
    const offset = offsetOf(at);
    // An alias repeats a text in several places. It is reported once.
    if (seen.has(`${code} ${offset} ${message}`)) return;
    seen.add(`${code} ${offset} ${message}`);
    const where = { path: printPath(at.path), ...place(offset) };
    found.push({ severity, code, ...where, message, ...(hint !== undefined && { hint }), ...(fix && { fix }) });
  };

  const once = (about: string, report: () => void) => {
    if (seen.has(about)) return;
    seen.add(about);
    report();
  };

  /** A password that a service defines is better random than empty. */
  const lookupOrGenerate = (at: Field, name: string): string | undefined => {
    const value = lookup(name);
    if (value !== undefined || !canBeMadeUp(name)) return value;
    reading.gather(at, 'generated-value', 'document', name, generatedMessage);
    return secretScriptlet(name);
  };

  const reportUnset = (at: Field, name: string, form: UnsetForm) =>
    once(`unset ${name} ${form}`, () => {
      const service = lackedBy(name);
      if (isDollarSign(name, form === 'bare')) {
        reading.gather(at, 'unset-variable', 'service', name, unsetMessage, form);
      } else if (service !== undefined) {
        const { message, hint } = missingPasswordMessage(name, service);
        reading.warn(at, 'missing-key', message, hint);
      } else if (isSecretName(name)) reading.gather(at, 'missing-key', 'document', name, missingKeyMessage, form);
      else reading.gather(at, 'unset-variable', 'service', name, unsetMessage, form);
    });

  const reading: Reading = {
    error: (at, code, message, hint) => add('error', at, code, message, hint),
    warn: (at, code, message, hint, fix) => add('warning', at, code, message, hint, fix),
    errorOnce(at, code, message, hint) {
      once(`once ${code}`, () => add('error', at, code, message, hint));
    },
    gather(at, code, scope, subject, say, detail = '') {
      // An alias repeats a text in several services.
      const id = `gathered ${code} ${offsetOf(at)} ${subject}`;
      if (seen.has(id)) return;
      seen.add(id);
      const key = `${code}\u0000${scope === 'service' ? at.path.slice(0, 2).join('\u0000') : ''}`;
      const group = gathered.get(key);
      if (group) {
        if (!group.subjects.has(subject)) group.subjects.set(subject, { at, detail });
        return;
      }
      const severity = notes.has(code) ? 'note' : 'warning';
      const diagnostic: Diagnostic = { severity, code, path: '', line: 1, column: 1, message: '' };
      gathered.set(key, { subjects: new Map([[subject, { at, detail }]]), say, diagnostic });
      found.push(diagnostic);
    },
    warnOnce(at, code, about, message, hint) {
      once(`once ${code} ${about}`, () => add('warning', at, code, message, hint));
    },
    text(field) {
      const { tree } = field;
      if (tree.kind !== 'scalar') {
        add('error', field, 'not-a-scalar', 'must be a single value', 'write a text, a number or true/false');
        return undefined;
      }
      if (typeof tree.value !== 'string' || !tree.text.includes('$')) return spend(field, tree.text);
      if (expansion > maxExpansion) return '';
      const { text, problems } = interpolate(tree.text, {
        find: lookup,
        stand: (name, isBare) => (isDollarSign(name, isBare) ? lookup(name) : lookupOrGenerate(field, name)),
      });
      for (const problem of problems) {
        incomplete.set(tree, 'name' in problem ? [...(incomplete.get(tree) ?? []), problem.name] : []);
        if (problem.kind === 'unset') reportUnset(field, problem.name, problem.isBare ? 'bare' : 'braces');
        else if (problem.kind === 'malformed') {
          const hint = `write \${NAME} or \${NAME:-default}, and $$ for a dollar sign itself`;
          add('error', field, 'bad-interpolation', `"${problem.text}" cannot be read as a variable`, hint);
        } else {
          const why = problem.why ? `: ${problem.why}` : '';
          const message = `the variable ${problem.name} needs a value${why}`;
          add('error', field, 'required-variable', message, whereToSet([problem.name]));
        }
      }
      return spend(field, text);
    },
    aside(part) {
      if (!part.includes('$') || expansion > maxExpansion) return part;
      const { text } = interpolate(part, { find: lookup, stand: lookup });
      expansion += text.length;
      return text;
    },
    isIncomplete: ({ tree }) => incomplete.has(tree),
    needsValue(field, what) {
      const names = [...new Set(incomplete.get(field.tree))];
      if (names.length === 0) return false;
      const isOne = names.length === 1;
      const message = `the variable${isOne ? '' : 's'} ${listOf(names)} ${isOne ? 'has' : 'have'} no value, and ${what} is needed here`;
      add('error', field, 'required-variable', message, `${whereToSet(names)}, or \${${names[0]}:-default}`);
      return true;
    },
    variable(at, name) {
      const value = lookupOrGenerate(at, name);
      if (value === undefined) reportUnset(at, name, 'absent');
      return value;
    },
    hasGathered: (code, { line, column }) =>
      [...gathered.values()].some(({ diagnostic, subjects }) => {
        if (diagnostic.code !== code) return false;
        const places = [...subjects.values()].map(({ at }) => place(offsetOf(at)));
        return places.some((found) => found.line === line && found.column === column);
      }),
    hasErrorBelow: (path) => found.some(({ severity, path: at }) => severity === 'error' && at.startsWith(`${path}[`)),
    hasErrorAt: (path) => found.some((diagnostic) => diagnostic.severity === 'error' && diagnostic.path === path),
    diagnostics() {
      for (const { subjects, say, diagnostic } of gathered.values()) {
        const inOrder = [...subjects].sort(([, a], [, b]) => offsetOf(a.at) - offsetOf(b.at));
        const first = inOrder[0]![1].at;
        const where = { path: printPath(first.path), ...place(offsetOf(first)) };
        const words = say(
          inOrder.map(([subject]) => subject),
          inOrder.map(([, { detail }]) => detail),
        );
        Object.assign(diagnostic, where, words);
      }
      return found;
    },
  };
  return reading;
}

/** A collection begins on the line below its key. The user looks at the key. */
function offsetOf({ tree, key }: Field): number {
  return key && (tree.kind !== 'scalar' || tree.value === null) ? key.at : tree.at;
}

/** The field as its key, so that reports about it are at the key. */
export function keyOf(field: Field): Field {
  return field.key ? { ...field, tree: { ...field.tree, at: field.key.at } } : field;
}

/** `true` and `false` in the spellings that Compose accepts. */
export function isTrue(reading: Reading, field: Field | undefined): boolean {
  return field !== undefined && !isEmpty(field) && /^(?:true|yes|on|y|1|t)$/i.test(reading.text(field) ?? '');
}

/**
 * Returns both readings of an item such as `data : /data`, which YAML parses as a map with one key: with and without
 * the space.
 */
export function spacedPair(field: Field): { written: string; together: string } | undefined {
  const entries = entriesOf(field);
  const [name, value] = entries[0] ?? [];
  if (entries.length !== 1 || name === undefined || value?.tree.kind !== 'scalar') return undefined;
  const { text } = value.tree;
  return /^[/\d]/.test(text) ? { written: `${name}: ${text}`, together: `${name}:${text}` } : undefined;
}

export type Pair = { name: string; value: string | undefined; field: Field };

/** A map `NAME: value` or a list of `NAME=value`; without a value it is undefined. */
export function pairsOf(reading: Reading, field: Field | undefined): Pair[] {
  if (!field) return [];
  if (field.tree.kind === 'map') {
    return entriesOf(field).map(([name, entry]) => ({
      name,
      value: isEmpty(entry) ? undefined : reading.text(entry),
      field: entry,
    }));
  }
  return itemsOf(field).flatMap((entry) => {
    // A map inside the list (`- NAME: value`) is not valid in Compose, but its meaning is clear.
    if (entry.tree.kind === 'map') return pairsOf(reading, entry);
    const text = reading.text(entry);
    if (text === undefined) return [];
    const equals = text.indexOf('=');
    const [name, value] = equals === -1 ? [text, undefined] : [text.slice(0, equals), text.slice(equals + 1)];
    return [{ name: name.trim(), value, field: entry }];
  });
}

/** Returns an integer of at least `least`. Reports other values. */
export function integerOf(reading: Reading, field: Field | undefined, least: number): number | undefined {
  if (!field || isEmpty(field)) return undefined;
  const text = reading.text(field);
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text.trim()) && Number(text) >= least) return Number(text);
  if (reading.needsValue(field, 'a whole number')) return undefined;
  reading.error(field, 'not-a-number', `${quote(text)} must be a whole number from ${least}`);
  return undefined;
}
