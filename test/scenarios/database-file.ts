/** Faults of a SQLite file and of starts, for tests and the drill. The service must not run. */
import { execFile } from 'node:child_process';
import { open, rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { programFile } from '../program.ts';
import type { Berth } from './berth.ts';

/** Overwrites the third page of the file. */
export async function damage(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  await handle.write(Buffer.alloc(4096, 0x5a), 0, 4096, 8192);
  await handle.close();
}

/** Removes the write-ahead log of a file that is about to be replaced. */
export async function removeLog(file: string): Promise<void> {
  for (const suffix of ['-wal', '-shm']) await rm(`${file}${suffix}`, { force: true });
}

/** Returns what a refused start prints to the standard error. Throws if the service starts or exits with another code than 1. */
export async function refusalOf({ environment }: Pick<Berth, 'environment'>): Promise<string> {
  const start = promisify(execFile)(process.execPath, [programFile('src/main.ts')], { env: environment });
  const { code, stderr } = await start.then(
    ({ stdout }) => {
      throw new Error(`The service started: ${stdout}`);
    },
    (error: { code: number; stderr: string }) => error,
  );
  if (code !== 1) throw new Error(`The start ended with code ${code}: ${stderr}`);
  return stderr;
}
