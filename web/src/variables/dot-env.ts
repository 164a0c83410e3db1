/** Reads the lines of a `.env` file, as it is pasted. Pure. */
import type { Variable } from '../pod-edits/pod-edits.ts';

const meanings: Record<string, string> = { n: '\n', r: '\r', t: '\t' };
const line = /^\s*(?:export\s+)?([A-Za-z_][\w.-]*)\s*=\s*(.*?)\s*$/;

/** Parses a .env file. If a name repeats, the last variable counts. Other lines are skipped. */
export function readDotEnv(text: string): Variable[] {
  const found = new Map<string, string>();
  for (const each of text.split(/\r?\n/)) {
    const [, name, written = ''] = line.exec(each) ?? [];
    if (name !== undefined) found.set(name, unquoted(written));
  }
  return [...found].map(([name, value]) => ({ name, value }));
}

/** Quotes are taken off; without them a comment ends the value. */
function unquoted(written: string): string {
  const quoted = /^(["'`])(.*)\1(?:\s+#.*)?$/.exec(written);
  if (!quoted) return written.replace(/\s+#.*$/, '');
  const [, quote, inner = ''] = quoted;
  return quote === '"' ? inner.replace(/\\([nrt"\\])/g, (_, letter: string) => meanings[letter] ?? letter) : inner;
}
