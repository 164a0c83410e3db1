/** Marks in texts for variables that have no value yet. Pure. */

/** The placeholder in a text for a missing value of a variable. */
export function markOf(name: string): string {
  return `\0${name}\0`;
}

const mark = /\0([^\0]*)\0/g;

export function markedIn(text: string): string[] {
  return text.includes('\0') ? Array.from(text.matchAll(mark), ([, name]) => name!) : [];
}

/** A text as Compose reads it back: dollar signs are doubled, and marks are variables again. */
export function writeText(text: string): string {
  return text.replaceAll('$', () => '$$').replace(mark, (_, name: string) => `\${${name}}`);
}
