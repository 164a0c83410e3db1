import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { clearDrafts, followKeys, provideKeys, readKeys, replaceKeys } from './key-file.ts';

let folder: string;
let file: string;
let count = 0;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-keys-'));
});
after(async () => await rm(folder, { recursive: true }));
beforeEach(async () => {
  const own = join(folder, String(++count));
  await mkdir(own);
  file = join(own, 'secret.key');
});

test('the key is made once, for its owner alone, and nothing else is left behind', async () => {
  assert.equal(readKeys(file), undefined);
  provideKeys(file);
  const keys = readKeys(file);
  provideKeys(file);
  assert.deepEqual(readKeys(file), keys);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.deepEqual(await readdir(join(folder, String(count))), ['secret.key']);
});

test('a key that an operator has written is taken as it is, to the last character', async () => {
  await writeFile(file, 'a key of 32 characters or more…\n');
  assert.deepEqual(readKeys(file), ['a key of 32 characters or more…\n']);
});

test('several keys are read as they were written, and one is the whole file', async () => {
  provideKeys(file);
  replaceKeys(file, ['new', 'old\n']);
  assert.deepEqual(readKeys(file), ['new', 'old\n']);
  replaceKeys(file, ['new']);
  assert.equal(await readFile(file, 'utf8'), 'new');
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.deepEqual(await readdir(join(folder, String(count))), ['secret.key']);
});

test('what a process that was killed while it wrote has left is removed, and nothing else', async () => {
  provideKeys(file);
  for (const name of ['.draft-abcdefghij', '.backup', '.draft']) await writeFile(`${file}${name}`, 'key');
  clearDrafts(file);
  const left = ['secret.key', 'secret.key.backup', 'secret.key.draft'];
  assert.deepEqual((await readdir(join(folder, String(count)))).sort(), left);
  await writeFile(`${file}.draft-klmnopqrst`, 'key');
  replaceKeys(file, ['new']);
  assert.deepEqual((await readdir(join(folder, String(count)))).sort(), left);
});

test('a link to the key stays a link', async () => {
  const target = `${file}.elsewhere`;
  await writeFile(target, 'old');
  await symlink(target, file);
  replaceKeys(file, ['new', 'old']);
  assert.deepEqual(JSON.parse(await readFile(target, 'utf8')), ['new', 'old']);
});

test('an empty file or a broken list is refused, and not taken for a key', async () => {
  await writeFile(file, '');
  assert.throws(() => readKeys(file), /is empty/);
  for (const text of ['[]', '[""]', '[1]', '["a"']) {
    await writeFile(file, text);
    assert.throws(() => readKeys(file), text);
  }
});

test('a reader of the file uses the new key at the next use, and knows the previous one to the end', async () => {
  await writeFile(file, 'old');
  const keysNow = followKeys(file);
  assert.deepEqual(keysNow(), ['old']);
  replaceKeys(file, ['new', 'old']);
  const keys = keysNow();
  assert.deepEqual(keys, ['new', 'old']);
  assert.equal(keysNow(), keys, 'the same list while nothing changes');
  replaceKeys(file, ['new']);
  assert.deepEqual(keysNow(), ['new', 'old']);
  await rm(file);
  assert.deepEqual(keysNow(), ['new', 'old']);
});
