/** PURE. The lines of a text, each with where it begins. */

export type Line = { at: number; text: string };

export function lineAt(text: string, offset: number): Line {
  // At the very beginning `lastIndexOf` would look at the first character itself.
  const at = offset <= 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
  const end = text.indexOf('\n', at);
  return { at, text: text.slice(at, end === -1 ? text.length : end) };
}

/** The nearest line above that is neither empty nor a comment. */
export function lineBefore(text: string, { at }: Line): Line | undefined {
  while (at > 0) {
    const line = lineAt(text, at - 1);
    if (!/^\s*(#.*)?$/.test(line.text)) return line;
    at = line.at;
  }
  return undefined;
}

export function lineAfter(text: string, { at }: Line): Line | undefined {
  for (let next = text.indexOf('\n', at) + 1; next > 0; next = text.indexOf('\n', next) + 1) {
    const line = lineAt(text, next);
    if (!/^\s*(#.*)?$/.test(line.text)) return line;
  }
  return undefined;
}

export function indentOf({ text }: Line): number {
  return /^[ \t]*/.exec(text)![0].length;
}

export function columnOf(line: Line): number {
  return indentOf(line) + 1;
}
