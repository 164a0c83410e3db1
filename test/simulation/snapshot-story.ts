/**
 * A story of an application with snapshots: snapshots, restores in place and as new deployments, exports, removal and
 * return within the grace, while processes are killed at any call, and the engine and the place fail at any call. All
 * in memory.
 */
import assert from 'node:assert/strict';
import { reconcile } from '../../src/control/visit/reconcile.ts';
import type { Deployment } from '../../src/deployment/deployment.ts';
import { volumeKey } from '../../src/engine/memory/deployment-map.ts';
import { createMemoryEngine } from '../../src/engine/memory/memory.ts';
import type { Interceptor } from '../../src/engine/memory/memory-call.ts';
import { deploymentById, writeIntent } from '../../src/store/deployments.ts';
import { acquireLeases, makeDue, releaseLease } from '../../src/store/leases.ts';
import { openRestores, requestRestore, restoresOf } from '../../src/store/restores.ts';
import { copySeed } from '../../src/store/seeds.ts';
import { markSnapshotsForRemoval, requestSnapshot, snapshotsOf } from '../../src/store/snapshots.ts';
import { randomFrom } from '../random.ts';
import { addNeighbour, onEngine, shopOnMemory } from '../support/controlled-deployment.ts';
import { pod, specOf } from '../support/deployments.ts';
import { createTestEngine } from '../support/memory-engine.ts';
import { createMemoryRepository, keptFile, type MemoryRepository } from '../support/memory-repository.ts';
import { workerOn } from '../support/snapshot-worker.ts';
import { playExport } from './exported.ts';
import { type Fate, fatedCalls } from './fated-calls.ts';

const minute = 60_000;
const graceMs = 20 * minute;
const maxParallelRestores = 2;
const volumes = ['data', 'log'].map((name) => ({ name, sizeBytes: 1000, mountPath: `/${name}` }));
const names = ['db-data', 'db-log'];
const spec = specOf(
  pod('db', { image: 'db:1', servicePorts: [5432], volumes }),
  pod('web', { image: 'web:1', path: '/', servicePorts: [80] }),
);

