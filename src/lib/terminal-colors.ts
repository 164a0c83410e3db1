/**
 * PURE. Colors in the output of programs, which may be hostile. Of the commands for terminals, only text colors and styles
 * stay. Commands that move the cursor, hide text, set a title or make a link are removed.
 */
import { withoutTerminalCommands } from './terminal-commands.ts';

/** Select Graphic Rendition; https://www.ecma-international.org/publications-and-standards/standards/ecma-48/ §8.3.117 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape begins a command of a terminal
const rendition = /\x1b\[([\d;]{0,32})m/;
const reset = '\x1b[0m';
/** 0 resets; 1 to 4 are styles, and 22 to 24 end them; 30 to 39 and 90 to 97 are colors. */
const kept = /^(?:[0-4]|2[234]|3[0-79]|9[0-7])$/;
/** Colors of a palette. Their numbers would be read as other codes. */
const extended = /(?:^|;)[34]8(?:;|$)/;

const unprintable = /(?![\t\n])\p{Cc}/gu;

/** Keeps the colors of one or more lines. Each color ends with its line. Other control characters are removed. */
export function keepColors(text: string): string {
  return text.split('\n').map(cleanLine).join('\n');
}

function cleanLine(line: string): string {
  if (!line.includes('\x1b')) return plain(line);
  const parts = line.split(rendition).map((part, at) => (at % 2 === 0 ? plain(part) : command(codesOf(part))));
  const whole = parts.join('');
  return whole.includes('\x1b') && !whole.endsWith(reset) ? `${whole}${reset}` : whole;
}

function plain(text: string): string {
  return withoutTerminalCommands(text).toWellFormed().replaceAll(unprintable, '');
}

function codesOf(parameters: string): number[] {
  if (extended.test(parameters)) return [];
  return parameters.split(';').flatMap((code) => (kept.test(code || '0') ? [Number(code)] : []));
}

function command(codes: readonly number[]): string {
  return codes.length === 0 ? '' : `\x1b[${codes.join(';')}m`;
}

/** The same text without colors. */
export function withoutColors(text: string): string {
  return text.includes('\x1b')
    ? text
        .split(rendition)
        .filter((_, at) => at % 2 === 0)
        .join('')
        .replaceAll('\x1b', '')
    : text;
}
