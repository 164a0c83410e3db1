/** Places of deployments that share nothing, with the real restic, on a folder. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { BackupFault } from '../../src/backup/backup-fault.ts';
import { readBackupPlace } from '../../src/backup/backup-place.ts';
import { openRepository, type Repository } from '../../src/backup/restic.ts';
import { passwordOf, placeOf } from '../../src/snapshots/open.ts';

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
  assert.ok(first.addedBytes >= 200_000 && other.addedBytes >= 200_000, 'it reports the data of the other place');
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

/** Writes in pieces, at the reader's pace. */
async function pass(content: Uint8Array, to: Writable): Promise<void> {
  for (let at = 0; at < content.length; at += 65_536)
    await promisify((piece: Uint8Array, done: (error?: Error | null) => void) => to.write(piece, done))(
      content.subarray(at, at + 65_536),
    );
}

test('a stream is kept once it is whole, moves what has changed since, and comes back by byte', async () => {
  const place = await repositoryOf('stream');
  const content = randomBytes(16 * 2 ** 20);
  const first = await place.saveStream('volume.tar', (to) => pass(content, to), saving);
  content.set(randomBytes(1000), 5 * 2 ** 20);
  const second = await place.saveStream('volume.tar', (to) => pass(content, to), saving);
  assert.equal(second.totalBytes, content.length);
  assert.ok(first.addedBytes >= content.length && second.addedBytes < content.length / 2, String(second.addedBytes));
  await place.check(true);
  assert.equal(await place.sizeOf(second.id, 'volume.tar'), content.length);
  const pieces: Uint8Array[] = [];
  const to = new Writable({ write: (piece, _, done) => done(void pieces.push(piece)) });
  await place.readInto(second.id, 'volume.tar', to, 60_000);
  assert.ok(Buffer.concat(pieces).equals(content));
  await assert.rejects(place.sizeOf(second.id, 'other.tar'), BackupFault);
});

test('of a stream that ends with a fault nothing is kept, and a place that is not there says so itself', async () => {
  const place = await repositoryOf('broken');
  const whole = randomBytes(2 ** 20);
  const breaks = async (to: Writable) => {
    await pass(whole, to);
    throw new Error('it went away');
  };
  await assert.rejects(place.saveStream('volume.tar', breaks, saving), /it went away/);
  assert.deepEqual(await place.list('berth-snapshots'), []);
  const { id } = await place.saveStream('volume.tar', (to) => pass(whole, to), saving);
  const closed = new Writable({ write: (_, __, done) => done(new Error('no room')) }).on('error', () => {});
  await assert.rejects(place.readInto(id, 'volume.tar', closed, 60_000), /no room/);
  const nowhere = openRepository(placeOf(readBackupPlace(join(folder, 'none')), 'shop'), 'secret', process.env);
  const large = randomBytes(8 * 2 ** 20);
  await assert.rejects(
    nowhere.saveStream('volume.tar', (to) => pass(large, to), saving),
    /restic: .*(unable to open|does not exist|no such file)/i,
  );
});

test('an operation that takes too long is ended with an error, and leaves no data that looks complete', async () => {
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
