import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { type Shop, shopOnMemory } from '../../../test/support/controlled-deployment.ts';
import { pod, specOf } from '../../../test/support/deployments.ts';
import type { MemoryProgram } from '../../engine/memory/world.ts';
import { makeDue } from '../../store/leases.ts';
import { createDiskCheck } from './watch-disk.ts';

function lookOf({ control }: Shop, hostDisk = control.engine.disk!): () => Promise<void> {
  return createDiskCheck({ ...control, hostDisk, wakeAll: () => {} });
}

const volumes = [{ name: 'data', sizeBytes: 100, mountPath: '/data' }];
const db = pod('db', { image: 'db:1', path: '/', servicePorts: [80], volumes });
const web = pod('web', { image: 'web:1', path: '/', servicePorts: [80] });

/** Creates a deployment whose pod writes this many characters to a file at each start. The number can be changed. */
async function shopThatWrites(shopPod: typeof web, path: string, bytes: number) {
  const writer = { bytes };
  const program: MemoryProgram = ({ write }) => {
    write(path, 'x'.repeat(writer.bytes));
    return { ports: [80] };
  };
  const shop = await shopOnMemory(specOf(shopPod), { [shopPod.image]: { program }, 'idle:1': {} });
  const look = lookOf(shop);
  const [container] = (await shop.visit()) && shop.world.containers.values();
  return { shop, look, writer, container: container! };
}

/** The events of the disk watch. */
async function reported({ events }: Awaited<ReturnType<typeof shopOnMemory>>): Promise<string[]> {
  return (await events()).filter((message) => /volume|stopped:/.test(message) && !/create-volume/.test(message));
}

test('the owner is notified once each when a volume is nearly full, full, and has space again', async () => {
  const { shop, look } = await shopThatWrites(db, '/data/file', 50);
  const { files } = shop.world.volumes.get('shop/db-data')!;
  for (const bytes of [50, 91, 92, 88, 91, 100, 100, 80]) {
    files.set('file', 'x'.repeat(bytes));
    await look();
  }
  assert.deepEqual(await reported(shop), [
    'volume data of pod db is 91 % full (of 100 B): make it larger or delete files',
    'volume data of pod db is full (100 B): make it larger or delete files',
    'volume data of pod db has room again: 80 % full (of 100 B)',
  ]);
});

test('a process that is started later continues from the last reported level', async () => {
  const { shop, look } = await shopThatWrites(db, '/data/file', 95);
  const restart = async () => {
    shop.control.disk.forget('shop');
    await makeDue(shop.control.db, 'shop', 0);
    await shop.visit();
  };
  await look();
  assert.equal((await reported(shop)).length, 1);
  await restart();
  await look();
  assert.equal((await reported(shop)).length, 1, 'it is not reported again');
  await restart();
  shop.world.volumes.get('shop/db-data')!.files.set('file', 'x'.repeat(10));
  await look();
  assert.match((await reported(shop)).at(-1)!, /has room again/);
});

test('a pod that is not ready and has a full volume reports that', async () => {
  const { shop, look, container } = await shopThatWrites(db, '/data/file', 100);
  await look();
  container.run = { ports: [] };
  await shop.visit();
  const { pods } = await shop.deployment();
  const full = 'volume data of pod db is full (100 B): make it larger or delete files';
  assert.equal(pods[0]?.message, `does not listen on port 80; ${full}`);
});

test('a workload that writes too much outside of its volumes is stopped and starts again without what it wrote', async () => {
  const { shop, look, writer } = await shopThatWrites(web, '/tmp/file', 1001);
  await look();
  assert.equal(shop.world.containers.size, 0);
  assert.deepEqual(await reported(shop), [
    'pod web is stopped: it had written 1001 B outside its volumes; the limit is 1000 B',
  ]);
  writer.bytes = 1000;
  assert.deepEqual(await shop.visit(), ['start']);
  await look();
  assert.equal(shop.world.containers.size, 1);
  assert.equal((await shop.deployment()).state, 'running');
});

