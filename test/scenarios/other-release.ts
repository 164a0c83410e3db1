/** Services of other releases for scenarios: the code of today with more migrations, or that of an earlier commit. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { generationOf } from '../../src/store/migrations/generations.ts';

const run = promisify(execFile);

/** `service` and `down`: the programs of it. `generation`: of its schema. */
export type OtherRelease = AsyncDisposable & { service: string; down: string; generation: number };

/** `changes`: the text of `up` by the name of its migration, after those of today. */
export async function laterRelease(changes: Record<string, string>): Promise<OtherRelease> {
  const release = await folderFor();
  for (const name of await readdir('.')) {
    if (name === 'src' || name === 'scripts') await cp(name, join(release.folder, name), { recursive: true });
    else await symlink(join(process.cwd(), name), join(release.folder, name));
  }
  const migrations = join(release.folder, 'src/store/migrations');
  for (const [name, text] of Object.entries(changes))
    await writeFile(join(migrations, `${name}.ts`), `export async function up(db) {\n${text}\n}\n`);
  const index = await readFile(join(migrations, 'index.ts'), 'utf8');
  const names = Object.keys(changes);
  const imports = names.map((name, at) => `import * as later${at} from './${name}.ts';\n`).join('');
  const entries = names.map((name, at) => `  '${name}': later${at},\n`).join('');
  const generation = generationOf(names);
  const withMore = index
    .replace(/(?=^export const migrations)/m, imports)
    .replace(/^};/m, `${entries}};`)
    .replace(/^export const generationChanges.*$/m, `$&\n  ${generation}: 'what was told is told otherwise',`);
  await writeFile(join(migrations, 'index.ts'), withMore);
  return await releaseIn(release);
}

/** The newest of the commits, with the packages of today; undefined where this clone has none of them. */
export async function newestRelease(commits: readonly string[]): Promise<OtherRelease | undefined> {
  const known = await Promise.all(
    commits.map(async (commit) => {
      const told = await run('git', ['show', '--no-patch', '--format=%ct', commit]).catch(() => undefined);
      return told ? [{ commit, at: Number(told.stdout) }] : [];
    }),
  );
  const commit = known.flat().sort((a, b) => b.at - a.at)[0]?.commit;
  if (commit === undefined) return undefined;
  const release = await folderFor();
  const archive = join(release.folder, 'source.tar');
  await run('git', ['archive', `--output=${archive}`, commit]);
  await run('tar', ['-xf', archive, '-C', release.folder]);
  for (const name of ['node_modules', 'web/dist']) await symlink(join(process.cwd(), name), join(release.folder, name));
  return await releaseIn(release);
}

async function folderFor(): Promise<AsyncDisposable & { folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-release-'));
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

async function releaseIn(release: AsyncDisposable & { folder: string }): Promise<OtherRelease> {
  const { folder } = release;
  return {
    service: join(folder, 'src/main.ts'),
    down: join(folder, 'scripts/down.ts'),
    generation: generationOf(await readdir(join(folder, 'src/store/migrations'))),
    [Symbol.asyncDispose]: () => release[Symbol.asyncDispose](),
  };
}
