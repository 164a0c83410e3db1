/** Prompts for the user of a terminal. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { printable } from '../lib/printable.ts';
import type { Streams } from './terminal.ts';

type Asking = { streams: Pick<Streams, 'stdin' | 'stderr'>; signal: AbortSignal };

/** Undefined without a terminal. `isYes`: Enter means yes; Ctrl-C never does. */
export async function confirm(
  question: string,
  { streams, signal, isYes = false }: Asking & { isYes?: boolean },
): Promise<boolean | undefined> {
  if (!canAsk(streams)) return undefined;
  const answer = await ask(`${question} ${isYes ? '[Y/n]' : '[y/N]'}`, { streams, signal, isSecret: false });
  if (answer === undefined) return false;
  return answer === '' ? isYes : /^y(es)?$/i.test(answer);
}

/** Returns the trimmed answer. A secret is not shown while it is typed. Undefined without an answer. */
export async function ask(
  question: string,
  { streams, signal, isSecret }: Asking & { isSecret: boolean },
): Promise<string | undefined> {
  if (!canAsk(streams)) return undefined;
  const { stdin, stderr } = streams;
  let isHidden = false;
  const output = new Writable({
    write(piece, _encoding, done) {
      if (!isHidden) stderr.write(piece);
      done();
    },
  });
  const asking = createInterface({ input: stdin, output, terminal: true });
  // In this mode, the reader receives Ctrl-C instead of the process.
  asking.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  // The end of the input counts as no answer.
  const ended = new AbortController();
  asking.once('close', () => ended.abort());
  try {
    const answering = asking.question(`${printable(question)}${question.endsWith(']') ? ' ' : ': '}`, {
      signal: AbortSignal.any([signal, ended.signal]),
    });
    isHidden = isSecret;
    return (await answering).trim();
  } catch {
    return undefined;
  } finally {
    asking.close();
    if (isSecret) stderr.write('\n');
  }
}

function canAsk({ stdin, stderr }: Asking['streams']): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}
