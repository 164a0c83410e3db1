import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { withFolderLock } from './folder-lock.ts';
import { FolderError, readSession, type SavedSession } from './saved-session.ts';
import { openSessionWriter } from './session-writer.ts';

async function newFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-writer-'));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}

async function earlierIn(folder: string): Promise<(string | undefined)[]> {
  const kept = JSON.parse(await readFile(join(folder, '.berth/earlier.json'), 'utf8')) as SavedSession[];
  return kept.map(({ sessionToken }) => sessionToken);
}

test('of two commands that start something in one folder at once, no token is lost', async (t) => {
  const folder = await newFolder(t);
  const reported: (string | undefined)[] = [];
  const open = () => openSessionWriter(folder, undefined, ({ url }) => void reported.push(url));
  const sessionOf = (name: string): SavedSession => ({
    server: 'http://a.test',
    sessionToken: `berth_${name}`,
    url: `http://${name}.test`,
  });
  const [{ saveSession: one }, { saveSession: other }] = [await open(), await open()];
  await one({ server: 'http://a.test', starting: { key: 'k', document: 'd' } });
  await one(sessionOf('one'));
  await one(sessionOf('one'));
  assert.deepEqual(reported, []);
  await other({ server: 'http://a.test', starting: { key: 'l', document: 'd' } });
  await other(sessionOf('other'));
  assert.deepEqual(reported, ['http://one.test']);
  assert.equal((await readSession(folder, undefined)).saved.sessionToken, 'berth_other');
  assert.deepEqual(await earlierIn(folder), ['berth_one']);

  // A later command may replace the session that it has read.
  const { saveSession: later } = await open();
  await later(sessionOf('later'));
  assert.equal(reported.length, 1);
});

test('of many commands that write in the same instant, no token is lost', async (t) => {
  const folder = await newFolder(t);
  const tokens = Array.from({ length: 12 }, (_, index) => `berth_${index}`);
  const writers = await Promise.all(tokens.map(() => openSessionWriter(folder, undefined, () => {})));
  const sessionOf = (sessionToken: string): SavedSession => ({ server: 'http://a.test', sessionToken });
  await Promise.all(writers.map(({ saveSession }, index) => saveSession(sessionOf(tokens[index]!))));
  const { saved } = await readSession(folder, undefined);
  assert.deepEqual([...(await earlierIn(folder)), saved.sessionToken].toSorted(), tokens.toSorted());

  await Promise.all(
    writers.map(({ saveEarlierSession }, index) => saveEarlierSession(sessionOf(`berth_left_${index}`))),
  );
  assert.equal((await earlierIn(folder)).length, 2 * tokens.length - 1);
  assert.deepEqual((await readdir(join(folder, '.berth'))).sort(), ['.gitignore', 'config.json', 'earlier.json']);
});

test('a command that was killed in its turn keeps no other one from its own, and a link in its place does', async (t) => {
  const folder = await newFolder(t);
  const lock = join(folder, '.berth/turn.lock');
  await mkdir(join(folder, '.berth'));
  for (const left of ['', 'of one that was killed']) {
    await writeFile(lock, left);
    assert.equal(await withFolderLock(folder, async () => (await readFile(lock, 'utf8')) !== left, 0), true);
    assert.ok(!(await readdir(join(folder, '.berth'))).includes('turn.lock'));
  }
  await symlink('/dev/zero', lock);
  await assert.rejects(
    withFolderLock(folder, async () => {}),
    FolderError,
  );
});
