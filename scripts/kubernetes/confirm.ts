import { createInterface } from 'node:readline/promises';

/** Prompts on a terminal. Returns false without a terminal, and after any answer other than yes. */
export async function isConfirmed(isSure: boolean | undefined): Promise<boolean> {
  if (isSure) return true;
  if (process.stdin.isTTY) {
    const terminal = createInterface({ input: process.stdin, output: process.stdout });
    const answer = await terminal.question('Go on? [y/N] ');
    terminal.close();
    if (/^y(es)?$/i.test(answer.trim())) return true;
  }
  console.log('Nothing was changed. With --yes it does not ask.');
  return false;
}
