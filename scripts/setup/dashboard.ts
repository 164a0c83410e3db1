/** The dashboard, built from its sources when they are newer than what is there. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { glob, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Announce } from './announce.ts';
import { run } from './commands.ts';

const root = join(import.meta.dirname, '../..');

export const dashboardFolder = join(root, 'web/dist');

/** Everything that the bundle is made from: its own files, what it shares with the service, and the versions of its libraries. */
const sources = [
  'web/*.{html,json,ts}',
  'web/{src,build}/**/*',
  'scripts/compiled-validator.ts',
  'src/{client,config,deployment,lib}/**/*.ts',
  'examples/*.yaml',
  'package-lock.json',
];
const record = '.sources';

/** Builds it unless the sources are those of the last build. */
export async function provideDashboard(announce: Announce): Promise<void> {
  const wanted = await fingerprintOf(root);
  const built = await readFile(join(dashboardFolder, record), 'utf8').catch(() => undefined);
  if (built === wanted) return;
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  // An installation without development dependencies has what was built for it, or serves the API alone.
  if (!existsSync(vite)) return;
  await announce('Building the dashboard (about 3 s)', () => build(vite, wanted));
}

/** Beside the last one, which is replaced at the end: a service that starts meanwhile finds a whole dashboard. */
async function build(vite: string, fingerprint: string): Promise<void> {
  const folder = await mkdtemp(join(root, 'web/dist-'));
  try {
    const made = join(folder, 'new');
    await run([
      process.execPath,
      vite,
      'build',
      join(root, 'web'),
      '--outDir',
      made,
      '--emptyOutDir',
      '--logLevel',
      'warn',
    ]);
    await writeFile(join(made, record), fingerprint);
    await rename(dashboardFolder, join(folder, 'old')).catch(() => undefined);
    await rename(made, dashboardFolder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Of contents and names: times of files say little after a clone or a change of branch. */
export async function fingerprintOf(folder: string): Promise<string> {
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
