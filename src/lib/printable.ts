import { withoutTerminalCommands } from './terminal-commands.ts';

/** Prints a tab as one space, and removes control sequences and invisible characters. */
export function printable(text: string): string {
  return Array.from(withoutTerminalCommands(text), (character) => {
    if (character === '\t') return ' ';
    return /[\p{Cc}\p{Cf}]/u.test(character) ? '·' : character;
  }).join('');
}
