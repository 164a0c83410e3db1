/** What an earlier release has left is taken over by the code of today, and no container notices. See `record.ts`. */
import assert from 'node:assert/strict';
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { Control } from '../../src/control/control.ts';
import { createDiskBook } from '../../src/control/disk/disk-book.ts';
import { storedRoutes } from '../../src/control/routing.ts';
import { reconcile } from '../../src/control/visit/reconcile.ts';
import type { EngineOperation } from '../../src/deployment/plan/operation.ts';
import { openEgress } from '../../src/deployment/workload/egress.ts';
import type { Observed } from '../../src/deployment/workload/workload.ts';
import { type Engine, EngineFault } from '../../src/engine/engine.ts';
import { readWorkloadLabels } from '../../src/engine/labels.ts';
import { createMemoryWorld } from '../../src/engine/memory/world.ts';
import { createMetrics } from '../../src/lib/metrics.ts';
import { wait } from '../../src/lib/wait.ts';
import { openKeys } from '../../src/sealing-keys.ts';
import { applicationUrl, readSettings } from '../../src/settings/settings.ts';
import { type Database, openSqlite } from '../../src/store/database.ts';
import { takeLeases, takeOver } from '../../src/store/leases.ts';
import { createTestEngine } from '../support/memory-engine.ts';

type Record = {
  recordedAt: number;
  baseUrl: string;
  appsDomain: string;
  observed: { [deploymentId: string]: Observed | ObservedByFirst };
  labels: { [container: string]: { [label: string]: string } };
};

/** As release 0.1 told of images. */
type ObservedByFirst = Omit<Observed, 'images'> & { images: string[]; localImages: string[] };

function readObserved(recorded: Observed | ObservedByFirst): Observed {
  if (!('localImages' in recorded)) return recorded;
  const { images: present, localImages: local, ...observed } = recorded;
  return { ...observed, images: { present, local } };
}

const releases = (await readdir(import.meta.dirname, { withFileTypes: true }))
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

for (const release of releases) {
  const folder = join(import.meta.dirname, release);
  const record = JSON.parse(await readFile(join(folder, 'engine.json'), 'utf8')) as Record;

  test(`${release}: the service of today takes its deployments over without a single operation`, async (t) => {
    const { control, executed } = await takeOverFrom(t, folder, record);
    const { db, settings, now } = control;
    await takeOver(db, { now: now(), spreadMs: 1, random: () => 0 });
    const due = { now: now() + 1, leaseMs: settings.leaseMs, horizonMs: settings.revisitMs, limit: 1000 };
    const leases = await takeLeases(db, due);
    assert.equal(leases.length, Object.keys(record.observed).length);
    const before = await standingOf(db);
    const never = new AbortController().signal;
    for (const lease of leases) await reconcile({ lease, stop: never, interrupt: () => never }, control);
    assert.deepEqual(executed, []);
    assert.deepEqual(await standingOf(db), before);
    const uncounted = await db.selectFrom('revisions').select('number').where('volumeSizes', 'is', null).execute();
    assert.deepEqual(uncounted, [], 'all that it asks for is counted');
  });

  test(`${release}: the labels of its containers are read`, () => {
    const workloads = Object.values(record.observed).flatMap((observed) => observed.workloads);
    for (const { name, pod, revision, replica, fingerprint } of workloads) {
      const read = readWorkloadLabels(record.labels[name]!);
      assert.ok(read, name);
      assert.deepEqual(
        [read.pod, read.revision, read.replica, read.fingerprint, read.readiness.kind],
        [pod, revision, replica, fingerprint, JSON.parse(record.labels[name]!['berth.readiness']!).kind],
      );
    }
  });
}

/** What a visitor and an owner would notice. */
async function standingOf(db: Database) {
  const fields = ['id', 'state', 'revision', 'servingRevision', 'endpoints'] as const;
  return await db.selectFrom('deployments').select(fields).orderBy('id').execute();
}

/** A copy of the database under the control loop of today, and an engine that has what was recorded. */
async function takeOverFrom(t: TestContext, folder: string, { recordedAt, baseUrl, appsDomain, observed }: Record) {
  const dataDir = await mkdtemp(join(tmpdir(), 'berth-upgrade-'));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  await copyFile(join(folder, 'secret.key'), join(dataDir, 'secret.key'));
  await writeFile(join(dataDir, 'berth.db'), gunzipSync(await readFile(join(folder, 'berth.db.gz'))));
  const db = await openSqlite(join(dataDir, 'berth.db'));
  t.after(() => db.destroy());

  const read = readSettings({ BERTH_DATA_DIR: dataDir, BERTH_BASE_URL: baseUrl, BERTH_APPS_DOMAIN: appsDomain });
  assert.ok(read.ok);
  const { settings } = read;
  const log = { info() {}, error() {} };
  const executed: EngineOperation[] = [];
  const engine: Engine = {
    ...createTestEngine({ world: createMemoryWorld({}) }),
    observe: async (deploymentId) => readObserved(observed[deploymentId]!),
    execute: async (_, operation) => {
      executed.push(operation);
      // One that nothing comes of would be planned again and again.
      throw new EngineFault('bad-request', `An upgrade is to do nothing, and this is ${operation.kind}.`);
    },
  };
  const checkTags = () => Promise.reject(new EngineFault('bad-request', 'An upgrade is to ask nothing.'));
  const control: Control = {
    ...{ db, engine, checkTags, log, wait, metrics: createMetrics(), disk: createDiskBook(), random: () => 0.5 },
    seal: await openKeys(db, settings, log),
    now: () => recordedAt,
    refreshEdge: async () => {},
    routed: await storedRoutes(db),
    urlOf: (label) => applicationUrl(settings, label),
    egressOf: async () => openEgress,
    settings: { ...settings, leaseMs: 15_000, pollMs: 5_000, resyncMs: 30_000, revisitMs: 600_000 },
  };
  return { control, executed };
}