test('a workload that has taken the space of the database is stopped first, and its owner notified when there is space', async () => {
  const { shop } = await shopThatWrites(web, '/tmp/file', 1001);
  const { db, engine } = shop.control;
  // The database itself says that it is full: no page more than it has, and these are filled.
  const limitTo = (pages: number) => sql`pragma max_page_count = ${sql.lit(pages)}`.execute(db);
  await limitTo(1);
  const filler = {
    deploymentId: 'shop',
    kind: 'intent',
    fields: JSON.stringify({ intent: 'extend', revision: 'x'.repeat(2000) }),
  } as const;
  await assert.rejects(async () => {
    for (let number = 1000; ; number++)
      await db
        .insertInto('events')
        .values({ ...filler, number, sequence: number, identity: null, count: 1, firstAt: 0, at: 0 })
        .execute();
  }, /full/);
  const removeOwned: typeof engine.removeOwned = async (owned) => {
    await engine.removeOwned(owned);
    await limitTo(1_000_000);
  };
  await createDiskCheck({
    ...shop.control,
    hostDisk: engine.disk!,
    wakeAll: () => {},
    engine: { ...engine, removeOwned },
  })();
  assert.equal(shop.world.containers.size, 0);
  assert.deepEqual(await reported(shop), [
    'pod web is stopped: it had written 1001 B outside its volumes; the limit is 1000 B',
  ]);
});

test('a workload that is stopped three times within an hour fails its deployment, until it is updated', async () => {
  const { shop, look, writer, container } = await shopThatWrites(web, '/tmp/file', 5000);
  for (let count = 1; count <= 3; count++) {
    await look();
    await shop.visit();
  }
  assert.equal(shop.world.containers.size, 0);
  const { state, message, pods } = await shop.deployment();
  const because = 'was stopped 3 times within an hour: it had written 4.9 KiB outside its volumes; the limit is 1000 B';
  assert.equal(state, 'failed');
  assert.equal(
    message,
    `pod web: ${because} (write less, or write to a volume that is large enough; then update the application to start it again)`,
  );
  assert.equal(pods[0]?.state, 'failed');
  assert.deepEqual(await shop.visit(), [], 'nothing starts by itself');
  shop.world.containers.set(container.workload.name, { ...container, phase: 'exited' });
  assert.deepEqual(await shop.visit(), [], 'nor what an engine shows on its way out');
  writer.bytes = 10;
  await shop.update(specOf(web));
  await shop.visit();
  assert.equal((await shop.deployment()).state, 'running');
});

test('a workload that is stopped now and then goes on', async () => {
  const { shop, look } = await shopThatWrites(web, '/tmp/file', 5000);
  await shop.intend({ expiresAt: null });
  for (let count = 1; count <= 6; count++) {
    await look();
    shop.clock.pass(31 * 60_000);
    await shop.visit();
    assert.equal(shop.world.containers.size, 1, `after ${count}`);
  }
});

test('when the disk of the host is nearly full, only the fastest writer is stopped', async () => {
  const megabytes = 2 ** 20;
  const { shop, container } = await shopThatWrites(web, '/tmp/file', 100 * megabytes);
  shop.control.settings.containerDiskBytes = Number.POSITIVE_INFINITY;
  const look = lookOf(shop);
  const idle = pod('idle', { image: 'idle:1', path: '/idle', servicePorts: [80] });
  await shop.update(specOf(web, idle));
  await shop.visit();
  await look();
  container.files.set('/tmp/file', 'x'.repeat(150 * megabytes));
  await look();
  assert.equal(shop.world.containers.size, 2, 'room enough');
  shop.world.capacity.disk = { usedBytes: 1, freeBytes: 499 };
  await look();
  assert.deepEqual(
    [...shop.world.containers.values()].map(({ workload }) => workload.pod),
    ['idle'],
  );
  assert.match(
    (await reported(shop)).join(),
    /pod web is stopped: the disk of the host was nearly full, and it had written the most \(50 MiB\)/,
  );
  await look();
  assert.equal(shop.world.containers.size, 1, 'who does not write goes on');
});

test('the owner is notified of a repaired volume; a failed repair is tried again a minute later', async () => {
  const { shop } = await shopThatWrites(db, '/data/file', 50);
  const data = { deploymentId: 'shop', volume: 'db-data' };
  const tries = [{ ...data, fault: new Error('the disk is broken') }, data];
  let looks = 0;
  const triedAt: number[] = [];
  const mendVolumes = async () => {
    triedAt.push(looks);
    return tries.splice(0, 1);
  };
  let isStopped = false;
  const { use } = shop.control.engine.disk!;
  const useNow = async () => (await use()).map((use) => (use.kind === 'volume' ? { ...use, isStopped } : use));
  const look = lookOf(shop, { use: useNow, mendVolumes });
  await look();
  assert.deepEqual(triedAt, [], 'nothing is to be mended');
  isStopped = true;
  for (; looks < 33; looks++) await look();
  assert.deepEqual(triedAt, [0, 30, 31, 32]);
  assert.deepEqual(await reported(shop), [
    'volume data of pod db could not be written because the disk of the host was full: it was repaired, and its pods are restarted',
  ]);
});
