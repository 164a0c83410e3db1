import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import type { Kysely } from 'kysely';
import { deploymentOf, pod, specOf } from '../test/support/deployments.ts';
import { emptyStore } from '../test/support/empty-store.ts';
import { openKeys } from './sealing-keys.ts';
import { addDeployment } from './store/deployments.ts';
import { addRevision, documentOf } from './store/revisions.ts';
import type { Tables } from './store/rows.ts';
import { derivationOf, provideSeed } from './store/seeds.ts';
import { addSession } from './store/sessions.ts';

const [first, second] = ['first key of 32 characters or more', 'second key of 32 characters or more'];

let dataDir: string;
let db: Kysely<Tables>;
let logged: string[];
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'berth-keys-'));
  db = await emptyStore();
  logged = [];
});
afterEach(async () => {
  await db.destroy();
  await rm(dataDir, { recursive: true });
});

/** The key handling of a start of the service. */
async function start(settings: { secretKey?: string; oldSecretKey?: string } = {}) {
  const { secretKey, oldSecretKey } = settings;
  const log = (fields: object, message: string) => logged.push(`${message} ${JSON.stringify(fields)}`);
  return await openKeys(db, { dataDir, secretKey, oldSecretKey }, { info: log, error: log });
}

async function addShop(seal: Awaited<ReturnType<typeof start>>): Promise<void> {
  await addSession(db, { id: 'session', token: 'token', createdAt: 0 });
  await addDeployment(db, deploymentOf({ id: 'shop' }));
  await provideSeed(db, seal, 'shop');
  await addRevision(db, seal, 'shop', {
    number: 1,
    spec: specOf(pod('web')),
    document: 'text',
    createdAt: 0,
    askedBy: 'session',
  });
}

test('a key that a setting gives is in no file', async () => {
  await addShop(await start({ secretKey: first }));
  assert.ok(!existsSync(join(dataDir, 'secret.key')));
  assert.equal(await documentOf(db, await start({ secretKey: first }), 'shop', 1), 'text');
  assert.deepEqual(logged, []);
});

test('one start with the previous and the new key reseals everything, and generated values stay', async () => {
  const before = await start({ secretKey: first });
  await addShop(before);
  const value = (await derivationOf(db, before, 'shop'))('purpose');
  await start({ secretKey: second, oldSecretKey: first });
  assert.deepEqual(logged, ['everything is sealed with the new key {"rows":2}']);
  const after = await start({ secretKey: second });
  assert.equal(await documentOf(db, after, 'shop', 1), 'text');
  assert.deepEqual((await derivationOf(db, after, 'shop'))('purpose'), value);
});

test('the key moves from its file to a setting, and back into a file', async () => {
  await addShop(await start());
  const inFile = await readFile(join(dataDir, 'secret.key'), 'utf8');
  await start({ secretKey: first, oldSecretKey: inFile });
  assert.equal(await documentOf(db, await start({ secretKey: first }), 'shop', 1), 'text');
  await rm(join(dataDir, 'secret.key'));
  await start({ oldSecretKey: first });
  assert.equal(await documentOf(db, await start(), 'shop', 1), 'text');
});

test('with a wrong key, the log reports it, and stored data stays unchanged', async () => {
  await addShop(await start({ secretKey: first }));
  const wrong = await start({ secretKey: second });
  assert.match(logged.at(-1)!, /cannot be opened with any of the keys.* \{"unreadable":2\}$/);
  await assert.rejects(documentOf(db, wrong, 'shop', 1));
  assert.equal(await documentOf(db, await start({ secretKey: first }), 'shop', 1), 'text');
});

test('a missing key file is not replaced while values are sealed', async () => {
  await addShop(await start());
  const file = join(dataDir, 'secret.key');
  const key = await readFile(file, 'utf8');
  await rm(file);
  await assert.rejects(start(), {
    message: new RegExp(
      `${file} is missing[^]*1\\. Put the file back[^]*2\\. Set BERTH_SECRET_KEY[^]*3\\. If the key is lost`,
    ),
  });
  assert.ok(!existsSync(file));
  await start({ oldSecretKey: key });
  assert.ok(existsSync(file), 'a key that moves from a setting to the file');
});