/** Plays one story to its end, and throws where something of it must not be. `note`: what has happened. */
export async function playSnapshots(seed: number, note: (what: string) => void): Promise<void> {
  const random = randomFrom(seed);
  const below = (count: number) => Math.floor(random() * count);
  const copiesAs = below(2) === 0 ? ('files' as const) : ('tars' as const);
  const mixes: string[] = [];
  const shop = await shopOnMemory(spec, {
    'web:1': {},
    'db:1': {
      program: ({ read }) => {
        const [data, log] = [read('/data/n'), read('/log/n')];
        if (data !== log) mixes.push(`${data} and ${log}`);
        return { ports: [5432] };
      },
    },
  });
  const { control, world, clock } = shop;
  control.settings.graceMs = graceMs;
  const { db, now } = control;
  const places = new Map<string, MemoryRepository['kept']>();
  /** The initial data of each deployment that was started from the shop's data. */
  const other = new Map<string, string | undefined>();
  let written = 0;

  const placeOf = (id: string) => places.get(id) ?? places.set(id, new Map()).get(id)!;
  const numbersOf = (id: string) => names.map((volume) => world.volumes.get(volumeKey(id, volume))?.files.get('n'));
  const isRunning = (id: string) =>
    world.containers.of(id).some((each) => each.workload.pod === 'db' && each.phase === 'running');
  const shopRow = async () => (await deploymentById(db, 'shop'))!;
  const isActive = ({ state, removedAt }: Deployment) => state !== 'expired' && removedAt === null;
  const taken = async () => (await snapshotsOf(db, 'shop')).filter(({ state }) => state === 'taken');
  const keptNumber = (placeId: string) => keptFile(placeOf('shop'), placeId, 'db-data', 'n');

  function write(): void {
    if (!isRunning('shop')) return;
    written++;
    for (const volume of names) world.volumes.get(volumeKey('shop', volume))?.files.set('n', String(written));
  }

  /** One process: it begins, does a step, and may die over it. */
  async function work(fate?: Fate): Promise<boolean> {
    const { call, died } = fatedCalls(fate);
    const ended = new AbortController();
    const intercept: Interceptor = (requested, perform) => call(requested.name, perform);
    const engine = createMemoryEngine({ world, now, copiesAs, intercept });
    const place = async (id: string) => createMemoryRepository(world, call, placeOf(id));
    const terms = { count: 3, everyMs: 30 * minute };
    const worker = workerOn(control, { engine, place, terms, stop: ended.signal });
    const outcome = await Promise.race([worker.step().catch(() => 'failed' as const), died]);
    ended.abort();
    if (outcome === 'died' || outcome === 'failed') note(outcome);
    return outcome !== false;
  }

  /** A process of the loop visits all deployments, and may die over one of them. */
  async function visit(isFated: boolean): Promise<void> {
    const engine = createTestEngine({ world, now, wait: async (ms) => clock.pass(ms) });
    const kind = (['remove', 'swap', 'start', 'create-volume', 'remove-volume'] as const)[below(5)]!;
    const when = (['before', 'halfway', 'after'] as const)[below(3)]!;
    if (isFated)
      engine.interrupt(
        kind === 'swap' ? { operation: 1, name: 'copies.swap', when } : { operation: 1 + below(2), kind, when },
      );
    try {
      for (const id of ['shop', ...other.keys()])
        if ((await deploymentById(db, id))?.goneAt === null) await makeDue(db, id, now());
      const { leaseMs, revisitMs: horizonMs } = control.settings;
      for (const lease of await acquireLeases(db, { now: now(), leaseMs, horizonMs, limit: 10 })) {
        const never = new AbortController().signal;
        const dueAt = await reconcile({ lease, stop: never, interrupt: () => never }, onEngine(control, engine));
        await releaseLease(db, lease, { dueAt, observedHash: null });
      }
    } catch {
      note(`visit interrupted at ${kind}`);
      clock.pass(20_000);
    }
  }

  /** A deployment that gets its data by a restore has the complete data once it is done. */
  async function visitAndCheck(isFated = false): Promise<void> {
    const before = await doneNow();
    const runningBefore = new Set([...other.keys()].filter(isRunning));
    await visit(isFated);
    for (const { id, snapshotId, state } of await restoresOf(db, 'shop')) {
      if (state !== 'done' || before.has(id)) continue;
      note('restored');
      const { placeId } = (await snapshotsOf(db, 'shop')).find((each) => each.id === snapshotId)!;
      const wanted = keptNumber(placeId!);
      assert.deepEqual(numbersOf('shop'), [wanted, wanted]);
    }
    for (const [id, wanted] of other) {
      if (!isRunning(id)) continue;
      if (!runningBefore.has(id)) note('runs beside');
      assert.deepEqual(numbersOf(id), [wanted, wanted], `${id} runs with other data`);
    }
    assert.deepEqual(mixes, []);
  }
  const doneNow = async () =>
    new Set((await restoresOf(db, 'shop')).flatMap(({ id, state }) => (state === 'done' ? [id] : [])));

  async function askSnapshot(): Promise<void> {
    const { revision, ...row } = await shopRow();
    if (!isActive({ revision, ...row })) return;
    if ((await snapshotsOf(db, 'shop')).every(({ state }) => state !== 'asked'))
      await requestSnapshot(db, { deploymentId: 'shop', revision, reason: 'asked', now: now() });
  }

  async function askInPlace(): Promise<void> {
    const some = await taken();
    if (some.length === 0 || !isActive(await shopRow())) return;
    if ((await openRestores(db)).some(({ deploymentId }) => deploymentId === 'shop')) return;
    const { id } = some[below(some.length)]!;
    await requestRestore(db, { deploymentId: 'shop', snapshotId: id, volumes: names, now: now() });
  }

  /** As the API starts one. */
  async function askBeside(): Promise<void> {
    const some = await taken();
    if (some.length === 0 || other.size >= maxParallelRestores || !isActive(await shopRow())) return;
    const { id: snapshotId, placeId } = some[below(some.length)]!;
    const deploymentId = `restored-${other.size + 1}`;
    other.set(deploymentId, keptNumber(placeId!));
    await addNeighbour(shop, deploymentId, spec);
    await db.updateTable('deployments').set({ expiresAt: null, claimedAt: 1 }).where('id', '=', deploymentId).execute();
    await db.deleteFrom('seeds').where('deploymentId', '=', deploymentId).execute();
    await copySeed(db, 'shop', deploymentId);
    const requested = { deploymentId, snapshotId, fromDeploymentId: 'shop', volumes: names, now: now() };
    await requestRestore(db, requested);
  }

  async function deleteOne(): Promise<void> {
    const needed = new Set((await openRestores(db)).flatMap(({ snapshotId, safetyId }) => [snapshotId, safetyId]));
    const some = (await taken()).filter(({ id }) => !needed.has(id));
    if (some.length > 0) await markSnapshotsForRemoval(db, [some[below(some.length)]!.id]);
  }

  /** As the API removes and restores it. */
  async function endOrReturn(): Promise<void> {
    const row = await shopRow();
    if (row.goneAt !== null) return;
    if (isActive(row)) {
      note('removed');
      await writeIntent(db, 'shop', { removedAt: now(), restorableUntil: now() + graceMs });
    } else if ((row.restorableUntil ?? 0) > now()) {
      note('returned');
      const begun = { state: 'deploying', progress: 0, explanation: null, progressedAt: now() } as const;
      const ended = { removedAt: null, stoppedAt: null, restorableUntil: null, keptAt: null };
      await writeIntent(db, 'shop', { ...begun, ...ended, pods: '[]', lastLines: '[]' });
    }
  }

  async function exportIt(fate?: Fate): Promise<void> {
    const row = await shopRow();
    if (!isActive(row) || row.servingRevision === null) return;
    const meanwhile = async () => void (below(2) === 0 && (await work()));
    await playExport(row, { control, world, copiesAs, names, key: `export-${written}`, fate, note, meanwhile });
  }

  await visit(false);
  write();
  await db.updateTable('deployments').set({ claimedAt: 1, expiresAt: null }).execute();
  for (let steps = 0; steps < 30; steps++) {
    const fate: Fate | undefined =
      random() < 0.5
        ? { at: 1 + below(12), kind: random() < 0.7 ? 'death' : 'fault', isAfter: random() < 0.5 }
        : undefined;
    const chance = random();
    if (chance < 0.13) write();
    else if (chance < 0.23) await askSnapshot();
    else if (chance < 0.32) await askInPlace();
    else if (chance < 0.38) await askBeside();
    else if (chance < 0.4) await deleteOne();
    else if (chance < 0.43) await endOrReturn();
    else if (chance < 0.48) await exportIt(fate);
    else if (chance < 0.75) await work(fate);
    else if (chance < 0.95) await visitAndCheck(fate !== undefined);
    else clock.pass(10 * minute);
    assert.deepEqual(mixes, []);
  }
  await settle();
  await checkEnd();
  await db.destroy();

  /** Nothing fails any more. */
  async function settle(): Promise<void> {
    let isQuiet = false;
    for (let rounds = 0; rounds < 60 && !isQuiet; rounds++) {
      const isAtWork = await work();
      await visitAndCheck();
      const isOpen = (await openRestores(db)).length > 0;
      const isLeaving = (await db.selectFrom('snapshots').select('id').where('state', '=', 'leaving').execute()).length;
      isQuiet = rounds > 12 && !isAtWork && !isOpen && isLeaving === 0;
      // Failed work is retried, and expired data is removed, within that time.
      clock.pass(isAtWork ? 2 * minute : 11 * minute);
    }
    await visitAndCheck();
  }

  async function checkEnd(): Promise<void> {
    assert.deepEqual(await openRestores(db), []);
    const { state, goneAt } = await shopRow();
    if (goneAt === null) assert.equal(state, 'running');
    else assert.deepEqual(numbersOf('shop'), [undefined, undefined], 'it is gone, and its volumes are there');
    for (const id of other.keys()) {
      const [restore] = await restoresOf(db, id);
      const { state } = (await deploymentById(db, id))!;
      assert.equal(state, restore!.state === 'done' ? 'running' : 'failed');
      if (restore!.state === 'failed') {
        note('failed beside');
        assert.deepEqual(numbersOf(id), [undefined, undefined], 'what has failed has volumes');
      }
    }
    assert.equal(world.copies.size, 0, 'copies are left');
    assert.deepEqual(await shop.orphans(), []);
    const rows = await snapshotsOf(db, 'shop');
    const kept = placeOf('shop');
    const placed = rows.flatMap(({ placeId }) => (placeId === null ? [] : placeId.split(' ')));
    for (const id of placed) assert.ok(kept.has(id), `${id} is not there`);
    const leaving = await db.selectFrom('snapshots').select('id').where('state', '=', 'leaving').execute();
    // Data that has expired lately may still be there, and is removed with the next.
    const each = copiesAs === 'tars' ? names.length : 1;
    assert.ok(kept.size <= placed.length + each * leaving.length, 'unnamed data is kept');
  }
}
