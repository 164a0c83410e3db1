import assert from 'node:assert/strict';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { followKeys, provideKeys, readKeys } from '../../src/lib/key-file.ts';
import { sealBy } from '../../src/lib/seal.ts';
import { openSqlite } from '../../src/store/database.ts';
import { type ApiWithAccounts, apiWithAccounts } from './people.ts';
import * as terminal from './terminal.ts';

let dataDir: string;
let file: string;
let api: ApiWithAccounts;
before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'berth-keys-'));
  file = join(dataDir, 'secret.key');
  provideKeys(file);
  // A service that runs: its connection to the database stays open while the command works on the same file.
  api = await apiWithAccounts({}, {}, await openSqlite(join(dataDir, 'berth.db')), sealBy(followKeys(file)));
});
after(async () => {
  await api.service.db.destroy();
  await rm(dataDir, { recursive: true });
});

const berthAdmin = (words: string[], env: Record<string, string> = {}) =>
  terminal.berthAdmin({ BERTH_DATA_DIR: dataDir, ...env }, ...words);

const shopYaml = `application:
  name: shop
  pods: [{ name: web, image: 'nginx:1', path: /, servicePorts: [80], vars: { A_PASSWORD: hunter2 } }]
`;

test('while the service runs the key changes, and tokens, API keys and repeated starts are worth what they were', async () => {
  const ada = await api.person('ada@example.com');
  const { body: made } = await ada.post('/api/keys', { name: 'laptop' });
  const { body: session } = await api.send('POST', '/createSession', '', {});
  const repeatable = {
    'idempotency-key': 'a key of 16 letters',
    authorization: `Bearer ${session.sessionToken}`,
  };
  const { body: started } = await api.postYaml('/startUserDeployment', shopYaml, repeatable);
  const owner = { authorization: `Bearer ${started.sessionToken}` };
  const script = { authorization: `Bearer ${made.key}` };
  const [before] = readKeys(file)!;

  const rotated = await berthAdmin(['rotate-key']);
  assert.equal(rotated.status, 0, rotated.stderr);
  assert.match(rotated.stdout, /^Sealed with the key [0-9a-f]{16} now: 3 rows\. The key before has left .*secret\.key/);
  assert.match(
    rotated.stderr,
    /^The key [0-9a-f]{16} is in .*secret\.key, next to the previous key until no data needs that key/,
  );
  assert.notEqual(readKeys(file)![0], before);
  assert.equal((await stat(file)).mode & 0o777, 0o600);

  const kept = await api.get('/getDeploymentConfiguration?applicationName=shop', owner);
  assert.equal(kept.body.yaml, shopYaml);
  const again = await api.postYaml('/startUserDeployment', shopYaml, repeatable);
  assert.equal(again.body.sessionToken, started.sessionToken);
  const claimed = await api.postYaml('/startUserDeployment', shopYaml, script);
  assert.equal(claimed.body.claim?.claimed, true, JSON.stringify(claimed.body));
  const updated = await api.postYaml('/updateUserDeployment', shopYaml.replace('hunter2', 'hunter3'), owner);
  assert.equal(updated.status, 200);
  assert.match((await api.get('/getDeploymentConfiguration?applicationName=shop', owner)).body.yaml, /hunter3/);
});

test('after a rotation users sign in again, with the same password, and stay signed in until the next one', async () => {
  const eve = await api.person('eve@example.com');
  assert.equal((await eve.get('/api/account')).status, 200);
  assert.equal((await berthAdmin(['rotate-key'])).status, 0);
  assert.equal((await eve.get('/api/account')).status, 401);
  assert.equal((await eve.signIn('eve@example.com')).status, 200);
  assert.equal((await eve.get('/api/account')).status, 200);
});

test('a rotation is in the audit log, and a script reads what it did', async () => {
  const { status, stdout } = await berthAdmin(['rotate-key', '--json']);
  const { kind, keyId, rows, unreadable } = JSON.parse(stdout);
  assert.deepEqual([status, kind, unreadable], [0, 'rotated', 0]);
  assert.ok(rows > 0);
  const { entries } = JSON.parse((await berthAdmin(['audit', '--json'])).stdout);
  assert.deepEqual([entries.at(-1).action, entries.at(-1).subject], ['rotate-key', keyId]);
});

test('it is refused, and changes nothing, where a setting holds the key, and where the file holds none', async () => {
  const before = readKeys(file);
  const set = await berthAdmin(['rotate-key'], { BERTH_SECRET_KEY: 'x'.repeat(32) });
  assert.deepEqual([set.status, set.stdout], [1, '']);
  assert.match(set.stderr, /^The key is in BERTH_SECRET_KEY.*\n.*BERTH_OLD_SECRET_KEY/);
  assert.ok(!set.stderr.includes('xxxx'));
  assert.deepEqual(readKeys(file), before);

  await rm(file);
  const none = await berthAdmin(['rotate-key']);
  assert.deepEqual([none.status, none.stdout], [1, '']);
  assert.match(none.stderr, /^The key file does not exist: .*secret\.key/);
  await writeFile(file, '["broken');
  const broken = await berthAdmin(['rotate-key']);
  assert.deepEqual([broken.status, broken.stdout], [1, '']);
  assert.match(broken.stderr, /^The key was not changed, or not yet to the end: /);
  assert.ok(!broken.stderr.includes('broken"'), broken.stderr);
});

test('its help says what it does to whom', async () => {
  const { status, stdout } = await berthAdmin(['rotate-key', '--help']);
  assert.equal(status, 0);
  assert.match(stdout, /berth admin rotate-key +makes a new key and encrypts the stored secrets/);
  assert.match(stdout, /session tokens and API keys do not change/);
});
