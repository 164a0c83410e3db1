/** Asks for what nobody is to see: a line that is typed or pasted without being shown, or the standard input of a program. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { Streams } from './terminal.ts';

/** Longer than any key. */
const mostCharacters = 1000;

/** Undefined where there is none, or at Ctrl-C. */
export async function askSecret(
  question: string,
  { stdin, stderr }: Pick<Streams, 'stdin' | 'stderr'>,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (!stdin.isTTY) return await firstLine(stdin);
  stderr.write(question);
  const unseen = new Writable({ write: (_piece, _encoding, done) => done() });
  const asking = createInterface({ input: stdin, output: unseen, terminal: true });
  // It takes Ctrl-C for itself while it reads.
  asking.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    return (await asking.question('', { signal })).trim() || undefined;
  } catch {
    return undefined;
  } finally {
    asking.close();
    stderr.write('\n');
  }
}

async function firstLine(stdin: Streams['stdin']): Promise<string | undefined> {
  let text = '';
  for await (const piece of stdin) {
    text += String(piece);
    if (text.includes('\n') || text.length > mostCharacters) break;
  }
  return text.split('\n')[0]!.trim() || undefined;
}
