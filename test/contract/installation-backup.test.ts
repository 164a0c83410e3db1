/** A backup of an installation, and its restore on an empty machine: with the real restic, on a folder. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import type { Kysely } from 'kysely';
import { parsePostgresUrl } from '../../src/lib/postgres-address.ts';
import { openPostgres } from '../../src/store/database.ts';
import { lastBackupAt } from '../../src/store/installation.ts';
import type { Tables } from '../../src/store/rows.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { admin, type BackupScene, contentOf, openBackupScene, passphrase } from './backup-scene.ts';

let postgres: TestPostgres;
before(async () => {
  postgres = await startPostgres();
});
after(async () => await postgres[Symbol.asyncDispose]());

let scene: BackupScene;
beforeEach(async () => {
  scene = await openBackupScene();
});
afterEach(async () => await scene[Symbol.asyncDispose]());

async function deploymentsOf(db: Kysely<Tables>) {
  const found = await db.selectFrom('deployments').selectAll().orderBy('id').execute();
  return found.map(({ endpoints: _, routesVersion: __, ...row }) => JSON.stringify(row));
}

test('what is backed up while a service works comes back on an empty machine: rows, key, settings, pushed images', async () => {
  const { dataDir, db, key, blobs } = await scene.installation();
  const env = { BERTH_DATA_DIR: dataDir, BERTH_METRICS_TOKEN: "it's secret, and long enough to be one" };
  const made = await admin(env, 'backup', '--to', scene.place, ...scene.passphraseFile);
  assert.equal(made.status, 0, made.stderr);
  assert.match(
    made.stdout,
    /^Backed up as [0-9a-f]{8}: database, keys, settings, 3 parts of pushed images, the volumes of 0 deployments; /,
  );
  const at = (await lastBackupAt(db)) ?? 0;
  assert.ok(at > Date.now() - 3_600_000 && at <= Date.now());
  const before = await contentOf(db);
  const deployments = await deploymentsOf(db);
  await db.deleteFrom('revisions').execute();

  const there = join(scene.folder, 'there');
  const back = await admin({ BERTH_DATA_DIR: there }, 'restore', '--from', scene.place, ...scene.passphraseFile);
  assert.equal(back.status, 0, back.stderr);
  const restored = await scene.sqlite(there);
  assert.deepEqual(await contentOf(restored), before);
  assert.deepEqual(await deploymentsOf(restored), deployments);
  assert.equal(await readFile(join(there, 'secret.key'), 'utf8'), key);
  assert.equal(
    await readFile(join(there, 'restored-settings.env'), 'utf8'),
    `BERTH_DATA_DIR='${dataDir}'\nBERTH_METRICS_TOKEN='it'\\''s secret, and long enough to be one'\n`,
  );
  const pushed = join(there, 'images', 'pushed', 'sha256');
  assert.deepEqual((await readdir(pushed)).sort(), blobs);
  for (const name of blobs)
    assert.equal(
      createHash('sha256')
        .update(await readFile(join(pushed, name)))
        .digest('hex'),
      name,
    );
  for (const name of ['berth.db', 'secret.key', 'restored-settings.env'])
    assert.equal((await stat(join(there, name))).mode & 0o777, 0o600, name);
  assert.deepEqual(
    (await readdir(there)).filter((name) => /draft/.test(name)),
    [],
  );
});

test('previous addresses have no routes, and all deployments that may run are visited at once', async () => {
  const { dataDir, db } = await scene.installation();
  await db
    .updateTable('deployments')
    .set({ goneAt: null, endpoints: '[{"path":"/","address":"10.1.2.3","port":80}]' })
    .execute();
  const made = await admin({ BERTH_DATA_DIR: dataDir }, 'backup', '--to', scene.place, ...scene.passphraseFile);
  assert.equal(made.status, 0, made.stderr);
  const there = join(scene.folder, 'there');
  assert.equal(
    (await admin({ BERTH_DATA_DIR: there }, 'restore', '--from', scene.place, ...scene.passphraseFile)).status,
    0,
  );
  const restored = await scene.sqlite(there);
  const deployments = await restored.selectFrom('deployments').select('endpoints').execute();
  assert.ok(deployments.length > 0 && deployments.every(({ endpoints }) => endpoints === '[]'));
  const leases = await restored
    .selectFrom('leases')
    .innerJoin('deployments', 'id', 'deploymentId')
    .select(['token', 'dueAt'])
    .execute();
  assert.ok(leases.length > 0 && leases.every(({ token, dueAt }) => token === null && dueAt! < Date.now()));
});

test('an installation on PostgreSQL comes back in a file, and on another PostgreSQL', async () => {
  const { dataDir, db } = await scene.installation();
  await postgres.ask('create database kept');
  const moved = await admin({ BERTH_DATA_DIR: dataDir }, 'migrate-store', '--to', await urlAfter(db, 'kept'));
  assert.equal(moved.status, 0, moved.stderr);
  const env = { BERTH_DATA_DIR: dataDir, BERTH_DATABASE_URL: postgres.url('kept') };
  const made = await admin(env, 'backup', '--to', scene.place, ...scene.passphraseFile);
  assert.equal(made.status, 0, made.stderr);
  const server = await openServer('kept');
  const before = await contentOf(server);

  const inFile = join(scene.folder, 'file');
  const first = await admin({ BERTH_DATA_DIR: inFile }, 'restore', '--from', scene.place, ...scene.passphraseFile);
  assert.equal(first.status, 0, first.stderr);
  assert.deepEqual(await contentOf(await scene.sqlite(inFile)), before);

  await postgres.ask('create database again');
  const onServer = { BERTH_DATA_DIR: join(scene.folder, 'server'), BERTH_DATABASE_URL: postgres.url('again') };
  const second = await admin(onServer, 'restore', '--from', scene.place, ...scene.passphraseFile);
  assert.equal(second.status, 0, second.stderr);
  assert.deepEqual(await contentOf(await openServer('again')), before);
  const third = await admin(
    { ...onServer, BERTH_DATA_DIR: join(scene.folder, 'third') },
    'restore',
    '--from',
    scene.place,
    ...scene.passphraseFile,
  );
  assert.equal(third.status, 1);
  assert.match(third.stderr, /has a state of this installation already/);
});

/** A move is for the only one who is there. */
async function urlAfter(db: Kysely<Tables>, database: string): Promise<string> {
  await db.destroy();
  return postgres.url(database);
}

