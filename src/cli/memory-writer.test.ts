import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { FolderError, type Memory, recallSealed } from './folder.ts';
import { inTurn } from './memory-turn.ts';
import { openMemoryWriter } from './memory-writer.ts';

async function newFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-writer-'));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}

async function earlierIn(folder: string): Promise<(string | undefined)[]> {
  const kept = JSON.parse(await readFile(join(folder, '.berth/earlier.json'), 'utf8')) as Memory[];
  return kept.map(({ sessionToken }) => sessionToken);
}

test('of two commands that start something in one folder at once, no token is lost', async (t) => {
  const folder = await newFolder(t);
  const reported: (string | undefined)[] = [];
  const open = () => openMemoryWriter(folder, undefined, ({ url }) => void reported.push(url));
  const memoryOf = (name: string): Memory => ({
    server: 'http://a.test',
    sessionToken: `berth_${name}`,
    url: `http://${name}.test`,
  });
  const [{ remember: one }, { remember: other }] = [await open(), await open()];
  await one({ server: 'http://a.test', starting: { key: 'k', document: 'd' } });
  await one(memoryOf('one'));
  await one(memoryOf('one'));
  assert.deepEqual(reported, []);
  await other({ server: 'http://a.test', starting: { key: 'l', document: 'd' } });
  await other(memoryOf('other'));
  assert.deepEqual(reported, ['http://one.test']);
  assert.equal((await recallSealed(folder, undefined)).memory.sessionToken, 'berth_other');
  assert.deepEqual(await earlierIn(folder), ['berth_one']);

  // A later command leaves what it has found of its own accord.
  const { remember: later } = await open();
  await later(memoryOf('later'));
  assert.equal(reported.length, 1);
});

test('of many commands that write in the same instant, no token is lost', async (t) => {
  const folder = await newFolder(t);
  const tokens = Array.from({ length: 12 }, (_, index) => `berth_${index}`);
  const writers = await Promise.all(tokens.map(() => openMemoryWriter(folder, undefined, () => {})));
  const memoryOf = (sessionToken: string): Memory => ({ server: 'http://a.test', sessionToken });
  await Promise.all(writers.map(({ remember }, index) => remember(memoryOf(tokens[index]!))));
  const { memory } = await recallSealed(folder, undefined);
  assert.deepEqual([...(await earlierIn(folder)), memory.sessionToken].toSorted(), tokens.toSorted());

  await Promise.all(writers.map(({ keepEarlier }, index) => keepEarlier(memoryOf(`berth_left_${index}`))));
  assert.equal((await earlierIn(folder)).length, 2 * tokens.length - 1);
  assert.deepEqual((await readdir(join(folder, '.berth'))).sort(), ['.gitignore', 'config.json', 'earlier.json']);
});

test('a command that was killed in its turn keeps no other one from its own, and a link in its place does', async (t) => {
  const folder = await newFolder(t);
  const lock = join(folder, '.berth/turn.lock');
  await mkdir(join(folder, '.berth'));
  for (const left of ['', 'of one that was killed']) {
    await writeFile(lock, left);
    assert.equal(await inTurn(folder, async () => (await readFile(lock, 'utf8')) !== left, 0), true);
    assert.ok(!(await readdir(join(folder, '.berth'))).includes('turn.lock'));
  }
  await symlink('/dev/zero', lock);
  await assert.rejects(
    inTurn(folder, async () => {}),
    FolderError,
  );
});
