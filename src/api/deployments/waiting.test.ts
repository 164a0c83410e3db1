import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { shopYaml, testApi } from '../../../test/support/api.ts';
import { deploymentOf } from '../../../test/support/deployments.ts';
import type { Deployment } from '../../deployment/deployment.ts';
import { writeIntent } from '../../store/deployments.ts';
import { untilArrived } from './waiting.ts';

/** Time passes only while a client waits; `seen` is the result of each look. */
function watchOf(seen: (Partial<Deployment> | undefined)[], created: Partial<Deployment> = {}) {
  let clock = 0;
  const waited: number[] = [];
  return {
    waited,
    watch: {
      read: async () => {
        const fields = seen.length > 1 ? seen.shift() : seen[0];
        return fields && deploymentOf({ ...created, ...fields });
      },
      now: () => clock,
      clock: () => clock,
      wait: async (ms: number) => {
        waited.push(ms);
        clock += ms;
      },
    },
  };
}

const on = new AbortController().signal;
const deploying = deploymentOf({});

test('what runs, has failed or has ended is answered without waiting', async () => {
  for (const fields of [{ state: 'running' }, { state: 'failed' }, { state: 'expired' }, { removedAt: 0 }] as const) {
    const { waited, watch } = watchOf([{}]);
    await untilArrived(deploymentOf(fields), 60_000, watch, on);
    assert.deepEqual(waited, []);
  }
});

test('a state that is reached during the wait is returned at once', async () => {
  for (const state of ['running', 'failed', 'expired'] as const) {
    const { waited, watch } = watchOf([{}, {}, { state }]);
    assert.equal((await untilArrived(deploying, 60_000, watch, on)).state, state);
    assert.equal(waited.length, 3);
  }
});

test('otherwise the current state is returned after exactly the requested time', async () => {
  const { waited, watch } = watchOf([{ progress: 40 }]);
  const { state, progress } = await untilArrived(deploying, 1_250, watch, on);
  assert.deepEqual([state, progress], ['deploying', 40]);
  assert.equal(
    waited.reduce((sum, ms) => sum + ms),
    1_250,
  );
});

test('a deployment that is removed, expires or is forgotten during the wait is returned as expired', async () => {
  const removed = watchOf([{ removedAt: 50 }]);
  const { state, explanation } = await untilArrived(deploying, 60_000, removed.watch, on);
  assert.deepEqual([state, explanation], ['expired', { kind: 'ended', because: 'removed' }]);
  const limited = watchOf([{ expiresAt: 300 }]);
  const late = await untilArrived(deploymentOf({ expiresAt: 300 }), 60_000, limited.watch, on);
  assert.deepEqual([late.state, late.explanation], ['expired', { kind: 'ended', because: 'expired' }]);
  assert.equal((await untilArrived(deploying, 60_000, watchOf([undefined]).watch, on)).state, 'expired');
});

test('a client that disconnects, or a service that stops, ends the wait', async () => {
  const stop = new AbortController();
  const { waited, watch } = watchOf([{}]);
  const wait = async (ms: number) => {
    await watch.wait(ms);
    stop.abort();
  };
  assert.equal((await untilArrived(deploying, 60_000, { ...watch, wait }, stop.signal)).state, 'deploying');
  assert.equal(waited.length, 1);
});

const statusPath = '/getDeploymentStatus?applicationName=shop';

test('a status with wait is answered when the deployment arrives', async () => {
  const api = await testApi();
  const token = await api.startShop();
  const answered = api.get(`${statusPath}&sessionToken=${token}&wait=120`);
  const { id } = await api.service.db.selectFrom('deployments').select('id').executeTakeFirstOrThrow();
  await writeIntent(api.service.db, id, { state: 'running', progress: 100 });
  const { status, body } = await answered;
  assert.deepEqual([status, body.status.state, body.status.progress], [200, 'running', 100]);
});

test('a status is answered at once without wait, and with wait=0', async () => {
  const api = await testApi();
  const token = await api.startShop();
  for (const query of ['', '&wait=0']) {
    const { body } = await api.get(`${statusPath}&sessionToken=${token}${query}`);
    assert.equal(body.status.state, 'deploying');
  }
});

test('a wait of more than 120 seconds, or of no number, is refused', async () => {
  const api = await testApi();
  const token = await api.startShop();
  for (const wait of ['121', '-1', 'long', '1.5', '']) {
    const { status, body } = await api.get(`${statusPath}&sessionToken=${token}&wait=${wait}`);
    assert.deepEqual([status, body.code], [400, 'invalid_request'], wait);
  }
});

test('a service that stops answers those who wait', async () => {
  const api = await testApi();
  const token = await api.startShop();
  const answered = api.get(`${statusPath}&sessionToken=${token}&wait=120`);
  // The request was read and is waiting.
  await api.get(statusPath);
  await api.app.close();
  const { status, body } = await answered;
  assert.deepEqual([status, body.status.state], [200, 'deploying']);
});

test('a session has 20 answers that it waits for, and the next one is refused', async () => {
  const api = await testApi();
  const token = await api.startShop();
  const ask = () => api.get(`${statusPath}&sessionToken=${token}&wait=120`);
  const waiting = Array.from({ length: 20 }, ask);
  const { status, headers, body } = await ask();
  assert.deepEqual([status, body.code, headers['retry-after']], [429, 'rate_limited', '10']);
  await api.postJson('/removeDeploymentReservation', { applicationName: 'shop', sessionToken: token });
  const states = await Promise.all(waiting.map(async (answer) => (await answer).body.status.state));
  assert.deepEqual([...new Set(states)], ['expired']);
});

test('a client that disconnects while waiting releases its place', async (t) => {
  const api = await testApi();
  t.after(() => api.app.close());
  await api.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = api.app.server.address() as AddressInfo;
  const headers = { authorization: `Bearer ${await api.startShop()}` };
  const ask = (path: string) => {
    const gone = new AbortController();
    const url = `http://127.0.0.1:${port}${path}`;
    return { answer: fetch(url, { headers, signal: gone.signal }), leave: () => gone.abort() };
  };
  /** Returns whether a place is free. Releases it at once. */
  const hasPlace = async () => {
    const { answer, leave } = ask('/getDeploymentEvents?applicationName=shop');
    const { status } = await answer;
    leave();
    return status === 200;
  };
  const waiting = Array.from({ length: 20 }, () => ask(`${statusPath}&wait=120`));
  while (await hasPlace()) await setImmediate();
  const [patient, ...leaving] = waiting;
  let isAnswered = false;
  void patient!.answer.then(() => {
    isAnswered = true;
  });
  for (const { answer, leave } of leaving) {
    leave();
    await assert.rejects(answer, { name: 'AbortError' });
  }
  while (!(await hasPlace())) await setImmediate();
  assert.equal(isAnswered, false, 'long before the wait would have ended');
});

test('a start can name the status to wait for, and the status can be queried with the token alone', async () => {
  const api = await testApi();
  const { body: started } = await api.postYaml('/startUserDeployment', shopYaml);
  const { id } = await api.service.db.selectFrom('deployments').select('id').executeTakeFirstOrThrow();
  await writeIntent(api.service.db, id, { state: 'running' });
  const { pathname, search } = new URL(started.links.status);
  assert.match(search, /wait=50/);
  const { body } = await api.get(`${pathname}${search}`, { authorization: `Bearer ${started.sessionToken}` });
  assert.equal(body.status.state, 'running');
});
