/** Edits that need no more than the text itself. Pure. */
import type { TextEdit } from '../diagnostics/diagnostics.ts';
import type { Span } from './tree.ts';

/** Removes the lines of a key and its value. Undefined if they contain other content than comments. */
export function removeLines(text: string, { at, to }: Span): TextEdit | undefined {
  const from = text.lastIndexOf('\n', at - 1) + 1;
  // The range of a block scalar or a collection may end after its last line break.
  const last = to > at && text[to - 1] === '\n' ? to - 1 : to;
  const lineBreak = text.indexOf('\n', last);
  const end = lineBreak === -1 ? text.length : lineBreak + 1;
  if (text.slice(from, at).trim() !== '' || !/^[ \t]*(#.*)?[\r\n]*$/.test(text.slice(last, end))) return undefined;
  return { from, to: end, text: '' };
}

/** Writes a text as a scalar on one line, without quotes if YAML reads the same text back. */
export function writeScalar(text: string): string {
  const isPlain =
    /^[A-Za-z0-9_./<$]/.test(text) &&
    !/[\p{Cc}\p{Zl}\p{Zp}\p{Cf}"\\,[\]{}]|: |:$| #|^\s|\s$/u.test(text) &&
    !/^(?:true|false|null|yes|no|on|off|y|n|~|[-+.]?[0-9][0-9a-fx_.:+-]*|\.(?:inf|nan))$/i.test(text);
  return isPlain ? text : JSON.stringify(text);
}
