/** A folder that is built from sources, and built again only when they have changed. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { glob, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Announce } from './announce.ts';
import { run } from './commands.ts';

const root = join(import.meta.dirname, '../..');
const record = '.sources';

export type BuiltFolder = {
  /** Shown to the user during the build. */
  title: string;
  /** The folder of the result, below the repository. */
  folder: string;
  /** Patterns of all files that the result is made of, with the versions of its libraries. */
  sources: readonly string[];
  /** The program that builds, below `node_modules`. */
  program: string;
  /** Returns the arguments for a result in this folder. */
  args(made: string): string[];
};

/** Builds the folder unless its sources are unchanged since the last build. */
export async function provideFolder(built: BuiltFolder, announce: Announce): Promise<void> {
  const { title, folder, sources } = built;
  const wanted = await fingerprintOf(root, sources);
  const last = await readFile(join(root, folder, record), 'utf8').catch(() => undefined);
  if (last === wanted) return;
  const program = join(root, 'node_modules', built.program);
  // An installation without development dependencies has a prebuilt result, or works without one.
  if (!existsSync(program)) return;
  await announce(title, async () => {
    // The previous result is replaced at the end, so that a service that starts during the build finds a complete one.
    const work = await mkdtemp(join(root, `${folder}-`));
    try {
      const made = join(work, 'new');
      await run([process.execPath, program, ...built.args(made)]);
      await writeFile(join(made, record), wanted);
      await rename(join(root, folder), join(work, 'old')).catch(() => undefined);
      await rename(made, join(root, folder));
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  });
}

/** A hash of contents and names: a clone or a change of branch changes the times of files. */
export async function fingerprintOf(folder: string, sources: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  const names = (await Array.fromAsync(glob(sources, { cwd: folder }))).filter((name) => /\.\w+$/.test(name)).sort();
  for (const name of names.filter((name) => !name.endsWith('.test.ts'))) {
    hash
      .update(`${name}\0`)
      .update(await readFile(join(folder, name)))
      .update('\0');
  }
  return hash.digest('hex');
}
