import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { findOrphans } from '../../src/control/sweep.ts';
import { newDeployment } from '../../src/deployment/deployment.ts';
import { connectDocker } from '../../src/engine/docker/connect-docker.ts';
import { createDockerEngine } from '../../src/engine/docker/docker.ts';
import { newId } from '../../src/lib/ids.ts';
import { sealWith } from '../../src/lib/seal.ts';
import { openSqlite } from '../../src/store/database.ts';
import { addDeployment, deploymentById, writeIntent } from '../../src/store/deployments.ts';
import { makeDue } from '../../src/store/leases.ts';
import { addRevision } from '../../src/store/revisions.ts';
import { addSession } from '../../src/store/sessions.ts';
import { pod, specOf } from '../support/deployments.ts';
import { until } from './berth.ts';
import type { LastWords, WorkerTask } from './worker.ts';

const program = join(import.meta.dirname, 'worker.ts');
const leaseMs = 4_000;
/**
 * Beyond the lease: the other one polls twice a second, and the machine may be busy. The next full look comes later
 * than that.
 */
const slackMs = 20_000;

const web = pod('web', { image: 'nginx:1', path: '/', servicePorts: [80] });
/** The name of a network on the engine goes by it: new in each run. */
const id = newId();
const spec = specOf(web, { ...web, name: 'other', path: '/other' });

test('a deployment whose process is killed is finished by another one on the same store, within one lease', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'berth-'));
  const task: WorkerTask = {
    dataDir,
    owner: `test-${newId()}`,
    networkPool: '10.205.0.0/16',
    secret: 'a secret of the test',
    leaseMs,
  };
  const engine = createDockerEngine({
    docker: await connectDocker(),
    owner: task.owner,
    networkPool: task.networkPool,
    loops: { directory: join(dataDir, 'volumes'), isForNew: false },
  });
  const db = await openSqlite(join(dataDir, 'berth.db'));
  const workers: ChildProcess[] = [];
  t.after(async () => {
    for (const worker of workers) worker.kill('SIGKILL');
    for (const owned of await engine.listOwned()) await engine.removeOwned(owned);
    await db.destroy();
    await rm(dataDir, { recursive: true });
  });
  for (const _ of ['one', 'two']) {
    const worker = fork(program, [JSON.stringify(task)]);
    workers.push(worker);
    await once(worker, 'message');
  }
  const lease = () => db.selectFrom('leases').select('token').where('deploymentId', '=', id).executeTakeFirst();

  const createdAt = Date.now();
  await db.transaction().execute(async (db) => {
    const names = {
      id,
      sessionId: 'session',
      applicationName: 'shop',
      environment: 'test',
      label: 'test-shop',
    };
    await addSession(db, { id: 'session', token: 'token', createdAt });
    await addDeployment(db, newDeployment({ ...names, createdAt, expiresAt: null, claimedAt: null }));
    await addRevision(db, sealWith(task.secret), id, { number: 1, spec, document: '', createdAt, askedBy: 'session' });
    await makeDue(db, id, createdAt);
  });
  const [signal, killed] = await Promise.race(
    workers.map(async (worker) => [(await once(worker, 'exit'))[1], worker] as const),
  );
  assert.equal(signal, 'SIGKILL');
  // From before the kill: this process may have stood still for longer than a lease since.
  const { at: killedAt, ...held } = JSON.parse(await readFile(join(dataDir, 'killed'), 'utf8')) as LastWords;
  assert.equal(held.state, 'deploying', held.explanation);
  assert.ok(held.leasedUntil <= killedAt + leaseMs, 'no process waits longer than a lease');

  await until('another process has it', async () => (await lease())!.token !== held.token);
  const takenAt = Date.now();
  assert.ok(takenAt >= held.leasedUntil, 'not before it has run out');
  assert.ok(takenAt <= killedAt + leaseMs + slackMs, `taken after ${takenAt - killedAt} ms`);
  await until('it runs', async () => (await deploymentById(db, id))!.state === 'running');
  const { workloads } = await engine.observe(id, []);
  assert.deepEqual(
    workloads.map(({ pod, isReady }) => [pod, isReady]),
    [
      ['other', true],
      ['web', true],
    ],
  );
  assert.deepEqual(await findOrphans(engine, db), []);

  await writeIntent(db, id, { removedAt: Date.now() });
  await makeDue(db, id, Date.now());
  await until('it is gone', async () => (await deploymentById(db, id))!.goneAt !== null);
  assert.deepEqual(await engine.listOwned(), []);
  const survivor = workers.find((worker) => worker !== killed)!;
  survivor.disconnect();
  await once(survivor, 'exit');
});
