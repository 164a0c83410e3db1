/** Splits commands into words like POSIX, and finds syntax that only a shell can interpret. Pure. */
import { split } from 'shlex';

/** Longest command that is split: no document is longer, so that a refused one has a quote that is not closed. */
const maxLength = 256 * 1024;

/**
 * Splits a text. Scriptlets such as `<% URL %>` and `${NAME:-a b}` stay whole, including their spaces. Undefined if a
 * quote is not closed.
 */
export function splitWords(text: string): string[] | undefined {
  if (text.length > maxLength) return undefined;
  const space = unusedIn(text);
  try {
    const words = split(text.replace(spacedWhole, (whole) => whole.replaceAll(' ', space)));
    return words.map((word) => word.replaceAll(space, ' '));
  } catch {
    return undefined;
  }
}

/** A match with quotes is not a scriptlet: `"<%" and "%>"`. */
const spacedWhole = /<%[\w .-]{0,200}%>|\$\{[A-Za-z_]\w{0,60}:?[-+?][^{}'"\\]{0,200}\}/g;

/** A character of the private use area, as a temporary replacement for a space. */
function unusedIn(text: string): string {
  const used = new Set(text);
  let code = 0xe000;
  while (used.has(String.fromCodePoint(code))) code++;
  return String.fromCodePoint(code);
}

const shells = /^(?:\/(?:usr\/)?(?:local\/)?bin\/)?(?:sh|bash|ash|dash|zsh)$/;

export function isShell(word: string | undefined): boolean {
  return word !== undefined && shells.test(word);
}

/** Returns whether a shell interprets the command: `sh -c "…"`, in the command or with a shell as entrypoint. */
export function runsInShell(
  entrypoint: readonly string[] | undefined,
  command: readonly string[] | undefined,
): boolean {
  const words = [...(entrypoint ?? []), ...(command ?? [])];
  const shell = words.findIndex(isShell);
  return shell !== -1 && words.slice(shell + 1).some((word) => /^-[a-z]*c$/.test(word));
}

/** The first thing in a command that only a shell understands: `&&`, `|`, `>`, `$(…)`, `$NAME`. */
export function shellSyntaxIn(command: readonly string[]): string | undefined {
  for (const word of command) {
    if (/^(?:&&|\|\||\||;|&|[0-9]?>>?|<|2>&1)$/.test(word)) return word;
    // A word with a space was quoted, such as a directive of nginx or an SQL statement.
    const glued = /(?<=^\S*);$/.exec(word) ?? /^\$\(|`/.exec(word);
    if (glued) return glued[0] === '`' ? '`' : glued[0];
    const variable = /^\$[A-Za-z_]\w{0,60}$/.exec(word);
    if (variable) return variable[0];
  }
  return undefined;
}
