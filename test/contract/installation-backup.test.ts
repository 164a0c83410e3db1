/** A backup of an installation, and what comes back of it where there is none: with the real restic, on a folder. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import type { Kysely } from 'kysely';
import { type BackupOrder, type BackupStep, backUpInstallation } from '../../src/admin/backup/backup-installation.ts';
import { type RestoreStep, restoreInstallation } from '../../src/admin/backup/restore-installation.ts';
import { BackupFault } from '../../src/backup/backup-fault.ts';
import { readBackupPlace } from '../../src/backup/backup-place.ts';
import { openRepository } from '../../src/backup/restic.ts';
import { provideKeys, readKeys } from '../../src/lib/key-file.ts';
import { parsePostgresUrl } from '../../src/lib/postgres-address.ts';
import { keyIdOf } from '../../src/lib/seal.ts';
import { lastBackupAt } from '../../src/store/backups.ts';
import { digests, type TableDigest, tableShapes } from '../../src/store/copy-tables.ts';
import { openPostgres, openSqlite } from '../../src/store/database.ts';
import { noteKeyId } from '../../src/store/installation.ts';
import type { Tables } from '../../src/store/rows.ts';
import * as terminal from '../accounts/terminal.ts';
import { fillAnyTables } from '../support/any-rows.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';

const passphrase = 'correct horse battery';
/** More than one batch of any table with bytes. */
const rows = 60;

let postgres: TestPostgres;
before(async () => {
  postgres = await startPostgres();
});
after(async () => await postgres[Symbol.asyncDispose]());

let folder: string;
let opened: AsyncDisposableStack;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-backup-'));
  opened = new AsyncDisposableStack();
  opened.defer(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'passphrase'), `${passphrase}\n`, { mode: 0o600 });
});
afterEach(async () => await opened.disposeAsync());

const place = () => join(folder, 'kept');

async function sqlite(dataDir: string): Promise<Kysely<Tables>> {
  const db = await openSqlite(join(dataDir, 'berth.db'));
  opened.defer(() => db.destroy());
  return db;
}

/** A data directory as a service leaves it, with rows in every table. */
async function installation(): Promise<{ dataDir: string; db: Kysely<Tables>; key: string; blobs: string[] }> {
  const dataDir = join(folder, 'here');
  const pushed = join(dataDir, 'images', 'pushed', 'sha256');
  await mkdir(pushed, { recursive: true });
  provideKeys(join(dataDir, 'secret.key'));
  const [key] = readKeys(join(dataDir, 'secret.key'))!;
  const db = await sqlite(dataDir);
  await fillAnyTables(db, rows);
  await db.deleteFrom('backups').execute();
  await noteKeyId(db, keyIdOf(key));
  const blobs = [];
  for (const text of ['layer one', 'layer two', 'settings']) {
    const digest = createHash('sha256').update(text).digest('hex');
    await writeFile(join(pushed, digest), text);
    blobs.push(digest);
  }
  return { dataDir, db, key, blobs: blobs.sort() };
}

const admin = (env: Record<string, string>, ...words: string[]) =>
  terminal.berthAdmin({ PATH: process.env.PATH!, ...env }, ...words);

const passphraseFile = () => ['--passphrase-file', join(folder, 'passphrase')];

/** All but what a restore takes back, and what it and a backup write down. */
async function contentOf(db: Kysely<Tables>): Promise<TableDigest[]> {
  const changed = ['auditEntries', 'backups', 'deployments', 'leases', 'edges', 'duties', 'routeTable'];
  return await digests(
    db,
    (await tableShapes()).filter(({ name }) => !changed.includes(name)),
  );
}

async function deploymentsOf(db: Kysely<Tables>) {
  const found = await db.selectFrom('deployments').selectAll().orderBy('id').execute();
  return found.map(({ endpoints: _, routesVersion: __, ...row }) => JSON.stringify(row));
}

