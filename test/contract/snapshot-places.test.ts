/** Places of deployments that share nothing, with the real restic, on a folder. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { readBackupPlace } from '../../src/backup/backup-place.ts';
import { BackupFault, openRepository, type Repository } from '../../src/backup/restic.ts';
import { passwordOf, placeOf } from '../../src/snapshots/snapshot-place.ts';

const saving = { tags: ['berth-snapshots'], mayBeRenamed: false };
let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-places-'));
  await mkdir(join(folder, 'data'));
  await writeFile(join(folder, 'data', 'file'), randomBytes(200_000));
});
after(() => rm(folder, { recursive: true }));

async function repositoryOf(deploymentId: string, password = passwordOf('secret', deploymentId)): Promise<Repository> {
  const place = placeOf(readBackupPlace(join(folder, 'kept')), deploymentId);
  const repository = openRepository(place, password, process.env);
  await repository.provide();
  return repository;
}

test('what one deployment keeps is new to another, opens with its password alone, and goes whole without the other', async () => {
  const [shop, blog] = [await repositoryOf('shop'), await repositoryOf('blog')];
  const first = await shop.save(folder, ['data'], saving);
  assert.ok((await shop.save(folder, ['data'], saving)).addedBytes < 100_000);
  const other = await blog.save(folder, ['data'], saving);
  assert.ok(first.addedBytes >= 200_000 && other.addedBytes >= 200_000, 'it tells what another has');
  await assert.rejects(repositoryOf('blog', passwordOf('secret', 'shop')), BackupFault);

  const packs = await readdir(join(folder, 'kept', 'shop', 'data'), { recursive: true, withFileTypes: true });
  for (const each of packs) if (each.isFile()) await rm(join(each.parentPath, each.name));
  await blog.check(true);

  await shop.remove();
  await shop.remove();
  assert.deepEqual(await readdir(join(folder, 'kept')), ['blog']);
  await shop.provide();
  assert.deepEqual(await shop.list('berth-snapshots'), []);
  const [left, ...more] = await blog.list('berth-snapshots');
  assert.ok(left?.id.startsWith(other.id) && more.length === 0);
});

test('what lasts too long is ended, says so, and leaves nothing that looks whole', async () => {
  const slow = await repositoryOf('slow');
  await assert.rejects(slow.save(folder, ['data'], { ...saving, withinMs: 1 }), /lasted too long/);
  assert.deepEqual(await slow.list('berth-snapshots'), []);
  const { id } = await slow.save(folder, ['data'], saving);
  await assert.rejects(slow.bring(id, join(folder, 'back'), [], 1), /lasted too long/);
  assert.ok(!existsSync(join(folder, 'back', 'data', 'file')));
  const place = placeOf(readBackupPlace(join(folder, 'kept')), 'slow');
  const impatient = openRepository(place, passwordOf('secret', 'slow'), process.env, { patienceMs: 1 });
  for (const call of [
    () => impatient.check(false),
    () => impatient.list('berth-snapshots'),
    () => impatient.drop([id]),
  ])
    await assert.rejects(call(), /lasted too long/);
  assert.equal((await slow.list('berth-snapshots')).length, 1);
});
