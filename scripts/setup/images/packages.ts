/** Debian packages as a source of files: downloaded and unpacked, never installed. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../commands.ts';

/** Unpacks the packages, and missing libraries that they need, into one folder. */
export async function unpack(packages: readonly string[], folder: string): Promise<void> {
  const plan = await run(['apt-get', 'install', '--simulate', '--no-install-recommends', ...packages], {
    env: { LC_ALL: 'C' },
  });
  const wanted = [...new Set([...packages, ...missingLibraries(plan)])];
  await run(['apt-get', 'download', '--quiet', ...wanted], { cwd: folder });
  const archives = (await readdir(folder)).filter((name) => name.endsWith('.deb'));
  for (const archive of archives) await run(['dpkg-deb', '--extract', join(folder, archive), folder]);
}

/**
 * Reads the plan of `apt-get install --simulate`. The C library of the machine is used, whose loader finds the others.
 * LLVM (100 MB) is only needed for PostgreSQL's optional query compiler and is left out.
 */
export function missingLibraries(plan: string): string[] {
  const names = [...plan.matchAll(/^Inst (lib\S+) /gm)].map(([, name]) => name as string);
  return names.filter((name) => !/^libc6$|^libc-|^libllvm|-dev$|-perl$/.test(name));
}
