import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { openFiles } from '../../folder/folder-files.ts';
import { listFolder } from './folder-listing.ts';
import { gitIgnored } from './source-listing.ts';

const place = await mkdtemp(join(tmpdir(), 'berth-ignored-'));
after(() => rm(place, { recursive: true, force: true }));

const files = {
  '.gitignore': '# built\nnode_modules/\n/dist\n*.log\n!keep.log\nsecret\\ file\n',
  'a.log': '',
  'keep.log': '',
  'secret file': '',
  'dist/page.html': '',
  'src/dist/page.html': '',
  'src/node_modules/x/index.js': '',
  'src/index.js': '',
  'src/.gitignore': '*.js\n!index.js\nkeep.log\n',
  'src/other.js': '',
  'src/keep.log': '',
  'src/deep/a.log': '',
  'src/deep/.gitignore': '!a.log\n',
  'node_modules/.gitignore': '!back.js\n',
  'node_modules/back.js': '',
};

test('a folder is listed without what its .gitignore files name, as Git lists it', async () => {
  const folder = await folderWith('rules', files);
  const listed = (await listFolder(folder, gitIgnored(openFiles(folder)))).filter(({ kind }) => kind === 'file');
  const git = (...words: string[]) => execFileSync('git', ['-C', folder, ...words], { encoding: 'utf8' });
  git('init', '-q');
  const expected = git('ls-files', '-z', '--others', '--exclude-standard').split('\0').filter(Boolean);
  assert.deepEqual(listed.map(({ path }) => path).sort(), expected.sort());
});

test('a .gitignore that is a link out of the folder is not read, and the folder of Git is left out', async () => {
  const folder = await folderWith('linked', { 'a.log': '', '.git/config': '' });
  const outside = join(place, 'outside');
  await writeFile(outside, '*.log\n');
  await symlink(outside, join(folder, '.gitignore'));
  const listed = await listFolder(folder, gitIgnored(openFiles(folder)));
  assert.deepEqual(
    listed.map(({ path }) => path),
    ['.gitignore', 'a.log'],
  );
});

async function folderWith(name: string, content: Record<string, string>): Promise<string> {
  const folder = join(place, name);
  for (const [path, text] of Object.entries(content)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}
