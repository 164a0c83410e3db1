import assert from 'node:assert/strict';
import { get, type IncomingMessage } from 'node:http';
import { type TestContext, test } from 'node:test';
import { shopYaml, testApi } from '../../../test/support/api.ts';
import { createTestEngine } from '../../../test/support/memory-engine.ts';
import type { Workload } from '../../deployment/workload/workload.ts';
import { EngineFault } from '../../engine/engine.ts';

/** A deployment whose containers the test starts and ends itself. At each start, `web` prints the number of starts. */
async function shop(context: TestContext, errors: (start: number) => string[] = () => []) {
  const api = await testApi();
  const { world, clock } = api;
  const engine = createTestEngine({ world, now: () => clock.now });
  let starts = 0;
  world.images.set('web:1', {
    program: () => ({ output: [`start ${++starts}`], errorOutput: errors(starts), ports: [80] }),
  });
  const token = await api.startShop();
  const id = api.woken.at(-1)!;
  const nameOf = (revision: number, pod = 'web') => `berth-${id}-${pod}-${revision}-0`;
  const workload = (revision: number, pod = 'web'): Workload => ({
    name: nameOf(revision, pod),
    pod,
    revision,
    replica: 0,
    fingerprint: `${revision}`,
    image: 'web:1',
    env: {},
    files: [],
    volumes: [],
    ports: [80],
    aliases: [pod],
    useGPU: false,
    resources: { requests: {}, limits: {} },
    readiness: { kind: 'port', port: 80 },
  });
  const because = 'the test says so';
  await engine.execute(id, { kind: 'create-network', because });
  await api.app.listen({ port: 0, host: '127.0.0.1' });
  context.after(() => api.app.close());
  const { port } = api.app.server.address() as { port: number };
  const query = `applicationName=shop&sessionToken=${token}`;
  return {
    api,
    engine,
    world,
    clock,
    token,
    update: () => api.postYaml(`/updateUserDeployment?sessionToken=${token}`, shopYaml),
    start: (revision: number, pod?: string) => {
      clock.now++;
      return engine.execute(id, { kind: 'start', workload: workload(revision, pod), because });
    },
    remove: (revision: number) => engine.execute(id, { kind: 'remove', name: nameOf(revision), because }),
    crash: (revision: number) => engine.crash(nameOf(revision), 1),
    read: (more = '') => api.get(`/getDeploymentLogs?${query}${more}`),
    /** The texts of the lines, without time and pod. */
    async texts(more = ''): Promise<string[]> {
      const { body } = await api.get(`/getDeploymentLogs?${query}${more}`);
      return textsOf(body);
    },
    /** `until` resolves with the lines when this many have arrived. */
    async follow(more = '') {
      const path = `/getDeploymentLogs?${query}&follow=true${more}`;
      const answer = await new Promise<IncomingMessage>((resolve) => get({ port, path, agent: false }, resolve));
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      return {
        close: () => answer.destroy(),
        ended: () => new Promise<void>((resolve) => answer.once('end', resolve)),
        async until(count: number): Promise<string[]> {
          while (textsOf(text).length < count) await new Promise((resolve) => answer.once('data', resolve));
          return textsOf(text);
        },
      };
    },
  };
}

function textsOf(body: string): string[] {
  return body
    .split('\n')
    .slice(0, -1)
    .map((line) => line.replace(/^\S+ \S+ /, ''));
}

test('a configuration is read once for all of its pods whose lines are wanted', async (context) => {
  const { api, start, follow, read } = await shop(context);
  const { seal } = api.service;
  let opened = 0;
  api.service.seal = {
    ...seal,
    open(sealed) {
      const text = seal.open(sealed);
      if (text.includes('"pods"')) opened += 1;
      return text;
    },
  };
  for (const pod of ['web', 'api', 'worker']) await start(1, pod);
  assert.equal((await read()).status, 200);
  assert.equal(opened, 1);
  const reader = await follow();
  await reader.until(3);
  reader.close();
  // Once for the existing lines, once for new lines.
  assert.equal(opened, 3);
});

test('followed lines go on through crashes, a container made again and an update, and each comes once', async (context) => {
  const { update, start, crash, remove, follow } = await shop(context);
  await start(1);
  const reader = await follow();
  assert.deepEqual(await reader.until(1), ['start 1']);
  crash(1);
  crash(1);
  assert.deepEqual(await reader.until(3), ['start 1', 'start 2', 'start 3']);
  await remove(1);
  await start(1);
  await reader.until(4);
  await update();
  await start(2);
  await reader.until(5);
  await remove(1);
  crash(2);
  const numbers = Array.from({ length: 6 }, (_, index) => `start ${index + 1}`);
  assert.deepEqual(await reader.until(6), numbers);
  reader.close();
});

test('followed lines begin where the last ones end, also without any of these', async (context) => {
  const { start, crash, follow } = await shop(context);
  await start(1);
  crash(1);
  const [some, none] = [await follow('&tail=1'), await follow('&tail=0')];
  assert.deepEqual(await some.until(1), ['start 2']);
  crash(1);
  assert.deepEqual(await some.until(2), ['start 2', 'start 3']);
  assert.deepEqual(await none.until(1), ['start 3']);
  for (const reader of [some, none]) reader.close();
});