async function openServer(database: string): Promise<Kysely<Tables>> {
  const db = await openPostgres({ ...parsePostgresUrl(postgres.url(database)), connections: 2 });
  scene.defer(() => db.destroy());
  return db;
}

test('a second backup moves what has changed, and of older ones as many stay as are wanted', async () => {
  const { dataDir, db } = await scene.installation();
  const blob = Buffer.alloc(3_000_000, 'incompressible? no, but large');
  await writeFile(join(dataDir, 'images/pushed/sha256', createHash('sha256').update(blob).digest('hex')), blob);
  const backUp = async (...words: string[]) => {
    const { status, stdout, stderr } = await admin(
      { BERTH_DATA_DIR: dataDir },
      'backup',
      '--to',
      scene.place,
      '--json',
      ...scene.passphraseFile,
      ...words,
    );
    assert.equal(status, 0, stderr);
    return JSON.parse(stdout);
  };
  const first = await backUp();
  await db.updateTable('deployments').set({ state: 'expired' }).execute();
  const second = await backUp();
  assert.ok(second.totalBytes > 3_000_000 && second.addedBytes < first.addedBytes, JSON.stringify([first, second]));
  await backUp('--keep', '2', '--read-all');
  const gone = await admin(
    { BERTH_DATA_DIR: join(scene.folder, 'there') },
    'restore',
    '--from',
    scene.place,
    '--backup',
    first.id,
    ...scene.passphraseFile,
  );
  assert.deepEqual([gone.status, gone.stderr], [1, 'This location does not contain that backup.\n']);
  const older = await admin(
    { BERTH_DATA_DIR: join(scene.folder, 'there') },
    'restore',
    '--from',
    scene.place,
    '--backup',
    second.id,
    ...scene.passphraseFile,
  );
  assert.equal(older.status, 0, older.stderr);
});

test('nothing at the place can be read without the passphrase, which is in no list of processes and no environment', async () => {
  const { dataDir, key } = await scene.installation();
  const seen = join(scene.folder, 'seen');
  const programs = join(scene.folder, 'programs');
  await mkdir(programs);
  const real = (await findRestic())!;
  await writeFile(join(programs, 'restic'), `#!/bin/sh\n{ echo "$@"; env; } >> '${seen}'\nexec '${real}' "$@"\n`);
  await chmod(join(programs, 'restic'), 0o755);
  const env = {
    BERTH_DATA_DIR: dataDir,
    BERTH_METRICS_TOKEN: 'a-token-of-mine-that-is-long-enough',
    PATH: `${programs}${delimiter}${process.env.PATH}`,
  };
  const made = await admin(env, 'backup', '--to', scene.place, ...scene.passphraseFile);
  assert.equal(made.status, 0, made.stderr);
  const calls = await readFile(seen, 'utf8');
  assert.match(calls, /^--quiet --repo .* backup /m);
  const secrets = [passphrase, key, 'a-token-of-mine-that-is-long-enough'];
  for (const secret of secrets) assert.ok(!calls.includes(secret));
  const names = await readdir(scene.place, { recursive: true, withFileTypes: true });
  const files = names.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name));
  assert.ok(files.length > 3);
  for (const file of files) {
    const bytes = await readFile(file);
    for (const text of [...secrets, 'SQLite format 3', 'layer one'])
      assert.ok(!bytes.includes(text), `${file}: ${text}`);
  }
  await writeFile(join(scene.folder, 'passphrase'), 'another horse battery\n');
  for (const words of [
    ['backup', '--to'],
    ['restore', '--from'],
  ]) {
    const dir = words[0] === 'backup' ? dataDir : join(scene.folder, 'there');
    const { status, stderr } = await admin({ BERTH_DATA_DIR: dir }, ...words, scene.place, ...scene.passphraseFile);
    assert.equal(status, 1);
    assert.match(stderr, /wrong password/);
  }
});

async function findRestic(): Promise<string | undefined> {
  for (const directory of process.env.PATH!.split(delimiter)) {
    const file = join(directory, 'restic');
    if (await stat(file).catch(() => undefined)) return file;
  }
  return undefined;
}
