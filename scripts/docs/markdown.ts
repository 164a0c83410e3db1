/** PURE. Tables and texts in Markdown. */

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n');
}

/** A text on one line. */
export function text(words = ''): string {
  return words.replaceAll(/\s*\n\s*/g, ' ');
}

function cell(words: string): string {
  return text(words).replaceAll(/(?<!\\)\|/g, '\\|');
}
