import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { connect } from './connect.ts';
import { FolderError, readSession, saveSession } from './saved-session.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-folder-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('only its owner can read the saved session, and repositories ignore it', async () => {
  const saved = { server: 'http://localhost:8080', sessionToken: 'berth_x', starting: { key: 'k', document: 'd' } };
  await saveSession(folder, saved);
  assert.deepEqual((await readSession(folder, undefined)).saved, saved);
  assert.equal((await stat(join(folder, '.berth/config.json'))).mode & 0o777, 0o600);
  assert.equal(await readFile(join(folder, '.berth/.gitignore'), 'utf8'), '*\n');
  await saveSession(folder, { server: 'http://localhost:8080' });
  assert.deepEqual((await readSession(folder, undefined)).saved, { server: 'http://localhost:8080' });
  assert.deepEqual((await readdir(join(folder, '.berth'))).sort(), ['.gitignore', 'config.json']);
});

test('a folder without a session file has an empty session, and an unreadable file is an error', async () => {
  assert.deepEqual((await readSession(folder, undefined)).saved, {});
  await mkdir(join(folder, '.berth'));
  await writeFile(join(folder, '.berth/config.json'), '[oops');
  await assert.rejects(readSession(folder, undefined), FolderError);
  await writeFile(join(folder, '.berth/config.json'), '{"server":7,"url":"u","more":1}');
  assert.deepEqual((await readSession(folder, undefined)).saved, { url: 'u' });
});

const saved = {
  server: 'http://a.test',
  sessionToken: 'berth_mine',
  applicationName: 'shop',
  environment: 'jolly-tapir',
};
const requested = (options: Record<string, string>, env: Record<string, string> = {}, known: object = saved) => {
  const connection = connect({ options, env, saved: known });
  assert.ok(typeof connection !== 'string', String(connection));
  const { server, token, application } = connection;
  return { server, token, application };
};

test('the server is that of the words, else of the environment, else of the folder, else of this machine', () => {
  assert.equal(requested({ server: 'http://b.test/' }, { BERTH_SERVER: 'http://c.test' }).server, 'http://b.test');
  assert.equal(requested({}, { BERTH_SERVER: 'c.test:81' }).server, 'http://c.test:81');
  assert.equal(requested({}).server, 'http://a.test');
  assert.equal(requested({}, {}, {}).server, 'http://localhost:8080');
  for (const wrong of ['ftp://a', 'http://', 'https://user:word@a.test']) {
    assert.equal(typeof connect({ options: { server: wrong }, env: {}, saved: {} }), 'string', wrong);
  }
});

test('a token is shown to the service that gave it and to no other', () => {
  assert.deepEqual(requested({}), {
    server: 'http://a.test',
    token: 'berth_mine',
    application: { applicationName: 'shop' },
  });
  assert.deepEqual(requested({ server: 'http://b.test' }), {
    server: 'http://b.test',
    token: undefined,
    application: undefined,
  });
});

test('another token does not refer to the folder’s application; an account’s application is identified by its environment', () => {
  assert.equal(requested({ server: saved.server, token: 'berth_other' }).application, undefined);
  const { sessionToken: _, ...ofAccount } = saved;
  assert.deepEqual(requested({}, { BERTH_SERVER: saved.server, BERTH_TOKEN: 'berthkey_x' }, ofAccount).application, {
    applicationName: 'shop',
    environment: 'jolly-tapir',
  });
  assert.deepEqual(requested({ app: 'blog' }).application, { applicationName: 'blog' });
});