test('an engine that goes away while lines are followed has them followed on when it is back', async (context) => {
  const { api, engine, start, crash, follow } = await shop(context);
  let isAway = false;
  let faults = 0;
  const refuse = () => {
    if (!isAway) return;
    faults++;
    throw new EngineFault('unavailable', 'away');
  };
  Object.assign(api.service.engine, {
    async *followLogs(...requested: Parameters<typeof engine.followLogs>) {
      for await (const line of engine.followLogs(...requested)) {
        refuse();
        yield line;
      }
    },
    async observe(...requested: Parameters<typeof engine.observe>) {
      refuse();
      return await engine.observe(...requested);
    },
  });
  await start(1);
  const reader = await follow();
  await reader.until(1);
  isAway = true;
  crash(1);
  crash(1);
  while (faults < 2) await new Promise((resolve) => setImmediate(resolve));
  isAway = false;
  crash(1);
  assert.deepEqual(await reader.until(4), ['start 1', 'start 2', 'start 3', 'start 4']);
  reader.close();
});

test('while the engine is away the answer says so, and that it is not for ever', async (context) => {
  const { api, engine, read } = await shop(context);
  const refuse = () => Promise.reject(new EngineFault('unavailable', 'away'));
  Object.assign(api.service.engine, { observe: refuse });
  const { status, headers, body } = await read();
  assert.deepEqual([status, body.code, headers['retry-after']], [503, 'engine_unreachable', '5']);
  Object.assign(api.service.engine, { observe: engine.observe });
  api.service.budget = refuse;
  const started = await api.postYaml('/startUserDeployment', shopYaml);
  assert.deepEqual([started.status, started.body.code], [503, 'engine_unreachable']);
});

test('a revision and a pod have their lines, and what there is not is refused with what there is', async (context) => {
  const { update, start, read, texts } = await shop(context);
  await start(1);
  await start(1, 'db');
  await update();
  assert.deepEqual(await texts('&revision=2'), [], 'it is on its way');
  await start(2);
  assert.deepEqual(await texts('&revision=1'), ['start 1', 'start 2']);
  assert.deepEqual(await texts('&revision=1&pod=web'), ['start 1']);
  assert.deepEqual(await texts('&revision=2'), ['start 3']);
  const pod = await read('&pod=nobody');
  assert.deepEqual([pod.status, pod.body.code, pod.body.hint], [400, 'invalid_request', 'Its pods are: web, db.']);
  const revision = await read('&revision=3');
  assert.deepEqual([revision.status, revision.body.code], [400, 'invalid_request']);
  assert.match(revision.body.hint, /^Containers exist for revision 1, 2;/);
  for (const number of ['0', '-1', '1.5', 'x']) assert.equal((await read(`&revision=${number}`)).status, 400, number);
});

test('the lines of one stream are the last ones of it, also while they are followed', async (context) => {
  const { api, start, crash, texts, follow, read } = await shop(context, (number) => [`oh ${number}`]);
  await start(1);
  crash(1);
  assert.deepEqual(await texts(), ['start 1', 'oh 1', 'start 2', 'oh 2']);
  assert.deepEqual(await texts('&stream=stderr'), ['oh 1', 'oh 2']);
  assert.deepEqual(await texts('&stream=stdout&tail=1'), ['start 2']);
  assert.deepEqual(await texts('&stream=stderr&search=1'), ['oh 1']);
  const reader = await follow('&stream=stderr&tail=1');
  crash(1);
  assert.deepEqual(await reader.until(2), ['oh 2', 'oh 3']);
  reader.close();
  assert.equal((await read('&stream=both')).status, 400);
  Object.assign(api.service.engine, { separatesStreams: false });
  const { status, body } = await read('&stream=stderr');
  assert.deepEqual([status, body.code], [400, 'invalid_request']);
});

test('previous lines are those of the start before, and of the container before', async (context) => {
  const { update, start, crash, texts, read } = await shop(context);
  await start(1);
  assert.deepEqual(await texts('&previous=true'), []);
  crash(1);
  assert.deepEqual(await texts('&previous=true'), ['start 1']);
  await update();
  await start(2);
  assert.deepEqual(await texts('&previous=true'), ['start 1', 'start 2']);
  assert.deepEqual(await texts('&previous=true&revision=2'), []);
  crash(2);
  assert.deepEqual(await texts('&previous=true'), ['start 1', 'start 2', 'start 3']);
  const { status, body } = await read('&previous=true&follow=true');
  assert.deepEqual([status, body.code, body.hint], [400, 'invalid_request', 'Leave out previous or follow.']);
});

test('a search returns the last lines with a text, ignoring case, even if many lines follow', async (context) => {
  const { start, crash, texts, read } = await shop(context);
  await start(1);
  for (let count = 0; count < 12; count++) crash(1);
  assert.deepEqual(await texts('&search=START%201&tail=2'), ['start 12', 'start 13']);
  assert.deepEqual(await texts('&search=start%203'), ['start 3']);
  assert.deepEqual(await texts('&search=nothing'), []);
  const { status, body } = await read('&search=start&follow=true');
  assert.deepEqual([status, body.code, body.hint], [400, 'invalid_request', 'Leave out search or follow.']);
});

test('earlier lines are those that are not newer than an instant', async (context) => {
  const { start, clock, texts, read } = await shop(context);
  await start(1);
  const until = new Date(clock.now).toISOString();
  clock.now += 60_000;
  await start(2);
  assert.deepEqual(await texts(`&until=${until}`), ['start 1']);
  assert.deepEqual(await texts('&until=30s'), ['start 1']);
  const { status, body } = await read('&until=yesterday');
  assert.deepEqual([status, body.code, body.hint], [400, 'invalid_request', 'For example until=10m.']);
});

test('a reader that disconnects leaves no watchers behind', async (context) => {
  const { world, start, follow } = await shop(context);
  await start(1);
  const before = [world.watchers.size, world.readers.size];
  const readers = await Promise.all(Array.from({ length: 5 }, () => follow()));
  for (const reader of readers) await reader.until(1);
  for (const reader of readers) reader.close();
  while (world.watchers.size + world.readers.size > before[0]! + before[1]!)
    await new Promise((resolve) => setImmediate(resolve));
});
