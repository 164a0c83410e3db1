/** PURE. Finds lines that begin in a column that is not possible in their block. */
import type { YAMLParseError } from 'yaml';
import type { Explanation } from '../diagnostics/diagnostics.ts';

/** A wrongly indented last line of a text is reported as a list entry without its hyphen. */
export function isIndentation({ code, message }: YAMLParseError): boolean {
  return code === 'BAD_INDENT' || /Sequence item without - indicator/.test(message);
}

export function explainIndentation(text: string, offset: number, error: YAMLParseError): Explanation | undefined {
  const { code, message } = error;
  const line = lineAt(text, offset);
  const above = lineBefore(text, line);
  if (/block sequence may not be used/.test(message)) return explainEntry(text, line);
  // `name: shop` with a deeper line below it: the library reports the value, but the mistake is in the line below.
  if (code === 'BLOCK_AS_IMPLICIT_KEY' || code === 'MULTILINE_IMPLICIT_KEY') {
    const below = lineAfter(text, line);
    if (below && indentOf(below) > indentOf(line) && /:/.test(below.text) && /:[ \t]+\S/.test(line.text)) {
      const hint = `begin it in column ${columnOf(line)}, below the line above`;
      return { offset: below.at + indentOf(below), message: 'the line is indented too far', hint };
    }
    return undefined;
  }
  if (!isIndentation(error) || !above) return undefined;
  return inNoColumn(
    line,
    openColumns(text, line).map(({ column }) => column),
  );
}

/** Explains a list entry in a wrong place: among the fields of a map, or in a wrong column. */
function explainEntry(text: string, line: Line): Explanation | undefined {
  const open = openColumns(text, line);
  if (open.some(({ column }) => column === columnOf(line)))
    return {
      offset: line.at + indentOf(line),
      message: 'the line begins an entry of a list, and the one above it is a field of a map',
      hint: 'write "name: value" like the lines above it, or "- " before each of them',
    };
  return inNoColumn(
    line,
    open.flatMap(({ column, isEntry }) => (isEntry ? [column] : [])),
  );
}

function inNoColumn(line: Line, possible: readonly number[]): Explanation {
  const columns = [...new Set(possible)].sort((a, b) => a - b);
  const hint = `begin it in the column of the lines that it belongs to: ${columns.join(' or ')}`;
  return {
    offset: line.at + indentOf(line),
    message: `the line begins in column ${columnOf(line)}, where no other line of its block begins`,
    ...(columns.length > 0 && { hint }),
  };
}

type OpenColumn = { column: number; isEntry: boolean };

/** Returns the columns of the open blocks above a line. */
function openColumns(text: string, line: Line): OpenColumn[] {
  const columns: OpenColumn[] = [];
  let least = Number.POSITIVE_INFINITY;
  let current = lineBefore(text, line);
  for (let count = 0; current && count < 200 && least > 0; count++) {
    const indent = indentOf(current);
    if (indent < least) {
      least = indent;
      columns.push({ column: indent + 1, isEntry: /^[ ]*-(\s|$)/.test(current.text) });
      const inItem = /^[ ]*(- +)(?=[^\s-])/.exec(current.text);
      if (inItem) columns.push({ column: indent + inItem[1]!.length + 1, isEntry: false });
    }
    current = lineBefore(text, current);
  }
  return columns;
}

/** The lines of a text, each with where it begins. */

type Line = { at: number; text: string };

export function lineAt(text: string, offset: number): Line {
  // At offset 0, `lastIndexOf` would check the first character itself.
  const at = offset <= 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
  const end = text.indexOf('\n', at);
  return { at, text: text.slice(at, end === -1 ? text.length : end) };
}

/** Returns the nearest line above that is not empty and not a comment. */
export function lineBefore(text: string, { at }: Line): Line | undefined {
  while (at > 0) {
    const line = lineAt(text, at - 1);
    if (!/^\s*(#.*)?$/.test(line.text)) return line;
    at = line.at;
  }
  return undefined;
}

function lineAfter(text: string, { at }: Line): Line | undefined {
  for (let next = text.indexOf('\n', at) + 1; next > 0; next = text.indexOf('\n', next) + 1) {
    const line = lineAt(text, next);
    if (!/^\s*(#.*)?$/.test(line.text)) return line;
  }
  return undefined;
}

export function indentOf({ text }: Line): number {
  return /^[ \t]*/.exec(text)![0].length;
}

function columnOf(line: Line): number {
  return indentOf(line) + 1;
}
