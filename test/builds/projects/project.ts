/** The files of a project, in a folder of its own, with the lock file that its package manager writes. */
import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export type Project = {
  name: string;
  files: Record<string, string>;
  /** The package manager that makes the lock file. */
  lock?: keyof typeof locking;
};

const locking = {
  npm: ['npm', 'install', '--package-lock-only'],
  pnpm: ['npx', '--yes', 'pnpm@10.20.0', 'install', '--lockfile-only'],
  yarn: ['npx', '--yes', 'yarn@1.22.22', 'install', '--ignore-scripts', '--ignore-engines'],
  bun: ['npx', '--yes', 'bun@1.3.0', 'install', '--lockfile-only'],
};

/** A `package.json`. The image of Node 24 is a stand-in, and the one of Node 26 is the product's own. */
export const packageOf = (fields: object) =>
  JSON.stringify({ name: 'shop', version: '1.0.0', private: true, engines: { node: '24.x' }, ...fields }, null, 2);

export async function writeProject(folder: string, { files, lock }: Project): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  if (lock === undefined) return;
  const [program, ...args] = locking[lock];
  await run(program!, args, { cwd: folder, env: { ...process.env, CI: 'true' } });
  await rm(join(folder, 'node_modules'), { recursive: true, force: true });
}
