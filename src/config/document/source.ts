/** The text of a document with the place of every node: YAML in, a tree and a locator out. */
import { isNode, isScalar, Lexer, LineCounter, type ParsedNode, parseDocument, visit } from 'yaml';
import type { Diagnostic, Path, TextEdit } from '../diagnostics/diagnostics.ts';
import { replaceValue } from './edits.ts';
import { explainSyntax } from './syntax.ts';
import { removeLines } from './text-edits.ts';
import {
  BinaryValue,
  nearest,
  TooDeep,
  TooManyAliases,
  type Tree,
  textOf,
  toTree,
  toValue,
  UnknownAlias,
} from './tree.ts';

/** Largest document in bytes (design, section 3). */
export const maxDocumentBytes = 256 * 1024;

/** Longest document that is read a second time, to see whether a fix helps. */
const maxTriedLength = 64 * 1024;
/** A fix of one line shifts the following text by a few characters. The fixed problem must not be found there again. */
const maxShift = 8;

export type Place = { line: number; column: number };

export type Source = {
  text: string;
  root: Tree;
  /**
   * The plain value. Fields without a value are absent, and variables without a value are empty: `vars.ts` checks them.
   */
  value: unknown;
  /** Line and column, from 1, of an offset into the text. */
  at(offset: number): Place;
  /** Returns the place of the value at a path, or of its nearest ancestor. With `key`, of the key below it. */
  place(path: Path, key?: string): Place;
  /** Returns the text of a scalar as written (`1.10` stays `1.10`). Undefined for other values. */
  textOf(path: Path): string | undefined;
  /** Returns the edit that replaces the value at a path. Undefined if the result might be wrong. */
  rewrite(path: Path, text: string): TextEdit | undefined;
};

/** Parses YAML (or JSON, which is YAML). Never throws: all errors are returned as diagnostics. */
export function readSource(text: string): { source?: Source; diagnostics: Diagnostic[] } {
  // Compares bytes: `text.length` counts UTF-16 units, each of which has one to three bytes.
  if (text.length > maxDocumentBytes || (text.length * 3 > maxDocumentBytes && bytesOf(text) > maxDocumentBytes)) {
    return { diagnostics: [unparsable('too-large', `the document is larger than ${maxDocumentBytes / 1024} KiB`)] };
  }
  const lines = new LineCounter();
  const at = (offset: number): Place => {
    const { line, col } = lines.linePos(Math.min(offset, text.length));
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  try {
    return read(text, lines, at);
  } catch (error) {
    if (error instanceof UnknownAlias) {
      const hint = `a value that begins with "*" needs quotes: "*${error.message}"`;
      const message = `"*${error.message}" refers to an anchor that does not exist`;
      return { diagnostics: [{ ...unparsable('unparsable', message, at(error.at)), hint }] };
    }
    if (error instanceof BinaryValue) {
      const message = 'this is binary data (!!binary), which no field takes';
      return {
        diagnostics: [{ ...unparsable('wrong-type', message, at(error.at)), hint: 'write the text that is meant' }],
      };
    }
    if (error instanceof TooManyAliases) {
      return { diagnostics: [unparsable('too-many-aliases', 'its aliases make the document too large')] };
    }
    // The YAML library recurses: nesting of some thousands overflows its stack.
    if (error instanceof TooDeep || error instanceof RangeError) {
      return { diagnostics: [unparsable('too-deep', 'the document is nested too deeply')] };
    }
    throw error;
  }
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** Deepest nesting of brackets that the YAML library is given: it reads them recursively, and slowly. */
const maxBrackets = 200;

/** Only YAML's own brackets count, which the lexer recognizes. It runs only if there are suspiciously many. */
function isTooDeep(text: string): boolean {
  let naive = 0;
  let deepest = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '[' || character === '{') deepest = Math.max(deepest, ++naive);
    else if ((character === ']' || character === '}') && naive > 0) naive -= 1;
  }
  if (deepest <= maxBrackets) return false;
  let depth = 0;
  for (const token of new Lexer().lex(text)) {
    if (token === '[' || token === '{') depth += 1;
    else if (token === ']' || token === '}') depth -= 1;
    if (depth > maxBrackets) return true;
  }
  return false;
}

function read(text: string, lines: LineCounter, at: Source['at']): { source?: Source; diagnostics: Diagnostic[] } {
  if (isTooDeep(text)) throw new TooDeep();
  // Unique keys are checked below, because the library compares every pair of keys, which takes seconds for 40,000
  // keys. Its pretty errors copy an excerpt of the source for each of possibly thousands.
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: false,
    merge: true,
    stringKeys: true,
    logLevel: 'error',
  });
  const [first] = document.errors;
  if (first) {
    // The library reports its own overflow as an error of the text.
    if (/call stack/.test(first.message)) throw new TooDeep();
    const helps = (candidate: string) => {
      if (candidate.length > maxTriedLength) return false;
      const [next] = parseDocument(candidate, { prettyErrors: false, uniqueKeys: false }).errors;
      return !next || next.code !== first.code || next.pos[0] > first.pos[0] + maxShift;
    };
    const { offset, ...explained } = explainSyntax(text, first, helps);
    return { diagnostics: [{ severity: 'error', code: 'unparsable', path: '', ...at(offset), ...explained }] };
  }
  const repeated = repeatedKeys(text, document.contents).map(({ key, offset, fix }) => ({
    ...unparsable('repeated-key', `the key "${key}" is there twice`, at(offset)),
    hint: 'keep one of them',
    ...(fix && { fix }),
  }));
  if (repeated.length > 0) return { diagnostics: repeated };

  const root = toTree(document);
  const source: Source = {
    text,
    root,
    value: toValue(root, (key) => key === 'vars'),
    at,
    textOf(path) {
      const { field, depth } = nearest(root, path);
      return depth === path.length ? textOf(field) : undefined;
    },
    rewrite: (path, value) => replaceValue(source, path, value),
    place(path, key) {
      const { field } = nearest(root, key === undefined ? path : [...path, key]);
      const isFoundKey = key !== undefined && field.path.length === path.length + 1;
      // A collection begins on the line below its key. The user looks at the key.
      const showsKey = isFoundKey || (field.key && (field.tree.kind !== 'scalar' || field.tree.value === null));
      return at(showsKey && field.key ? field.key.at : field.tree.at);
    },
  };
  return { diagnostics: [], source };
}

function unparsable(code: string, message: string, place: Place = { line: 1, column: 1 }): Diagnostic {
  return { severity: 'error', code, path: '', ...place, message };
}

/** A duplicate key is invalid YAML, and it is unclear which one counts. */
function repeatedKeys(text: string, contents: ParsedNode | null): Repeated[] {
  const repeated: Repeated[] = [];
  if (!contents) return repeated;
  visit(contents, {
    Map(_, map) {
      const seen = new Map<unknown, string | undefined>();
      for (const { key, value } of map.items) {
        if (!isScalar(key) || !key.range || key.value === '<<') continue;
        const written = isNode(value) && value.range ? text.slice(value.range[0], value.range[1]) : undefined;
        if (seen.has(key.value)) {
          // If two values differ, only the author knows which one is meant.
          const isSame = isScalar(value) && written !== undefined && seen.get(key.value) === written;
          const fix = isSame ? removeLines(text, { at: key.range[0], to: value.range?.[1] ?? 0 }) : undefined;
          repeated.push({ key: String(key.value), offset: key.range[0], ...(fix && { fix }) });
        }
        seen.set(key.value, written);
      }
    },
  });
  return repeated;
}

type Repeated = { key: string; offset: number; fix?: TextEdit };
