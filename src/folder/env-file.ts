/**
 * Files with variables, `.env` and those of `env_file`, as Compose reads them: quotes, `export`, comments, values of several
 * lines, and variables inside of values. Pure.
 */
import { interpolate, type Lookup } from '../config/compose/interpolate.ts';

export type EnvFile = {
  /** In the order of the file. A name without `=` has no value. */
  values: { name: string; value: string | undefined; at: number }[];
  problems: { at: number; message: string }[];
  /** Variables used in values, without a value of their own. They became empty. */
  unset: { at: number; name: string }[];
};

/** The maximum number of variables in a file. A pod has at most 1000. */
const maxNames = 5000;

const name = /^(?:export[ \t]+)?([A-Za-z_0-9.[\]-]+)[ \t]*/;

/** `lookup`: other variables, which take precedence in `${…}` over those of the file. */
export function readEnvFile(text: string, lookup: Lookup): EnvFile {
  const values: EnvFile['values'] = [];
  const problems: EnvFile['problems'] = [];
  const unset: EnvFile['unset'] = [];
  const known = new Map<string, string>();
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  while (at < text.length && values.length < maxNames) {
    const space = /\s*/y;
    space.lastIndex = at;
    at += space.exec(text)![0].length;
    if (at >= text.length) break;
    const line = lineAt(text, at);
    if (line.startsWith('#')) {
      at += line.length + 1;
      continue;
    }
    const begin = name.exec(line);
    const sign = begin && line[begin[0].length];
    if (!begin || (sign !== undefined && sign !== '=' && sign !== ':' && sign !== '#')) {
      problems.push({ at, message: 'the line is not NAME=value' });
      at += line.length + 1;
      continue;
    }
    const variable = begin[1]!;
    if (sign !== '=' && sign !== ':') {
      values.push({ name: variable, value: undefined, at });
      at += line.length + 1;
      continue;
    }
    const from = at + begin[0].length + 1;
    const { value, next, problem, unset: names = [] } = readValue(text, from, (one) => lookup(one) ?? known.get(one));
    for (const one of names) unset.push({ at, name: one });
    if (problem) problems.push({ at, message: problem });
    known.set(variable, value);
    values.push({ name: variable, value, at });
    at = next;
  }
  return { values, problems, unset };
}

/** `format: raw` of `env_file`: the text after `=` is the value. */
export function readRawEnvFile(text: string): EnvFile {
  const values: EnvFile['values'] = [];
  const problems: EnvFile['problems'] = [];
  let at = 0;
  for (const line of text.split('\n').slice(0, maxNames)) {
    const content = line.replace(/\r$/, '');
    const equals = content.indexOf('=');
    if (content.trim() !== '' && !content.trimStart().startsWith('#')) {
      const variable = (equals === -1 ? content : content.slice(0, equals)).trim();
      values.push({ name: variable, value: equals === -1 ? undefined : content.slice(equals + 1), at });
    }
    at += line.length + 1;
  }
  return { values, problems, unset: [] };
}

type Value = { value: string; next: number; problem?: string; unset?: string[] };

function readValue(text: string, from: number, lookup: Lookup): Value {
  const space = /[ \t]*/y;
  space.lastIndex = from;
  const begin = from + space.exec(text)![0].length;
  const quote = text[begin];
  if (quote === '"' || quote === "'") return readQuoted(text, begin, quote, lookup);
  const line = lineAt(text, begin);
  // A comment needs a space before it. Directly after the equals sign, `#` begins a comment that is the whole value.
  const comment = line.startsWith('#') && begin > from ? 0 : line.indexOf(' #');
  const written = (comment === -1 ? line : line.slice(0, comment)).trimEnd();
  return { ...expanded(written, lookup), next: begin + line.length + 1 };
}

function readQuoted(text: string, begin: number, quote: string, lookup: Lookup): Value {
  let value = '';
  for (let at = begin + 1; at < text.length; at++) {
    const character = text[at]!;
    if (character === quote) {
      const next = at + 1 + lineAt(text, at + 1).length + 1;
      return quote === "'" ? { value, next } : { ...expanded(withEscapes(value), lookup), next };
    }
    if (character === '\\' && at + 1 < text.length) {
      at += 1;
      value += text[at] === quote ? quote : `\\${text[at]}`;
    } else value += character;
  }
  const line = lineAt(text, begin);
  return { value: line, next: begin + line.length + 1, problem: `the quote ${quote} that begins here is never closed` };
}

function expanded(written: string, lookup: Lookup): Omit<Value, 'next'> {
  if (!written.includes('$')) return { value: written };
  const { text, problems } = interpolate(written, { find: lookup, stand: lookup });
  const malformed = problems.find(({ kind }) => kind === 'malformed');
  // Compose refuses the file; what cannot be a variable is most often a password with a dollar sign.
  return malformed
    ? { value: written, problem: 'a "${" cannot be read as a variable; write $$ for a dollar sign' }
    : { value: text, unset: problems.flatMap((problem) => (problem.kind === 'unset' ? [problem.name] : [])) };
}

const escapes: Record<string, string> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '"': '"',
  '\\': '\\',
};

/** Go's escapes between double quotes. `\$` is a dollar sign. */
function withEscapes(value: string): string {
  return value.replace(/\\([abfnrtv"\\$]|0[0-7]{1,3})/g, (_, code: string) => {
    if (code === '$') return '$$';
    return escapes[code] ?? String.fromCharCode(Number.parseInt(code, 8) & 0xff);
  });
}

function lineAt(text: string, at: number): string {
  const end = text.indexOf('\n', at);
  return text.slice(at, end === -1 ? text.length : end).replace(/\r$/, '');
}
