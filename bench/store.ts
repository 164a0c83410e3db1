/**
 * The store's latency for the API, with very many deployments: starts, updates and lists, without a network and without
 * an engine, on SQLite and on a PostgreSQL of the benchmark's own. Both sync each commit to the same disk.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import { newDeployment } from '../src/deployment/deployment.ts';
import { newId } from '../src/lib/ids.ts';
import { sealWith } from '../src/lib/seal.ts';
import { openSqlite } from '../src/store/database.ts';
import type { Tables } from '../src/store/rows.ts';
import { shopYaml, type TestApi, testApi } from '../test/support/api.ts';
import { startPostgres } from '../test/support/postgres.ts';
import type { Undo } from './undo.ts';

export type StoreOptions = { deployments: number; requests: number };

export type StoreTimes = { database: 'SQLite' | 'PostgreSQL'; start: number[]; update: number[]; list: number[] };

/** The usual durability settings of PostgreSQL. */
export const thorough = ['fsync=on', 'full_page_writes=on', 'autovacuum=on', 'shared_buffers=128MB'];

/** Rows of one statement: PostgreSQL takes 65,535 values at a time. */
const rowsAtOnce = 500;
/** Statements are planned, and pages read. */
const warmUps = 20;
const hour = 3_600_000;

export async function measureStores(options: StoreOptions, undo: Undo, signal: AbortSignal): Promise<StoreTimes[]> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-bench-'));
  undo.add(`remove ${folder}`, () => rm(folder, { recursive: true, force: true }));
  const sqlite = await measure('SQLite', await openSqlite(join(folder, 'berth.db')), options, signal);
  const postgres = await startPostgres({ settings: thorough });
  undo.add('end PostgreSQL', async () => await postgres[Symbol.asyncDispose]());
  return [sqlite, await measure('PostgreSQL', await postgres.openStore(), options, signal)];
}

async function measure(
  database: StoreTimes['database'],
  db: Kysely<Tables>,
  { deployments, requests }: StoreOptions,
  signal: AbortSignal,
): Promise<StoreTimes> {
  const much = { count: 1e9, windowMs: hour };
  const api = await testApi({ startRate: much, rate: much, documentRate: much }, undefined, db);
  for (let count = 0; count < deployments; count += rowsAtOnce)
    await addRows(db, Math.min(rowsAtOnce, deployments - count), api.clock.now);
  const times: StoreTimes = { database, start: [], update: [], list: [] };
  for (let number = -warmUps; number < requests; number++) {
    signal.throwIfAborted();
    const client = { 'x-berth-client': `2001:db8:${(number + warmUps).toString(16)}::1` };
    const [start, started] = await timed(() => api.postYaml('/startUserDeployment', shopYaml, client));
    const query = `?sessionToken=${started.body.sessionToken}`;
    const [update] = await timed(() => api.postYaml(`/updateUserDeployment${query}`, shopYaml, client));
    const [list] = await timed(() => api.get(`/getReservations${query}`, client));
    if (number < 0) continue;
    times.start.push(start);
    times.update.push(update);
    times.list.push(list);
  }
  await api.app.close();
  await db.destroy();
  return times;
}

type Answer = Awaited<ReturnType<TestApi['get']>>;

async function timed(ask: () => Promise<Answer>): Promise<[number, Answer]> {
  const begunAt = performance.now();
  const answer = await ask();
  if (answer.status !== 200) throw new Error(`The API answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return [performance.now() - begunAt, answer];
}

/** Deployments that run, each in a session of its own, as the loop leaves them. */
async function addRows(db: Kysely<Tables>, count: number, now: number): Promise<void> {
  const sealed = sealWith('a secret of the benchmark').close(shopYaml);
  const ids = Array.from({ length: count }, () => newId() + newId());
  const sessions = ids.map((id) => ({ id, tokenHash: id, createdAt: now, tokenMadeAt: now, starts: 'free' as const }));
  const running = ids.map((id) => {
    const named = { applicationName: 'shop', environment: id, label: id };
    const requested = newDeployment({
      id,
      sessionId: id,
      ...named,
      createdAt: now,
      expiresAt: now + hour,
      claimedAt: null,
    });
    const endpoints = JSON.stringify([{ path: '/', address: '10.200.0.2', port: 80 }]);
    return {
      ...requested,
      state: 'running' as const,
      progress: 100,
      servingRevision: 1,
      explanation: null,
      pods: '[]',
      lastLines: '[]',
      endpoints,
      ownHosts: '[]',
      restarts: '{}',
    };
  });
  const revisions = ids.map((deploymentId) => ({
    deploymentId,
    number: 1,
    createdAt: now,
    spec: sealed,
    document: sealed,
    images: '["nginx:1"]',
    askedBy: 'session' as const,
    memoryBytes: 2 ** 20,
    cpuMillis: 1,
    diskBytes: 0,
    containers: 1,
    volumes: 0,
    gpus: 0,
    volumeSizes: '[]',
  }));
  const leases = ids.map((deploymentId) => ({ deploymentId, dueAt: now + hour, observedHash: 'as it was' }));
  await db.transaction().execute(async (db) => {
    await db.insertInto('sessions').values(sessions).execute();
    await db.insertInto('deployments').values(running).execute();
    await db.insertInto('revisions').values(revisions).execute();
    await db.insertInto('leases').values(leases).execute();
  });
}