test('what is backed up while a service works comes back on an empty machine: rows, key, settings, pushed images', async () => {
  const { dataDir, db, key, blobs } = await installation();
  const env = { BERTH_DATA_DIR: dataDir, BERTH_METRICS_TOKEN: "it's secret, and long enough to be one" };
  const made = await admin(env, 'backup', '--to', place(), ...passphraseFile());
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

  const there = join(folder, 'there');
  const back = await admin({ BERTH_DATA_DIR: there }, 'restore', '--from', place(), ...passphraseFile());
  assert.equal(back.status, 0, back.stderr);
  const restored = await sqlite(there);
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

test('nothing leads to an address of before, and whatever may run is looked at at once', async () => {
  const { dataDir, db } = await installation();
  await db
    .updateTable('deployments')
    .set({ goneAt: null, endpoints: '[{"path":"/","address":"10.1.2.3","port":80}]' })
    .execute();
  const made = await admin({ BERTH_DATA_DIR: dataDir }, 'backup', '--to', place(), ...passphraseFile());
  assert.equal(made.status, 0, made.stderr);
  const there = join(folder, 'there');
  assert.equal((await admin({ BERTH_DATA_DIR: there }, 'restore', '--from', place(), ...passphraseFile())).status, 0);
  const restored = await sqlite(there);
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
  const { dataDir, db } = await installation();
  await postgres.ask('create database kept');
  const moved = await admin({ BERTH_DATA_DIR: dataDir }, 'migrate-store', '--to', await urlAfter(db, 'kept'));
  assert.equal(moved.status, 0, moved.stderr);
  const env = { BERTH_DATA_DIR: dataDir, BERTH_DATABASE_URL: postgres.url('kept') };
  const made = await admin(env, 'backup', '--to', place(), ...passphraseFile());
  assert.equal(made.status, 0, made.stderr);
  const server = await openServer('kept');
  const before = await contentOf(server);

  const inFile = join(folder, 'file');
  const first = await admin({ BERTH_DATA_DIR: inFile }, 'restore', '--from', place(), ...passphraseFile());
  assert.equal(first.status, 0, first.stderr);
  assert.deepEqual(await contentOf(await sqlite(inFile)), before);

  await postgres.ask('create database again');
  const onServer = { BERTH_DATA_DIR: join(folder, 'server'), BERTH_DATABASE_URL: postgres.url('again') };
  const second = await admin(onServer, 'restore', '--from', place(), ...passphraseFile());
  assert.equal(second.status, 0, second.stderr);
  assert.deepEqual(await contentOf(await openServer('again')), before);
  const third = await admin(
    { ...onServer, BERTH_DATA_DIR: join(folder, 'third') },
    'restore',
    '--from',
    place(),
    ...passphraseFile(),
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
  opened.defer(() => db.destroy());
  return db;
}

test('a second backup moves what has changed, and of older ones as many stay as are wanted', async () => {
  const { dataDir, db } = await installation();
  const blob = Buffer.alloc(3_000_000, 'incompressible? no, but large');
  await writeFile(join(dataDir, 'images/pushed/sha256', createHash('sha256').update(blob).digest('hex')), blob);
  const backUp = async (...words: string[]) => {
    const { status, stdout, stderr } = await admin(
      { BERTH_DATA_DIR: dataDir },
      'backup',
      '--to',
      place(),
      '--json',
      ...passphraseFile(),
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
    { BERTH_DATA_DIR: join(folder, 'there') },
    'restore',
    '--from',
    place(),
    '--backup',
    first.id,
    ...passphraseFile(),
  );
  assert.deepEqual([gone.status, gone.stderr], [1, 'There is no such backup at this place.\n']);
  const older = await admin(
    { BERTH_DATA_DIR: join(folder, 'there') },
    'restore',
    '--from',
    place(),
    '--backup',
    second.id,
    ...passphraseFile(),
  );
  assert.equal(older.status, 0, older.stderr);
});

test('nothing at the place can be read without the passphrase, which is in no list of processes and no environment', async () => {
  const { dataDir, key } = await installation();
  const seen = join(folder, 'seen');
  const programs = join(folder, 'programs');
  await mkdir(programs);
  const real = (await findRestic())!;
  await writeFile(join(programs, 'restic'), `#!/bin/sh\n{ echo "$@"; env; } >> '${seen}'\nexec '${real}' "$@"\n`);
  await chmod(join(programs, 'restic'), 0o755);
  const env = {
    BERTH_DATA_DIR: dataDir,
    BERTH_METRICS_TOKEN: 'a-token-of-mine-that-is-long-enough',
    PATH: `${programs}${delimiter}${process.env.PATH}`,
  };
  const made = await admin(env, 'backup', '--to', place(), ...passphraseFile());
  assert.equal(made.status, 0, made.stderr);
  const calls = await readFile(seen, 'utf8');
  assert.match(calls, /^--quiet --repo .* backup /m);
  const secrets = [passphrase, key, 'a-token-of-mine-that-is-long-enough'];
  for (const secret of secrets) assert.ok(!calls.includes(secret));
  const names = await readdir(place(), { recursive: true, withFileTypes: true });
  const files = names.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name));
  assert.ok(files.length > 3);
  for (const file of files) {
    const bytes = await readFile(file);
    for (const text of [...secrets, 'SQLite format 3', 'layer one'])
      assert.ok(!bytes.includes(text), `${file}: ${text}`);
  }
  await writeFile(join(folder, 'passphrase'), 'another horse battery\n');
  for (const words of [
    ['backup', '--to'],
    ['restore', '--from'],
  ]) {
    const dir = words[0] === 'backup' ? dataDir : join(folder, 'there');
    const { status, stderr } = await admin({ BERTH_DATA_DIR: dir }, ...words, place(), ...passphraseFile());
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

test('what cannot be meant is refused in words', async () => {
  const { dataDir, db } = await installation();
  const env = { BERTH_DATA_DIR: dataDir };
  const refusal = async (...words: string[]) => {
    const { status, stderr } = await admin(env, ...words);
    assert.equal(status, 1, stderr);
    return stderr;
  };
  assert.match(await refusal('backup', ...passphraseFile()), /^Say where: --to/);
  assert.match(
    await refusal('backup', '--to', 's3:https://me:hunter2@h/b', ...passphraseFile()),
    /^--to must have no key/,
  );
  assert.match(await refusal('backup', '--to', place()), /passphrase needs 12 characters/);
  assert.match(await refusal('backup', '--to', place(), '--keep', '0', ...passphraseFile()), /^--keep must be/);
  assert.match(
    await refusal('restore', '--from', place(), ...passphraseFile()),
    /has an installation: it is never written over/,
  );
  const empty = { BERTH_DATA_DIR: join(folder, 'there') };
  assert.match(
    (await admin(empty, 'restore', '--from', place(), ...passphraseFile())).stderr,
    /^Nothing was restored: restic:/,
  );
  await noteKeyId(db, 'another');
  assert.match(await refusal('backup', '--to', place(), ...passphraseFile()), /is not that of the database/);
  await noteKeyId(db, keyIdOf(readKeys(join(dataDir, 'secret.key'))![0]));
  assert.equal((await admin(env, 'backup', '--to', place(), ...passphraseFile())).status, 0);
  await mkdir(join(folder, 'keyed'));
  await writeFile(join(folder, 'keyed', 'secret.key'), 'of somebody else');
  const keyed = await admin(
    { BERTH_DATA_DIR: join(folder, 'keyed') },
    'restore',
    '--from',
    place(),
    ...passphraseFile(),
  );
  assert.match(keyed.stderr, /is not the key of this backup/);
  assert.equal(await readFile(join(folder, 'keyed', 'secret.key'), 'utf8'), 'of somebody else');
});

class Killed extends Error {}

test('killed at any step, the next call does it, and there is an installation only when all of it is there', async () => {
  const { dataDir, db } = await installation();
  const before = await contentOf(db);
  const repository = openRepository(readBackupPlace(place()), passphrase, process.env);
  const copiesElsewhere = async () => undefined;
  const common = { repository, secretKey: undefined, copiesElsewhere, actor: 'ada', now: () => 7 };
  const dieAt = (wanted: string | undefined) => (step: BackupStep | RestoreStep) => {
    if (step.kind === wanted) throw new Killed();
  };
  const order = (at: string | undefined): BackupOrder => ({
    ...common,
    dataDir,
    env: {},
    isWholeRead: false,
    keep: undefined,
    diskFreeBytes: 0,
    told: dieAt(at),
  });
  for (const at of ['made-place', 'collected', 'saved', 'checked'])
    await assert.rejects(backUpInstallation(db, order(at)), Killed);
  assert.equal(await lastBackupAt(db), undefined);
  assert.equal((await backUpInstallation(db, order(undefined))).kind, 'backed-up');
  const there = join(folder, 'there');
  const store = { dataDir: there, databaseUrl: undefined, databaseConnections: 2 };
  for (const at of ['brought', 'checked', 'brought-volumes', 'placed-volumes', 'placed', undefined]) {
    const restoring = restoreInstallation({
      ...common,
      id: undefined,
      isWithoutVolumes: false,
      store,
      told: dieAt(at),
    });
    if (at === undefined || at === 'placed') {
      if (at === 'placed') await assert.rejects(restoring, Killed);
      else assert.equal((await restoring).kind, 'refused');
      assert.deepEqual(await contentOf(await sqlite(there)), before);
    } else {
      await assert.rejects(restoring, Killed);
      assert.ok(!(await readdir(there)).includes('berth.db'), at);
    }
  }
});

test('a place that has lost or altered something is found out, and nothing comes back of it', async () => {
  const { dataDir } = await installation();
  const env = { BERTH_DATA_DIR: dataDir };
  assert.equal((await admin(env, 'backup', '--to', place(), ...passphraseFile())).status, 0);
  const names = await readdir(join(place(), 'data'), { recursive: true, withFileTypes: true });
  const packs = names.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name));
  for (const pack of packs) {
    await chmod(pack, 0o600);
    await using file = await open(pack, 'r+');
    const { size } = await file.stat();
    for (let at = 8; at < size; at += 64) await file.write(Buffer.of(0x5a), 0, 1, at);
  }
  const again = await admin(env, 'backup', '--to', place(), '--read-all', ...passphraseFile());
  assert.equal(again.status, 1, again.stdout);
  assert.match(again.stderr, /There is no new backup: /);
  const there = join(folder, 'there');
  assert.equal((await admin({ BERTH_DATA_DIR: there }, 'restore', '--from', place(), ...passphraseFile())).status, 1);
  assert.ok(!(await readdir(there)).includes('berth.db'));
  const repository = openRepository(readBackupPlace(place()), passphrase, process.env);
  await assert.rejects(repository.check(true), BackupFault);
});
