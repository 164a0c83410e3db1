/** The data of volumes that are on no disk of the machine, in a backup and back again: of an engine in memory, at a place in memory. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import type { Kysely } from 'kysely';
import { createFileRepository } from '../../../test/support/file-repository.ts';
import { addKept } from '../../../test/support/kept-deployments.ts';
import { BackupFault } from '../../backup/backup-fault.ts';
import { EngineFault } from '../../engine/engine.ts';
import { volumeKey } from '../../engine/memory/deployment-map.ts';
import { createMemoryEngine } from '../../engine/memory/memory.ts';
import type { Interceptor } from '../../engine/memory/memory-call.ts';
import { createMemoryWorld, type MemoryWorld } from '../../engine/memory/world.ts';
import { provideKeys, readKeys } from '../../lib/key-file.ts';
import { keyIdOf } from '../../lib/seal.ts';
import { heldCopies, holdCopy } from '../../store/copy-holds.ts';
import { openSqlite } from '../../store/database.ts';
import { provideInstallationId, recordKeyId } from '../../store/installation.ts';
import type { Tables } from '../../store/rows.ts';
import { type BackupOrder, type BackupStep, backUpInstallation } from './backup-installation.ts';
import { type RestoreOrder, type RestoreStep, restoreInstallation } from './restore-installation.ts';

const volumes = ['db', 'log'];
const sizeBytes = 1000;
const now = () => 7;

let folder: string;
let opened: AsyncDisposableStack;
let db: Kysely<Tables>;
let owner: string;
let repository: ReturnType<typeof createFileRepository>;
beforeEach(async () => {
  repository = createFileRepository();
  folder = await mkdtemp(join(tmpdir(), 'berth-elsewhere-'));
  opened = new AsyncDisposableStack();
  opened.defer(() => rm(folder, { recursive: true }));
  const pushed = join(here(), 'images/pushed/sha256');
  await mkdir(pushed, { recursive: true });
  await writeFile(join(pushed, 'a'.repeat(64)), 'layer');
  provideKeys(join(here(), 'secret.key'));
  db = await openSqlite(join(here(), 'berth.db'));
  opened.defer(() => db.destroy());
  owner = await provideInstallationId(db);
  await recordKeyId(db, keyIdOf(readKeys(join(here(), 'secret.key'))![0]));
});
afterEach(async () => await opened.disposeAsync());

const here = () => join(folder, 'here');
const there = () => join(folder, 'there');

/** Adds data to the volumes of a deployment, the same text in each. */
function addData(world: MemoryWorld, deploymentId: string, text: string): void {
  for (const volume of volumes)
    world.volumes.set(volumeKey(deploymentId, volume), {
      owner,
      deploymentId,
      volume,
      sizeBytes,
      files: new Map([['file', text]]),
    });
}

const textsIn = (world: MemoryWorld, deploymentId: string) =>
  volumes.map((volume) => world.volumes.get(volumeKey(deploymentId, volume))?.files.get('file'));

/** An installation gets the volumes that it owns. */
function elsewhere(world: MemoryWorld, intercept?: Interceptor): BackupOrder['copiesElsewhere'] {
  return async (owner) => {
    const { copies } = createMemoryEngine({ world, owner, copiesAs: 'tars', ...(intercept && { intercept }) });
    return { copies: copies!, async [Symbol.asyncDispose]() {} };
  };
}

const backUp = (world: MemoryWorld, more: Partial<BackupOrder> = {}) =>
  backUpInstallation(db, {
    repository,
    dataDir: here(),
    secretKey: undefined,
    env: {},
    isWholeRead: false,
    diskFreeBytes: Number.POSITIVE_INFINITY,
    copiesElsewhere: elsewhere(world),
    keep: undefined,
    actor: 'ada',
    now,
    report: () => {},
    ...more,
  });

const restore = (world: MemoryWorld, more: Partial<RestoreOrder> = {}) =>
  restoreInstallation({
    repository,
    id: undefined,
    store: { dataDir: there(), databaseUrl: undefined, databaseConnections: 2 },
    secretKey: undefined,
    copiesElsewhere: elsewhere(world),
    isWithoutVolumes: false,
    actor: 'ada',
    now,
    report: () => {},
    ...more,
  });

class Killed extends Error {}
const dieAt = (at: string | undefined) => (step: BackupStep | RestoreStep) => {
  if (step.kind === at) throw new Killed();
};

test('data is held while it is read and restored where it is missing; one deployment does not block another', async () => {
  const [world, other] = [createMemoryWorld({}), createMemoryWorld({})];
  for (const id of ['blog', 'shop']) {
    await addKept(
      db,
      id,
      volumes.map((volume) => [volume, sizeBytes]),
    );
    addData(world, id, `of ${id}`);
  }
  let [held, isAway] = [0, false];
  const copiesElsewhere = elsewhere(world, async (call, perform) => {
    if (call.name === 'copies.read') held = (await heldCopies(db, now())).size;
    // The partial copy cannot be cleared either.
    isAway = (call.name === 'copies.take' && call.deploymentId === 'blog') || (isAway && call.name === 'copies.clear');
    if (isAway) throw new EngineFault('unavailable', 'The job load is at work.');
    return perform();
  });
  const steps: string[] = [];
  const made = await backUp(world, { copiesElsewhere, report: ({ kind }) => void steps.push(kind) });
  assert.ok(made.kind === 'backed-up' && made.deployments === 1 && made.totalBytes > 0, JSON.stringify(made));
  assert.deepEqual(
    made.leftOut.map(({ deploymentId, because, fault }) => [deploymentId, because, fault?.message]),
    [['blog', 'failed', 'The job load is at work.']],
  );
  assert.ok(steps.includes('kept-volumes'));
  assert.deepEqual([held, (await heldCopies(db, now())).size, world.copies.size], [1, 0, 0]);

  const back = await restore(other);
  assert.equal(back.kind, 'restored');
  assert.deepEqual(textsIn(other, 'shop'), ['of shop', 'of shop']);
  assert.deepEqual([textsIn(other, 'blog'), other.copies.size], [[undefined, undefined], 0]);
});

