/**
 * The cursor's position in a document: at a key or a value, and below which keys. Read from indentation alone, because
 * a document is rarely valid while a user types. Pure.
 */

export type Cursor =
  | { kind: 'key'; path: readonly string[]; typed: string; siblings: ReadonlySet<string> }
  | { kind: 'value'; path: readonly string[]; typed: string }
  /** In a comment, or in a block scalar. */
  | { kind: 'none' };

/** Stands for an entry of a list in paths. */
export const entry = '[]';

/** @param column from 0, in UTF-16 units. */
export function cursorAt(lines: readonly string[], line: number, column: number): Cursor {
  const before = (lines[line] ?? '').slice(0, column);
  if (/(?:^|\s)#/.test(before)) return { kind: 'none' };
  const { dashes, content, at } = readLine(before);
  const limit: Limit = dashes.length > 0 ? { column: dashes[0]!, isItem: true } : { column: at, isItem: false };
  const parents = parentsOf(lines, line, limit);
  if (!parents) return { kind: 'none' };
  const path = [...parents, ...dashes.map(() => entry)];
  return flowCursor(content, path) ?? blockCursor(lines, line, { content, at, path });
}

type Limit = { column: number; isItem: boolean };

function blockCursor(
  lines: readonly string[],
  line: number,
  { content, at, path }: { content: string; at: number; path: string[] },
): Cursor {
  const pair = keyAndValue(content);
  if (pair) return { kind: 'value', path: [...path, pair.key], typed: pair.value };
  return { kind: 'key', path, typed: content, siblings: siblingsOf(lines, line, at) };
}

/** Parses `- - key: value`: the positions of the dashes, and the text after them. */
export function readLine(text: string): { dashes: number[]; content: string; at: number } {
  const dashes: number[] = [];
  let at = text.length - text.trimStart().length;
  while (/^-(?:\s|$)/.test(text.slice(at))) {
    dashes.push(at);
    const rest = text.slice(at + 1);
    at += 1 + (rest.length - rest.trimStart().length);
  }
  return { dashes, content: text.slice(at), at };
}

/** Undefined unless the text is `key:` or `key: value`. */
export function keyAndValue(content: string): { key: string; value: string } | undefined {
  const match = /^(?:"([^"]*)"|'([^']*)'|([^\s"'{[#&*!|>][^:]*?))\s*:(?:\s+(.*))?$/.exec(content);
  if (!match || (match[4] === undefined && !/:$/.test(content))) return undefined;
  return { key: match[1] ?? match[2] ?? match[3]!, value: match[4] ?? '' };
}

/** The keys above, outermost first; undefined within a text of several lines. */
function parentsOf(lines: readonly string[], line: number, start: Limit): string[] | undefined {
  const path: string[] = [];
  let limit = start;
  for (let above = line - 1; above >= 0 && (limit.column > 0 || limit.isItem); above--) {
    const text = lines[above]!;
    if (/^\s*(?:#|$)/.test(text)) continue;
    const { dashes, content, at } = readLine(text);
    const pair = keyAndValue(content);
    // A list may begin in the column of its key, and only a key may be there.
    const isParent = pair && (at < limit.column || (limit.isItem && at === limit.column && dashes.length === 0));
    if (isParent) {
      if (/^[|>][+-]?\d?[+-]?\s*(?:#.*)?$/.test(pair.value)) return undefined;
      path.unshift(pair.key);
      limit = { column: at, isItem: false };
    }
    for (const dash of dashes.toReversed().filter((dash) => dash < limit.column)) {
      path.unshift(entry);
      limit = { column: dash, isItem: true };
    }
  }
  return path;
}

/** Returns the other keys of the same map. */
function siblingsOf(lines: readonly string[], line: number, column: number): Set<string> {
  const keys = new Set<string>();
  for (const step of [-1, 1]) {
    for (let at = line + (step === 1 ? 1 : 0); at >= 0 && at < lines.length; at += step) {
      const text = lines[at]!;
      if (/^\s*(?:#|$)/.test(text)) continue;
      const { dashes, content, at: start } = readLine(text);
      const begins = dashes[0] ?? start;
      if (start < column || (step === 1 && begins < column && at !== line)) break;
      const pair = start === column && at !== line ? keyAndValue(content) : undefined;
      if (pair) keys.add(pair.key);
      // The dash begins the entry. Lines above it belong to another entry.
      if (step === -1 && begins < column) break;
    }
  }
  return keys;
}

/** Within `{ … }` and `[ … ]` on one line. */
function flowCursor(content: string, path: readonly string[]): Cursor | undefined {
  const open: { path: string[]; isMap: boolean; siblings: Set<string> }[] = [];
  let typed = '';
  const keyOf = () => keyAndValue(typed.trim())?.key;
  for (const character of content) {
    const inner = open.at(-1);
    if (character === '{' || character === '[') {
      const key = keyOf();
      const parent = inner ? [...inner.path, ...(inner.isMap ? [] : [entry])] : path;
      open.push({
        path: [...parent, ...(key === undefined ? [] : [key])],
        isMap: character === '{',
        siblings: new Set(),
      });
      typed = '';
    } else if (inner && (character === '}' || character === ']')) {
      open.pop();
      typed = '';
    } else if (inner && character === ',') {
      const key = keyOf();
      if (key !== undefined) inner.siblings.add(key);
      typed = '';
    } else typed += character;
  }
  const inner = open.at(-1);
  if (!inner) return undefined;
  const text = typed.trimStart();
  const pair = inner.isMap ? keyAndValue(text) : undefined;
  if (pair) return { kind: 'value', path: [...inner.path, pair.key], typed: pair.value };
  if (inner.isMap) return { kind: 'key', path: inner.path, typed: text, siblings: inner.siblings };
  return { kind: 'value', path: [...inner.path, entry], typed: text };
}
