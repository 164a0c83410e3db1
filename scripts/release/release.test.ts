import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { run } from '../setup/commands.ts';
import { changelogSection, versionProblem, withSection } from './changelog.ts';
import { makeRelease } from './release.ts';

let root: string;
const git = (...words: string[]) => run(['git', ...words], { cwd: root });
async function commit(path: string, subject: string): Promise<void> {
  await mkdir(join(root, path, '..'), { recursive: true });
  await writeFile(join(root, path), subject);
  await git('add', '.');
  await git('commit', '--quiet', '--message', subject);
}
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'berth-release-'));
  await git('init', '--quiet');
  await git('config', 'user.name', 'Tests');
  await git('config', 'user.email', 'tests@example.com');
  await writeFile(join(root, '.gitignore'), 'dist\n');
  await writeFile(join(root, 'package.json'), '{ "name": "berth", "version": "0.1.0", "private": true }\n');
  const lock = { name: 'berth', version: '0.1.0', lockfileVersion: 3, packages: {} };
  await writeFile(join(root, 'package-lock.json'), JSON.stringify(lock));
  await commit('src/store/migrations/0001-initial.ts', 'Begin');
});
afterEach(() => rm(root, { recursive: true }));

async function release(version: string, isWritten: boolean): Promise<string> {
  const said: string[] = [];
  await makeRelease({
    root,
    version,
    isWritten,
    now: new Date(Date.UTC(2026, 0, 2)),
    packCommand: (folder) => writeFile(join(folder, `berth-${version}.tgz`), 'the command'),
    say: (text) => said.push(text),
  });
  return said.join('');
}

test('without --write a release is printed, and no files change', async () => {
  assert.match(await release('0.2.0', false), /## 0\.2\.0 \(2026-01-02\)\n\nThis is the first release[\s\S]*- Begin/);
  assert.equal(await git('status', '--porcelain'), '');
  assert.equal(await git('tag'), '');
});

test('a release has its version, its changelog, a tag, and files with their sums', async () => {
  await release('0.2.0', true);
  await commit('src/store/migrations/0002-more.ts', 'Keep more');
  const reported = await release('0.3.0', true);
  assert.match(reported, /adds to the schema of the database \(0002-more\)[\s\S]*- Keep more/);
  assert.equal(JSON.parse(await readFile(join(root, 'package.json'), 'utf8')).version, '0.3.0');
  const changelog = await readFile(join(root, 'CHANGELOG.md'), 'utf8');
  assert.ok(changelog.indexOf('## 0.3.0') < changelog.indexOf('## 0.2.0'), changelog);
  assert.deepEqual((await git('tag')).trim().split('\n'), ['v0.2.0', 'v0.3.0']);
  assert.equal(await git('status', '--porcelain'), '');
  const folder = join(root, 'dist/release-0.3.0');
  const files = ['SHA256SUMS', 'berth-0.3.0-source.tar.gz', 'berth-0.3.0.tgz'];
  assert.deepEqual((await readdir(folder)).sort(), files);
  await run(['sha256sum', '--check', '--strict', 'SHA256SUMS'], { cwd: folder });
});

test('a changelog says what a release does to the schema, and whether the previous release can follow', () => {
  const before = ['0001-initial'];
  const section = (schemaBefore: string[] | undefined, schema: string[]) =>
    changelogSection({ version: '1.0.0', date: '', subjects: [], schemaBefore, schema });
  const second = [...before, '0002-more'];
  assert.match(section(undefined, second), /^This is the first release/m);
  assert.match(section(before, before), /^The schema of the database is that of the previous release/m);
  assert.match(section(before, second), /^The first start adds .*\(0002-more\).* does not start on it/m);
  assert.throws(() => section(second, before), /lacks migrations/);
});

test('uncommitted changes, and a version that does not follow, are refused', async () => {
  await assert.rejects(release('0.1.0', true), /not after 0\.1\.0/);
  await assert.rejects(release('1', true), /is not a version/);
  await writeFile(join(root, 'left'), 'x');
  await assert.rejects(release('0.2.0', false), /not committed:\n\?\? left/);
});

test('versions go up by number, not by letter', () => {
  assert.equal(versionProblem('0.10.0', '0.9.9'), undefined);
  assert.equal(versionProblem('1.0.0', '0.9.9'), undefined);
  assert.match(versionProblem('0.9.10', '0.10.0')!, /not after/);
});

test('a changelog keeps its entries, and refuses a version that it has', () => {
  const first = withSection(undefined, '1.0.0', '## 1.0.0 (a)\n');
  const both = withSection(first, '1.1.0', '## 1.1.0 (b)\n');
  assert.equal(both, '# Changelog\n\n## 1.1.0 (b)\n\n## 1.0.0 (a)\n');
  assert.throws(() => withSection(both, '1.0.0', ''), /already/);
});
