/** What an earlier release has left is taken over by the code of today, and no container notices. See `record.ts`. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { type Dialect, Kysely, sql } from 'kysely';
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
import { parsePostgresUrl } from '../../src/lib/postgres-address.ts';
import { wait } from '../../src/lib/wait.ts';
import { openKeys } from '../../src/sealing-keys.ts';
import { applicationUrl, readSettings } from '../../src/settings/settings.ts';
import { type Database, openPostgres, openSqlite } from '../../src/store/database.ts';
import { postgresDialect } from '../../src/store/dialect/postgres.ts';
import { sqliteDialect } from '../../src/store/dialect/sqlite.ts';
import { takeLeases, takeOver } from '../../src/store/leases.ts';
import type { Tables } from '../../src/store/rows.ts';
import { createTestEngine } from '../support/memory-engine.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { writePostgres, writeSqlite } from './database-text.ts';
import { stores } from './stores.ts';

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

const entries = await readdir(import.meta.dirname, { withFileTypes: true });
const releases = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
const recorded = releases.flatMap((release) =>
  stores
    .map((store) => ({ release: `${release} on ${store}`, store, folder: join(import.meta.dirname, release, store) }))
    .filter(({ folder }) => existsSync(folder)),
);

/** What migrations have written anew: tables, and columns of those. */
const rewritten: { [migration: string]: readonly string[] } = {
  '0011-hashed-sign-ins': ['signIns.token'],
  '0013-events': ['events'],
  '0014-pods': ['deployments.pods'],
};

let server: TestPostgres | undefined;
after(() => server?.[Symbol.asyncDispose]());

for (const { release, store, folder } of recorded) {
  const record = JSON.parse(await readFile(join(folder, 'engine.json'), 'utf8')) as Record;

  test(`${release}: all that was there is there`, async (t) => {
    const { raw, open } = await databaseOf(t, folder, store);
    const was = await raw(async (db) => ({ rows: await allRows(db), migrations: await migrationsOf(db) }));
    const db = await open();
    t.after(() => db.destroy());
    const is = await allRows(db);
    const changed = Object.entries(rewritten).flatMap(([name, what]) => (was.migrations.includes(name) ? [] : what));
    assert.ok(was.rows.get('deployments')!.length > 0);
    for (const [table, rows] of was.rows) {
      const now = is.get(table);
      assert.equal(now?.length, rows.length, table);
      const columns = Object.keys(rows[0] ?? {}).filter((name) => Object.hasOwn(now?.[0] ?? {}, name));
      const kept = columns.filter((name) => !changed.includes(table) && !changed.includes(`${table}.${name}`));
      assert.deepEqual(told(now!, kept), told(rows, kept), table);
    }
  });

  test(`${release}: the service of today takes its deployments over without a single operation`, async (t) => {
    const { control, executed } = await takeOverFrom(t, folder, store, record);
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

type Rows = readonly { [column: string]: unknown }[];

async function allRows(db: Kysely<Tables>): Promise<Map<string, Rows>> {
  const tables = (await db.introspection.getTables()).map(({ name }) => name);
  const read = async (name: string) => {
    const { rows } = await sql<Rows[number]>`select * from ${sql.table(name)}`.execute(db);
    return [name, rows] as const;
  };
  return new Map(await Promise.all(tables.map(read)));
}

/** In no order. */
function told(rows: Rows, columns: readonly string[]): string[] {
  return rows.map((row) => JSON.stringify(columns.map((column) => row[column]))).sort();
}

async function migrationsOf(db: Kysely<Tables>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  return rows.map(({ name }) => name);
}

/** `raw`: looks at it as it was left. `open`: as the service of today does. */
async function databaseOf(t: TestContext, folder: string, store: (typeof stores)[number]) {
  const dataDir = await mkdtemp(join(tmpdir(), 'berth-upgrade-'));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const text = await readFile(join(folder, 'database.sql'), 'utf8');
  const look = async <T>(dialect: Dialect, ask: (db: Kysely<Tables>) => Promise<T>): Promise<T> => {
    const db = new Kysely<Tables>({ dialect });
    return await ask(db).finally(() => db.destroy());
  };
  type Ask<T> = (db: Kysely<Tables>) => Promise<T>;
  if (store === 'sqlite') {
    const file = join(dataDir, 'berth.db');
    writeSqlite(text, file);
    return { dataDir, raw: <T>(ask: Ask<T>) => look(sqliteDialect(file), ask), open: () => openSqlite(file) };
  }
  server ??= await startPostgres();
  await writePostgres(text, server, 'recorded');
  const address = { ...parsePostgresUrl(server.url('recorded')), connections: 5 };
  const raw = async <T>(ask: Ask<T>) => look(await postgresDialect(address), ask);
  return { dataDir, raw, open: () => openPostgres(address) };
}

/** A copy of the database under the control loop of today, and an engine that has what was recorded. */
async function takeOverFrom(
  t: TestContext,
  folder: string,
  store: (typeof stores)[number],
  { recordedAt, baseUrl, appsDomain, observed }: Record,
) {
  const { dataDir, open } = await databaseOf(t, folder, store);
  await copyFile(join(folder, 'secret.key'), join(dataDir, 'secret.key'));
  const db = await open();
  t.after(() => db.destroy());

  const read = readSettings({ BERTH_DATA_DIR: dataDir, BERTH_BASE_URL: baseUrl, BERTH_APPS_DOMAIN: appsDomain });
  assert.ok(read.ok);
  const { settings } = read;
  const log = { info() {}, warn() {}, error() {} };
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
    db,
    engine,
    checkTags,
    log,
    epoch: { value: 0 },
    wait,
    metrics: createMetrics(),
    disk: createDiskBook(),
    random: () => 0.5,
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
