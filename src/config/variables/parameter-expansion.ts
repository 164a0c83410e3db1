/** Reading `${NAME}` and `${NAME:-default}` in a text. Pure. */

export type Part =
  | { kind: 'text'; text: string }
  /** `operator`: `:-`, `-`, `:?`, `?`, `:+` or `+`. `word`: the text after it. */
  | { kind: 'parameter'; name: string; operator?: string; word: string; whole: string };

const begin = /\$\$?\{/g;
const parameter = /^([A-Za-z_][A-Za-z0-9_]{0,199})(?:(:?[-?+])([\s\S]*))?$/;

/**
 * Returns the parts of a text in order. Undefined if there is nothing to replace. `$${` is a literal `${`. Braces
 * without a valid name are literal, too: `${{ … }}`, `${a.b}`, `${#x}`.
 */
export function readParameters(text: string): Part[] | undefined {
  if (!text.includes('${')) return undefined;
  const parts: Part[] = [];
  const braces = pairBraces(text);
  let from = 0;
  for (const match of text.matchAll(begin)) {
    const { index } = match;
    if (index < from) continue;
    if (match[0] === '$${') {
      parts.push({ kind: 'text', text: `${text.slice(from, index)}\${` });
      from = index + match[0].length;
      continue;
    }
    const open = index + 1;
    const close = braces.get(open);
    const inner = close === undefined ? undefined : parameter.exec(text.slice(open + 1, close));
    if (close === undefined || !inner) continue;
    const [, name, operator, word = ''] = inner;
    parts.push({ kind: 'text', text: text.slice(from, index) });
    const whole = text.slice(index, close + 1);
    parts.push({ kind: 'parameter', name: name!, ...(operator && { operator }), word, whole });
    from = close + 1;
  }
  parts.push({ kind: 'text', text: text.slice(from) });
  return parts;
}

/** A literal text in the form that `readParameters` reads back. */
export function escapeParameters(text: string): string {
  return text.replaceAll('${', () => '$${');
}

/** Returns each opening brace with its closing brace, in one pass. */
function pairBraces(text: string): Map<number, number> {
  const pairs = new Map<number, number>();
  const open: number[] = [];
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '{') open.push(at);
    else if (text[at] === '}' && open.length > 0) pairs.set(open.pop()!, at);
  }
  return pairs;
}
