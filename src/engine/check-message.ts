/** PURE. Messages about health checks that are commands in the container. */
import { stripVTControlCharacters } from 'node:util';

export type CheckEnd =
  | { kind: 'exited'; code: number; output: string }
  | { kind: 'timed-out'; afterSeconds: number }
  /** An earlier check that timed out is still running. Only one check runs at a time. */
  | { kind: 'left' }
  | { kind: 'flood' }
  | { kind: 'not-startable'; output: string };

export type CheckMessage = { words: string; hint: string };

/** The longest output in a message. */
const longestOutput = 300;

const shells = /^(?:\/(?:usr\/)?bin\/)?(?:ba|da|a)?sh$/;

/** Returns undefined for a successful check. Names only the program, because arguments may contain a password. */
export function checkMessage(command: readonly string[], end: CheckEnd): CheckMessage | undefined {
  const check = `health check \`${programOf(command)}\``;
  switch (end.kind) {
    case 'exited': {
      if (end.code === 0) return undefined;
      const said = excerpt(end.output);
      return { words: `${check} exits with ${end.code}${said && `: ${said}`}`, hint: 'its command has to exit with 0' };
    }
    case 'timed-out':
      return {
        words: `${check} did not finish within ${end.afterSeconds} s`,
        hint: 'it has to finish sooner, or its timeout has to be longer',
      };
    case 'left':
      return { words: `${check} was aborted and has not ended yet`, hint: 'its command has to finish on its own' };
    case 'flood':
      return { words: `${check} writes endlessly`, hint: 'its command has to finish, and to write little' };
    case 'not-startable':
      return {
        words: `${check} cannot be run: ${reasonNotStartable(end.output)}`,
        hint: 'name a program in the image, or a path to GET',
      };
  }
}

/** Returns `pg_isready` for `sh -c "pg_isready -U app"`. */
export function programOf(command: readonly string[]): string {
  const [first = '', ...rest] = command;
  const script = shells.test(first) && /^-[a-z]*c$/.test(rest[0] ?? '') ? rest[1] : undefined;
  const word = /^\s*([\w./-]{1,100})(?=[\s;|&)]|$)/.exec(script ?? '')?.[1] ?? first;
  return excerpt(word.slice(word.lastIndexOf('/') + 1)).slice(0, 60) || 'command';
}

/** `output`: the message of the container runtime. */
export function reasonNotStartable(output: string): string {
  if (/permission denied/i.test(output)) return 'its user may not run it';
  return /not found|no such file|error finding/i.test(output)
    ? 'its image does not contain this program'
    : 'it cannot be started';
}

/** Returns one line without control characters. */
function excerpt(output: string): string {
  const text = stripVTControlCharacters(output.slice(0, 4 * longestOutput))
    .replaceAll(/[\p{Cc}\p{Cf}\s�]+/gu, ' ')
    .trim();
  return text.length > longestOutput ? `${text.slice(0, longestOutput)}…` : text;
}
