import { stripVTControlCharacters } from 'node:util';

/** A tab is printed as one space; what a terminal would obey, or nobody sees, is not printed. */
export function printable(text: string): string {
  return Array.from(stripVTControlCharacters(text), (character) => {
    if (character === '\t') return ' ';
    return /[\p{Cc}\p{Cf}]/u.test(character) ? '·' : character;
  }).join('');
}
