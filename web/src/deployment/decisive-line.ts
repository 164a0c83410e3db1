/**
 * Finds the line that explains why a program ended, and the variable that it misses. Pure; the lines come from the
 * application.
 */

export type Decisive = {
  line: string;
  /** The variable that it says is not set. */
  missingVariable?: string;
};

const longest = 240;
/** Characters. Lines may have any length. */
const maxRead = 4_000;
/** Colours, and what the service adds to a line that repeats. */
const passing = /\p{Cc}\[[\d;]*[A-Za-z]| ×\d+$/gu;

const name = '([A-Z][A-Z0-9]*_[A-Z0-9_]*|[A-Z]{4,}[A-Z0-9]*)';
/** Messages of programs, and of language runtimes for a missing variable. */
const missing = [
  new RegExp(
    `\\b${name}['"\`]?(?: environment variable)? (?:is|was) (?:not set|not defined|unset|missing|required|undefined|empty)\\b`,
  ),
  new RegExp(`\\b${name}['"\`]? (?:must|has to|needs to) be (?:set|defined|provided|specified|configured)\\b`),
  new RegExp(
    `\\b(?:[Mm]issing|[Rr]equired?|[Uu]nset|[Uu]ndefined|[Nn]o)(?: required)? (?:env(?:ironment)?(?:[ _]var(?:iable)?s?)?|variable)s?:? ['"\`]?${name}`,
  ),
  new RegExp(
    `\\b[Ee]nvironment variable ['"\`]?${name}['"\`]?(?: (?:is|was))? (?:not (?:set|found|defined)|missing|required|unset)\\b`,
  ),
  new RegExp(`\\b(?:KeyError: |key not found: )['"]${name}['"]`),
  new RegExp(`\\b${name}: (?:unbound variable|parameter (?:not set|null or not set))`),
];

/** Lines of stack traces, which are above or below the message. */
const trace =
  /^\s+(?:at|from|in) |^\s*File "|^\s*\^|^\s*\.{3} \d+ more|^goroutine \d|^\t|^Node\.js v\d|^\s*[{}\])]+[,;]?\s*$/;
const verdict =
  /^(?:Uncaught )?(?:[\w.]*\.)?[A-Z]\w*(?:Error|Exception)\b(?: \[[\w.]+\])?(?::|$)|^Caused by: |^(?:panic|fatal|error|fatal error)\b[^:]{0,40}:|\b(?:FATAL|CRITICAL|PANIC)\b|\b(?:Error|ERROR): /i;

/** Undefined where no line says so for certain. */
export function decisiveLine(lines: readonly string[]): Decisive | undefined {
  const plain = lines.map((line) => messageIn(line.slice(0, maxRead).replace(passing, '').trimEnd()));
  for (const line of plain.toReversed()) {
    const found = missing.flatMap((pattern) => pattern.exec(line)?.[1] ?? [])[0];
    if (found !== undefined) return { line: shortened(line), missingVariable: found };
  }
  const last = plain.findLast((line) => !trace.test(line) && verdict.test(line));
  return last === undefined ? undefined : { line: shortened(last) };
}

/** Returns the message of a line: the field of a JSON line, or the text after the time. */
function messageIn(line: string): string {
  if (line.startsWith('{')) {
    try {
      const { msg, message, error } = JSON.parse(line);
      const said = [error?.message ?? error, message, msg].find((part) => typeof part === 'string');
      if (said !== undefined) return said;
    } catch {
      // The line only looks like JSON.
    }
  }
  return line.replace(/^\[?\d{4}[-/]\d\d[-/]\d\d[T ][\d:.,]+(?:Z| ?[+-]\d\d:?\d\d| UTC)?\]?\s*/, '');
}

function shortened(line: string): string {
  const text = line.trim();
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
