/** PURE. Splits text with terminal colors into parts with style names. All other text is unchanged. */

export type ColoredPart = {
  text: string;
  /** Names of classes; empty for plain text. */
  style: string;
};

/** A page with more parts becomes slow. The text behind them has no colors. */
const mostParts = 5_000;

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape begins a command of a terminal
const command = /\x1b\[([\d;]*)m/;
const colors = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];
const styles = new Map([
  [1, 'bold'],
  [2, 'dim'],
  [3, 'italic'],
  [4, 'underline'],
]);

/** `text`: the service has removed all other commands. */
export function readColors(text: string): ColoredPart[] {
  const pieces = text.split(command);
  const parts: ColoredPart[] = [];
  let active = new Map<string, string>();
  for (const [at, piece] of pieces.entries()) {
    if (at % 2 === 1) for (const code of piece.split(';')) active = changed(active, Number(code));
    else if (piece !== '') addPart(parts, piece, [...active.values()].join(' '));
  }
  return parts;
}

export function withoutColors(text: string): string {
  return readColors(text)
    .map((part) => part.text)
    .join('');
}

function addPart(parts: ColoredPart[], text: string, style: string): void {
  const last = parts.at(-1);
  if (last && (last.style === style || parts.length === mostParts)) last.text += text;
  else parts.push({ text, style: parts.length === mostParts - 1 ? '' : style });
}

function changed(active: ReadonlyMap<string, string>, code: number): Map<string, string> {
  const next = new Map(active);
  const color = colors[code % 10];
  const style = styles.get(code);
  if (code === 0) next.clear();
  else if (style) next.set(style, `style-${style}`);
  else if (code === 22) for (const each of ['bold', 'dim']) next.delete(each);
  else if (code === 23) next.delete('italic');
  else if (code === 24) next.delete('underline');
  else if (code === 39) next.delete('color');
  else if (color && [3, 9].includes(Math.floor(code / 10))) next.set('color', `color-${color}`);
  return next;
}
