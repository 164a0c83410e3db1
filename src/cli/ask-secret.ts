/** Reads a secret: a line that is typed or pasted without an echo, or the standard input of a program. */
import { ask } from './asking.ts';
import type { Streams } from './terminal.ts';

/** Longer than any key. */
const maxCharacters = 1000;

/** Undefined without an input, or at Ctrl-C. */
export async function askSecret(
  question: string,
  streams: Pick<Streams, 'stdin' | 'stderr'>,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (!streams.stdin.isTTY) return await firstLine(streams.stdin);
  return (await ask(question, { streams, signal, isSecret: true })) || undefined;
}

async function firstLine(stdin: Streams['stdin']): Promise<string | undefined> {
  let text = '';
  for await (const piece of stdin) {
    text += String(piece);
    if (text.includes('\n') || text.length > maxCharacters) break;
  }
  return text.split('\n')[0]!.trim() || undefined;
}
