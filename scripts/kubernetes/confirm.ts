import { createInterface } from 'node:readline/promises';

/** Asks on a terminal; elsewhere, and after any other answer than yes, nothing is to be changed. */
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
