/** Prints diagnostics: each with its line of the document and a caret below the position. Pure. */
import { styleText } from 'node:util';
import type { Diagnostic } from '../config/diagnostics/diagnostics.ts';
import { printable } from '../lib/printable.ts';

export { printable };

/** `images`: the reason why the images were not checked. Absent if they were checked. */
export type Checked = { file: string; text: string; isValid: boolean; diagnostics: Diagnostic[]; images?: string };

type Style = Parameters<typeof styleText>[0];
export type Paint = (style: Style, text: string) => string;

/** The maximum length of an excerpt, in characters. Longer lines would wrap, and the caret would be misplaced. */
const excerptWidth = 100;

export function renderChecked({ file, text, isValid, diagnostics, images }: Checked, inColour: boolean): string {
  const paint = painter(inColour);
  const lines = text.split(/\r\n|\n|\r/);
  const found = diagnostics.map((diagnostic) => renderDiagnostic(file, diagnostic, lines, paint));
  const verdict = isValid ? paint('green', 'valid') : paint('red', 'not valid');
  const unchecked = isValid && images !== undefined ? `; images ${printable(images)}` : '';
  return [...found, `${paint('bold', printable(file))}: ${verdict}${counts(diagnostics)}${unchecked}\n`].join('\n');
}

export function renderSummary(checked: Checked[], inColour: boolean): string {
  const paint = painter(inColour);
  const valid = checked.filter(({ isValid }) => isValid).length;
  const invalid = checked.length - valid;
  const bad = paint(invalid > 0 ? 'red' : 'dim', `${invalid} not valid`);
  return `\n${checked.length} files: ${paint('green', `${valid} valid`)}, ${bad}\n`;
}

/** Columns as wide as their widest cell, one row a line. */
export function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows].map((row) => row.map(printable));
  const widths = head.map((_, column) => Math.max(...cells.map((row) => widthOf(row[column]!))));
  const pad = (cell: string, column: number) => cell + ' '.repeat(widths[column]! - widthOf(cell));
  return cells.map((row) => `${row.map(pad).join('  ').trimEnd()}\n`).join('');
}

export function painter(inColour: boolean): Paint {
  return (style, text) => (inColour ? styleText(style, text, { validateStream: false }) : text);
}

function counts(diagnostics: Diagnostic[]): string {
  const parts = (['error', 'warning', 'note'] as const).flatMap((severity) => {
    const count = diagnostics.filter((diagnostic) => diagnostic.severity === severity).length;
    return count > 0 ? [plural(count, severity)] : [];
  });
  return parts.length > 0 ? ` (${parts.join(', ')})` : '';
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

const colours = { error: 'red', warning: 'yellow', note: 'cyan' } as const satisfies Record<
  Diagnostic['severity'],
  Style
>;

function renderDiagnostic(file: string, diagnostic: Diagnostic, lines: string[], paint: Paint): string {
  const { severity, line, column, path, message, hint } = diagnostic;
  const colour = colours[severity];
  const where = paint('bold', printable(`${file}:${line}:${column}`));
  const what = printable(`${path ? `${path}: ` : ''}${message}`);
  const number = String(line);
  const indent = ' '.repeat(number.length);
  const { shown, caretAt } = excerptAround(lines[line - 1] ?? '', column - 1);
  return [
    `${where} ${paint(colour, severity)} ${what} ${paint('dim', `[${diagnostic.code}]`)}`,
    `  ${paint('dim', `${number} |`)} ${shown}`,
    `  ${paint('dim', `${indent} |`)} ${' '.repeat(caretAt)}${paint(colour, '^')}`,
    ...(hint ? [`  ${paint('dim', `${indent} =`)} ${printable(hint)}`] : []),
    '',
  ].join('\n');
}

/** The part of a line around a column, and the column of the caret below it. */
function excerptAround(line: string, at: number): { shown: string; caretAt: number } {
  const from = line.length <= excerptWidth ? 0 : Math.max(0, Math.min(at - 40, line.length - excerptWidth));
  const cut = line.slice(from, from + excerptWidth);
  const before = from > 0 ? '…' : '';
  const after = from + excerptWidth < line.length ? '…' : '';
  const lead = widthOf(line.slice(from, Math.max(from, at)));
  return { shown: `${before}${printable(cut)}${after}`, caretAt: before.length + lead };
}

/** Columns on a terminal: East Asian letters and emoji take two. */
function widthOf(text: string): number {
  let width = 0;
  for (const character of printable(text)) {
    if (/\p{M}/u.test(character)) continue;
    width +=
      /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\uFF01-\uFF60]/u.test(
        character,
      )
        ? 2
        : 1;
  }
  return width;
}
