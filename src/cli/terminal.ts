/** Prints results to the standard output and everything else to the standard error, with colors only on a terminal. */
import type { Readable, Writable } from 'node:stream';
import type { Problem } from '../client/request.ts';
import { printWarnings } from '../config/diagnostics/diagnostics.ts';
import { statuses } from './arguments.ts';
import { hintOf } from './own-hints.ts';
import { type Paint, painter, printable } from './render.ts';

export type Streams = {
  stdin: Readable & { isTTY?: boolean };
  stdout: Writable & { isTTY?: boolean };
  stderr: Writable & { isTTY?: boolean };
  env: Record<string, string | undefined>;
};

export type Terminal = {
  asJson: boolean;
  /** Colors the standard output. */
  paint: Paint;
  /** Whether the standard output shows colors. */
  hasColors: boolean;
  /** Colors the standard error. */
  paintNotes: Paint;
  /** Whether the standard error is a terminal. */
  isWatched: boolean;
  /** Prints the result for people; nothing with JSON output. */
  print(text: string): void;
  /** Prints the result for programs; only with JSON output. */
  json(value: unknown): void;
  /** Prints a line of streamed output, in either format. */
  line(text: string): void;
  /** Whether a program reads the standard output. Then output of others is passed on unchanged. */
  isRaw: boolean;
  /** Prints progress. */
  printNote(text: string): void;
  /** Prints the problem. @returns the exit status. */
  refuse(problem: Problem): number;
  fail(message: string): number;
};

export function createTerminal({ stdout, stderr, env }: Streams, asJson: boolean): Terminal {
  const mayPaint = !env.NO_COLOR && env.TERM !== 'dumb';
  const hasColors = mayPaint && stdout.isTTY === true;
  const paint = painter(hasColors);
  const paintNotes = painter(mayPaint && stderr.isTTY === true);
  const shownOn = ({ isTTY }: Streams['stdout'], text: string) => (isTTY === true ? withoutCommands(text) : text);
  const printNote = (text: string) => void stderr.write(`${shownOn(stderr, text)}\n`);
  return {
    asJson,
    paint,
    hasColors,
    paintNotes,
    isWatched: stderr.isTTY === true,
    isRaw: stdout.isTTY !== true,
    line: (text) => void stdout.write(`${text}\n`),
    printNote,
    print: (text) => void (asJson || stdout.write(shownOn(stdout, text.endsWith('\n') ? text : `${text}\n`))),
    json: (value) => void (asJson && stdout.write(`${JSON.stringify(value, undefined, 2)}\n`)),
    refuse(problem) {
      const { code, error, errors } = problem;
      if (code === 'aborted') return statuses.interrupted;
      if (asJson) stdout.write(`${JSON.stringify(problem)}\n`);
      else if (errors && errors.length > 0) {
        // Each error says what to write instead. A warning often explains it.
        printNote(paintNotes('red', 'The configuration is refused:'));
        for (const each of errors) printNote(`  ${printable(each)}`);
        for (const each of printWarnings(problem.diagnostics ?? [])) printNote(`  warning: ${printable(each)}`);
      } else {
        printNote(paintNotes('red', printable(error)));
        const hint = hintOf(problem);
        if (hint !== undefined) printNote(printable(hint));
      }
      return problem.status === 0 ? statuses.unreachable : statuses.refused;
    },
    fail(message) {
      printNote(message);
      return statuses.unusable;
    },
  };
}

/**
 * Keeps line breaks and the few colors of `Paint`. Other control sequences come from a service or a folder and are
 * removed.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what terminals obey.
const ownCommands = /(\n|\x1b\[(?:[12]|22|3[0-79])m)/;

function withoutCommands(text: string): string {
  return text
    .split(ownCommands)
    .map((part, at) => (at % 2 === 1 ? part : printable(part)))
    .join('');
}
