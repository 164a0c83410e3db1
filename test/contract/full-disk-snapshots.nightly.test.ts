/** Snapshots of a real volume, by the real restic, while a disk that they need is full. Needs root. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFile, mkdir, mkdtemp, readdir, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { readBackupPlace } from '../../src/backup/backup-place.ts';
import { openRepository } from '../../src/backup/restic.ts';
import { createLoopVolumes } from '../../src/engine/docker/volumes/loop-volumes.ts';
import { clearFolder, createVolumeCopies } from '../../src/engine/docker/volumes/volume-copies.ts';
import { createMemoryEngine } from '../../src/engine/memory/memory.ts';
import { requestSnapshot, snapshotById } from '../../src/store/snapshots.ts';
import { shopOnMemory } from '../support/controlled-deployment.ts';
import { pod, specOf } from '../support/deployments.ts';
import { workerOn } from '../support/snapshot-worker.ts';

const run = promisify(execFile);
const needsRoot = { skip: process.getuid?.() === 0 ? false : 'file systems can be made by root alone' };
const mebibyte = 2 ** 20;
const sizeBytes = 32 * mebibyte;
const dataBytes = 24 * mebibyte;
const volume = { deploymentId: 'shop', volume: 'db-data' };
const volumes = [{ name: 'data', sizeBytes, mountPath: '/data' }];
const spec = specOf(
  pod('db', { image: 'db:1', servicePorts: [5432], volumes }),
  pod('web', { image: 'web:1', path: '/', servicePorts: [80] }),
);

/** `small`: what is on a disk that has room for a part of the data alone, until it has `grown`. */
async function stage(opened: AsyncDisposableStack, small: 'copies' | 'kept') {
  const folder = await mkdtemp(join(tmpdir(), 'berth-full-'));
  opened.defer(() => clearFolder(folder));
  await mkdir(join(folder, small));
  await run('mount', ['-t', 'tmpfs', '-o', `size=${(2 * dataBytes) / 3}`, 'tmpfs', join(folder, small)]);
  const loops = createLoopVolumes(join(folder, 'volumes'));
  await loops.ensure(volume, sizeBytes);
  const data = loops.dataOf(volume);
  await writeFile(join(data, 'much'), randomBytes(dataBytes));
  const { control, world, visit } = await shopOnMemory(spec, { 'web:1': {}, 'db:1': {} });
  const { db, now } = control;
  await visit();
  await db.updateTable('deployments').set({ claimedAt: 1, expiresAt: null }).execute();
  const copies = createVolumeCopies({
    volumes: join(folder, 'volumes'),
    loops,
    copies: join(folder, 'copies'),
    sizes: async () => new Map([[volume.volume, sizeBytes]]),
  });
  const place = openRepository(readBackupPlace(join(folder, 'kept', 'shop')), 'password', process.env);
  const engine = { observe: createMemoryEngine({ world, now }).observe, copies };
  const { step } = workerOn(control, { engine, place });
  return {
    async snapshot() {
      const { id } = await requestSnapshot(db, { deploymentId: 'shop', revision: 1, reason: 'asked', now: now() });
      await step();
      const { problem, totalBytes } = (await snapshotById(db, id))!;
      return { problem, totalBytes };
    },
    /** Also a database that waits for its disk would be heard of here. */
    write: () => appendFile(join(data, 'log'), 'a line'),
    left: async () => await readdir(join(folder, 'copies')),
    async usedBytes() {
      const { bsize, blocks, bfree } = await statfs(join(folder, small));
      return bsize * (blocks - bfree);
    },
    grow: () => run('mount', ['-o', `remount,size=${3 * dataBytes}`, join(folder, small)]),
  };
}

describe('snapshots while a disk is full', needsRoot, () => {
  for (const { small, problem } of [
    { small: 'copies', problem: 'The disk of the server currently has no room for a copy of the volumes.' },
    {
      small: 'kept',
      problem: 'The place where snapshots are kept has no room for it now; the operator has to look at it.',
    },
  ] as const)
    test(`where ${small} are, one fails in words, nothing is frozen or left, and the next is taken`, async () => {
      await using opened = new AsyncDisposableStack();
      const { snapshot, write, left, usedBytes, grow } = await stage(opened, small);
      assert.deepEqual(await snapshot(), { problem, totalBytes: null });
      await write();
      assert.deepEqual(await left(), []);
      assert.ok((await usedBytes()) < mebibyte);
      await grow();
      const { problem: none, totalBytes } = await snapshot();
      assert.equal(none, null);
      assert.ok(totalBytes! > dataBytes);
      assert.deepEqual(await left(), []);
    });
});
