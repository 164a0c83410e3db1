/** Faults of an installation's backup and of its restore: mistakes, a kill, damage. */
import assert from 'node:assert/strict';
import { chmod, mkdir, open, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { type BackupOrder, type BackupStep, backUpInstallation } from '../../src/admin/backup/backup-installation.ts';
import { type RestoreStep, restoreInstallation } from '../../src/admin/backup/restore-installation.ts';
import { BackupFault } from '../../src/backup/backup-fault.ts';
import { readBackupPlace } from '../../src/backup/backup-place.ts';
import { openRepository } from '../../src/backup/restic.ts';
import { readKeys } from '../../src/lib/key-file.ts';
import { keyIdOf } from '../../src/lib/seal.ts';
import { lastBackupAt, recordKeyId } from '../../src/store/installation.ts';
import { admin, type BackupScene, contentOf, openBackupScene, passphrase } from './backup-scene.ts';

let scene: BackupScene;
beforeEach(async () => {
  scene = await openBackupScene();
});
afterEach(async () => await scene[Symbol.asyncDispose]());

test('what cannot be meant is refused in words', async () => {
  const { dataDir, db } = await scene.installation();
  const env = { BERTH_DATA_DIR: dataDir };
  const refusal = async (...words: string[]) => {
    const { status, stderr } = await admin(env, ...words);
    assert.equal(status, 1, stderr);
    return stderr;
  };
  assert.match(await refusal('backup', ...scene.passphraseFile), /^Name the place: --to/);
  assert.match(
    await refusal('backup', '--to', 's3:https://me:hunter2@h/b', ...scene.passphraseFile),
    /^--to must have no key/,
  );
  assert.match(await refusal('backup', '--to', scene.place), /passphrase needs 12 characters/);
  assert.match(await refusal('backup', '--to', scene.place, '--keep', '0', ...scene.passphraseFile), /^--keep must be/);
  assert.match(
    await refusal('restore', '--from', scene.place, ...scene.passphraseFile),
    /has an installation: it is never written over/,
  );
  const empty = { BERTH_DATA_DIR: join(scene.folder, 'there') };
  assert.match(
    (await admin(empty, 'restore', '--from', scene.place, ...scene.passphraseFile)).stderr,
    /^Nothing was restored: restic:/,
  );
  await recordKeyId(db, 'another');
  assert.match(await refusal('backup', '--to', scene.place, ...scene.passphraseFile), /is not that of the database/);
  await recordKeyId(db, keyIdOf(readKeys(join(dataDir, 'secret.key'))![0]));
  assert.equal((await admin(env, 'backup', '--to', scene.place, ...scene.passphraseFile)).status, 0);
  await mkdir(join(scene.folder, 'keyed'));
  await writeFile(join(scene.folder, 'keyed', 'secret.key'), 'of another user');
  const keyed = await admin(
    { BERTH_DATA_DIR: join(scene.folder, 'keyed') },
    'restore',
    '--from',
    scene.place,
    ...scene.passphraseFile,
  );
  assert.match(keyed.stderr, /is not the key of this backup/);
  assert.equal(await readFile(join(scene.folder, 'keyed', 'secret.key'), 'utf8'), 'of another user');
});

class Killed extends Error {}

test('killed at any step, the next call completes it, and an installation exists only when it is complete', async () => {
  const { dataDir, db } = await scene.installation();
  const before = await contentOf(db);
  const repository = openRepository(readBackupPlace(scene.place), passphrase, process.env);
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
    report: dieAt(at),
  });
  for (const at of ['made-place', 'collected', 'saved', 'checked'])
    await assert.rejects(backUpInstallation(db, order(at)), Killed);
  assert.equal(await lastBackupAt(db), undefined);
  assert.equal((await backUpInstallation(db, order(undefined))).kind, 'backed-up');
  const there = join(scene.folder, 'there');
  const store = { dataDir: there, databaseUrl: undefined, databaseConnections: 2 };
  for (const at of ['brought', 'checked', 'brought-volumes', 'placed-volumes', 'placed', undefined]) {
    const restoring = restoreInstallation({
      ...common,
      id: undefined,
      isWithoutVolumes: false,
      store,
      report: dieAt(at),
    });
    if (at === undefined || at === 'placed') {
      if (at === 'placed') await assert.rejects(restoring, Killed);
      else assert.equal((await restoring).kind, 'refused');
      assert.deepEqual(await contentOf(await scene.sqlite(there)), before);
    } else {
      await assert.rejects(restoring, Killed);
      assert.ok(!(await readdir(there)).includes('berth.db'), at);
    }
  }
});

test('a place that has lost or altered something is found out, and nothing comes back of it', async () => {
  const { dataDir } = await scene.installation();
  const env = { BERTH_DATA_DIR: dataDir };
  assert.equal((await admin(env, 'backup', '--to', scene.place, ...scene.passphraseFile)).status, 0);
  const names = await readdir(join(scene.place, 'data'), { recursive: true, withFileTypes: true });
  const packs = names.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name));
  for (const pack of packs) {
    await chmod(pack, 0o600);
    await using file = await open(pack, 'r+');
    const { size } = await file.stat();
    for (let at = 8; at < size; at += 64) await file.write(Buffer.of(0x5a), 0, 1, at);
  }
  const again = await admin(env, 'backup', '--to', scene.place, '--read-all', ...scene.passphraseFile);
  assert.equal(again.status, 1, again.stdout);
  assert.match(again.stderr, /No new backup was made: /);
  const there = join(scene.folder, 'there');
  assert.equal(
    (await admin({ BERTH_DATA_DIR: there }, 'restore', '--from', scene.place, ...scene.passphraseFile)).status,
    1,
  );
  assert.ok(!(await readdir(there)).includes('berth.db'));
  const repository = openRepository(readBackupPlace(scene.place), passphrase, process.env);
  await assert.rejects(repository.check(true), BackupFault);
});