test('what a backup that was killed has left goes before the next one takes any, and what another one still reads stays', async () => {
  const world = createMemoryWorld({});
  for (const key of ['backup-old', 'backup-killed', 'backup-read', 'snapshot'])
    world.copies.set(`${owner}/${key}`, new Map());
  let at = 0;
  const dead = () => new Promise<void>(() => {});
  for (const key of ['backup-killed', 'backup-read']) await holdCopy(db, key, () => at, dead);
  const wait = async (ms: number) => {
    at += ms;
    await holdCopy(db, 'backup-read', () => at, dead);
  };
  assert.equal((await backUp(world, { now: () => at, wait })).kind, 'backed-up');
  assert.deepEqual([...world.copies.keys()], [`${owner}/backup-read`, `${owner}/snapshot`]);
});

test('killed at any step, or when a half has its place, the next call goes on with the same backup', async () => {
  const [world, other] = [createMemoryWorld({}), createMemoryWorld({})];
  await addKept(
    db,
    'shop',
    volumes.map((volume) => [volume, sizeBytes]),
  );
  addData(world, 'shop', 'first');
  assert.equal((await backUp(world)).kind, 'backed-up');
  for (const at of ['brought', 'checked', 'brought-volumes']) {
    await assert.rejects(restore(other, { report: dieAt(at) }), Killed);
    assert.deepEqual(textsIn(other, 'shop'), [undefined, undefined], at);
  }
  let isDone = false;
  const halfway = elsewhere(other, async (call, perform) => {
    if (call.name !== 'copies.swap' || isDone) return perform();
    isDone = true;
    perform('halfway');
    throw new Killed();
  });
  await assert.rejects(restore(other, { copiesElsewhere: halfway }), Killed);
  assert.deepEqual(textsIn(other, 'shop'), ['first', undefined]);
  addData(world, 'shop', 'second');
  assert.equal((await backUp(world)).kind, 'backed-up');
  await assert.rejects(restore(other, { report: dieAt('placed-volumes') }), Killed);
  assert.equal((await restore(other)).kind, 'restored');
  assert.deepEqual(textsIn(other, 'shop'), ['first', 'first']);
  assert.equal(other.copies.size, 0);
});

test('an unreachable cluster does not prevent a backup of the rest, and is reported', async () => {
  await addKept(db, 'shop', [['db', sizeBytes]]);
  const away = new Error('The cluster does not respond.');
  const nowhere = await backUp(createMemoryWorld({}), { copiesElsewhere: () => Promise.reject(away) });
  const silent = elsewhere(createMemoryWorld({}));
  const requested = await backUp(createMemoryWorld({}), {
    async copiesElsewhere(...given) {
      const open = (await silent(...given))!;
      return { ...open, copies: { ...open.copies, sizes: () => Promise.reject(away) } };
    },
  });
  for (const made of [nowhere, requested]) {
    assert.ok(made.kind === 'backed-up');
    assert.deepEqual(made.leftOut, [{ deploymentId: 'shop', volumes: ['db'], because: 'failed', fault: away }]);
  }
});

test('volumes that are there stay, and what is on another kind of engine is refused, but for all the rest', async () => {
  const [world, other] = [createMemoryWorld({}), createMemoryWorld({})];
  await addKept(
    db,
    'shop',
    volumes.map((volume) => [volume, sizeBytes]),
  );
  addData(world, 'shop', 'kept');
  assert.equal((await backUp(world)).kind, 'backed-up');
  assert.equal((await backUp(world, { keep: 1 })).kind, 'backed-up');
  assert.equal(repository.kept.length, 3, 'what only the first one needs goes with it, and nothing else');
  const onThisMachine = { copiesElsewhere: async () => undefined };
  const refused = await restore(other, onThisMachine);
  assert.deepEqual(refused, { kind: 'refused', because: 'other-volumes' });
  addData(other, 'shop', 'newer');
  other.volumes.delete(volumeKey('shop', 'log'));
  const back = await restore(other);
  assert.ok(back.kind === 'restored');
  assert.deepEqual(back.volumes, { brought: [], left: ['shop'] });
  assert.deepEqual(textsIn(other, 'shop'), ['newer', undefined]);
  await rm(there(), { recursive: true });
  assert.equal((await restore(other, { ...onThisMachine, isWithoutVolumes: true })).kind, 'restored');
});

test('a full place gets back what was written of a failed backup, and the fault is reported unchanged', async () => {
  let cleared = 0;
  repository.clear = async () => void cleared++;
  for (const [isFull, times] of [
    [false, 0],
    [true, 1],
  ] as const) {
    const fault = new BackupFault('restic: it was not kept', { isFull });
    repository.save = async () => await Promise.reject(fault);
    await assert.rejects(backUp(createMemoryWorld({})), fault);
    assert.equal(cleared, times);
  }
});
