/** `npm run release`: a version, its changelog, and the files that people install. Dry, unless `--write` is given. */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildPackage } from '../cli/build.ts';
import { run } from '../setup/commands.ts';
import { changelogSection, type Release, versionProblem, withSection } from './changelog.ts';

const help = `Makes a release of what is committed.

  npm run release -- 1.2.3            says what it would be, and changes nothing
  npm run release -- 1.2.3 --write    writes version and CHANGELOG.md, commits and tags both (v1.2.3), and packs
                                      dist/release-1.2.3: the command, the source that npm start and npm run image
                                      build from, and SHA256SUMS

Nothing is pushed or published. A tree with changes that are not committed is refused.
`;

export type ReleaseOrder = {
  root: string;
  version: string;
  now: Date;
  isWritten: boolean;
  /** Puts the packed command into a folder. Tests use another function. */
  packCommand: (folder: string) => Promise<void>;
  say: (text: string) => void;
};

/** Throws an error for people. Interrupted, a release has no tag, and its files have no folder. */
export async function makeRelease(order: ReleaseOrder): Promise<void> {
  const { root, version, now, isWritten, say } = order;
  const git = (...words: string[]) => run(['git', ...words], { cwd: root });
  const { version: current } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  const problem = versionProblem(version, current);
  if (problem) throw new Error(problem);
  const changed = (await git('status', '--porcelain')).trim();
  if (changed !== '') throw new Error(`These changes are not committed:\n${changed}`);
  const last = (await git('tag', '--list', 'v*', '--merged', 'HEAD', '--sort=-version:refname')).split('\n')[0]!.trim();
  const since = last === '' ? ['HEAD'] : [`${last}..HEAD`];
  const subjects = (await git('log', '--no-merges', '--format=%s', ...since)).split('\n').filter(Boolean);
  const release: Release = {
    version,
    subjects,
    date: now.toISOString().slice(0, 10),
    schemaBefore: last === '' ? undefined : await migrationsAt(git, last),
    schema: await migrationsAt(git, 'HEAD'),
  };
  const section = changelogSection(release);
  if (!isWritten) {
    say(
      `${section}\nThat would be ${version}, after ${last || 'no release'}. Nothing was changed: --write makes it.\n`,
    );
    return;
  }
  const changelog = join(root, 'CHANGELOG.md');
  const before = existsSync(changelog) ? await readFile(changelog, 'utf8') : undefined;
  await writeFile(changelog, withSection(before, version, section));
  await run(['npm', 'version', version, '--no-git-tag-version', '--ignore-scripts'], { cwd: root });
  await git('add', 'CHANGELOG.md', 'package.json', 'package-lock.json');
  await git('commit', '--quiet', '--message', `Release ${version}`);
  await packInto(join(root, 'dist', `release-${version}`), order, git);
  await git('tag', '--annotate', `v${version}`, '--message', `Berth ${version}`);
  say(`${section}\nMade: dist/release-${version}, and the tag v${version}. Nothing was pushed.\n`);
}

type Git = (...words: string[]) => Promise<string>;

/** A migration is a file that begins with its number. */
async function migrationsAt(git: Git, commit: string): Promise<string[]> {
  const paths = (await git('ls-tree', '--name-only', commit, 'src/store/migrations/')).split('\n');
  return paths.flatMap((path) => /(\d{4}-[\w-]+)\.ts$/.exec(path)?.[1] ?? []);
}

async function packInto(folder: string, { version, packCommand }: ReleaseOrder, git: Git): Promise<void> {
  const draft = `${folder}.draft`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true });
  await packCommand(draft);
  const name = `berth-${version}-source`;
  await git('archive', '--format=tar.gz', `--prefix=${name}/`, `--output=${join(draft, `${name}.tar.gz`)}`, 'HEAD');
  const sums: string[] = [];
  for (const file of (await readdir(draft)).sort()) sums.push(`${await sha256Of(join(draft, file))}  ${file}\n`);
  await writeFile(join(draft, 'SHA256SUMS'), sums.join(''));
  await rm(folder, { recursive: true, force: true });
  await rename(draft, folder);
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(file)) hash.update(piece as Uint8Array);
  return hash.digest('hex');
}

async function packBerth(folder: string): Promise<void> {
  const built = join(folder, 'package');
  await buildPackage(built);
  await run(['npm', 'pack', '--pack-destination', folder, built]);
  await rm(built, { recursive: true });
}

if (import.meta.main) {
  const options = { write: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [version] = positionals;
  if (values.help || version === undefined) process.stdout.write(help);
  else
    await makeRelease({
      version,
      now: new Date(),
      isWritten: values.write ?? false,
      packCommand: packBerth,
      root: join(import.meta.dirname, '../..'),
      say: (text) => process.stdout.write(text),
    }).catch((error: Error) => {
      process.stderr.write(`${error.message}\n`);
      process.exitCode = 1;
    });
}
