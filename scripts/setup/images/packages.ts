/** Debian packages as a source of files: downloaded and unpacked, never installed. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../commands.ts';

/** Unpacks the packages, and the libraries they need which this machine lacks, into one folder. */
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
 * Reads the plan of `apt-get install --simulate`. The C library stays the machine's, whose loader finds the others;
 * LLVM (100 MB) serves only PostgreSQL's optional compiler of queries, which does without.
 */
export function missingLibraries(plan: string): string[] {
  const names = [...plan.matchAll(/^Inst (lib\S+) /gm)].map(([, name]) => name as string);
  return names.filter((name) => !/^libc6$|^libc-|^libllvm|-dev$|-perl$/.test(name));
}
