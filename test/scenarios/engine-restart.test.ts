import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import Docker from 'dockerode';
import { buildImage } from '../contract/image.ts';
import { inTier } from '../tier.ts';
import { assertGone, assertWhole } from './aftermath.ts';
import { keepingYaml } from './applications.ts';
import { type Berth, createBerth, type Started, until } from './berth.ts';
import { createChance } from './chance.ts';
import { createPrivateEngine, type PrivateEngine } from './private-engine.ts';

const chance = createChance();
const ends = [
  { words: 'killed', signal: 'SIGKILL' },
  { words: 'ended in order', signal: 'SIGTERM' },
] as const;
let engine: PrivateEngine;
let berth: Berth;
let image: string;
before(async () => {
  image = await buildImage(new Docker(), { name: 'contract' });
  engine = await createPrivateEngine();
  await engine.load(image);
  berth = await createBerth({}, { isHooked: true, engine });
  await berth.serve();
});
after(async () => {
  await berth?.destroy();
  await engine?.close();
});

const whole = (says: RegExp) => ({ path: '/says', says, workloads: 2, volumes: 1 });
const away = 'The container engine does not respond. It will be tried again; what is running keeps running.';

// A start has five operations; after the fourth, the engine receives no more.
for (const { words, signal } of inTier(ends.slice(0, 1), ends.slice(1)))
  for (const number of chance.some([1, 2, 3], 1)) {
    test(`an engine that is ${words} after operation ${number} of a start goes on with it when it is back`, async () => {
      berth.takeOperations();
      const app = await berth.start(keepingYaml('interrupted', image, 'here'));
      let done = 0;
      await until('so much is done', async () => {
        done += berth.takeOperations().length;
        return done >= number;
      });
      await whileAway(signal, async () => {
        const { state } = await untilTold(app);
        // The kill may come too late to interrupt the start.
        if (state === 'deploying') assert.equal((await berth.visit(app.url)).status, 503);
      });
      await assertWhole(berth, app, whole(/here/));
      await remove(app);
    });
  }

for (const { words, signal } of ends) {
  test(`while an engine is ${words}, this is reported; when it is back, running deployments run with their data`, async () => {
    const app = await berth.start(keepingYaml('steady', image, 'steady'));
    await assertWhole(berth, app, whole(/steady/));
    const born = (await berth.visit(`${app.url}/born`)).text;

    await whileAway(signal, async () => {
      const ready = await berth.get('/readyz');
      assert.deepEqual([ready.status, ready.body.code], [503, 'engine_unreachable']);
      assert.equal((await berth.get('/healthz')).status, 200);
      // A request makes the service look. Otherwise, it looks up to half a minute later.
      assert.equal((await berth.postJson('/extendDeployment', app)).status, 200);
      const { state } = await untilTold(app);
      assert.equal(state, 'running');
      // A killed engine leaves its containers running; one that ends stops them.
      assert.equal((await berth.visit(`${app.url}/says`)).status, signal === 'SIGKILL' ? 200 : 503);
    });
    await assertWhole(berth, app, whole(/steady/));
    assert.equal((await berth.visit(`${app.url}/born`)).text, born);
    assert.equal((await berth.get('/readyz')).status, 200);
    await remove(app);
  });
}

test('requests while the engine is away are done when it is back, and a removed site is gone at once', async () => {
  const [updated, removed] = await Promise.all(
    ['updated', 'removed'].map((name) => berth.start(keepingYaml(name, image, 'first'))),
  );
  assert.ok(updated && removed);
  for (const app of [updated, removed]) await assertWhole(berth, app, whole(/first/));
  let started: Started | undefined;
  await whileAway('SIGKILL', async () => {
    await berth.update(updated, keepingYaml('updated', image, 'second'));
    await berth.remove(removed);
    await until('the site is gone', async () => (await berth.visit(removed.url)).status === 410);
    await untilTold(updated);
    assert.match((await berth.visit(`${updated.url}/says`)).text, /first/);
    started = await berth.start(keepingYaml('started', image, 'started'));
    await untilTold(started);
  });
  assert.ok(started);
  await assertWhole(berth, updated, whole(/second/));
  await assertWhole(berth, started, whole(/started/));
  await assertGone(berth, removed);
  for (const app of [updated, started]) await remove(app);
});

test('a worker that may end and that its engine has stopped runs again with the engine', async () => {
  const worker = "trap 'exit 0' TERM; echo begun >>/data/begun; while :; do sleep 0.2; done";
  const pod = (name: string, script: string, more: string) => `
    - name: ${name}
      image: "${image}"
      entrypoint: /bin/sh
      command: [-c, "${script}"]
      volumes: [{ name: data, size: 1Mi, mountPath: /data, shared: true }]
      ${more}`;
  const web = pod('web', 'cd /data; exec httpd -f -p 8080', 'path: /\n      servicePorts: [8080]');
  const app = await berth.start(`application:
  name: ending
  pods:${web}${pod('worker', worker, 'mayEnd: true')}
`);
  const begun = async (times: number) =>
    await until(`it has begun ${times} times`, async () => {
      const { status, text } = await berth.visit(`${app.url}/begun`);
      // A busy machine may see it begin more often.
      return (status === 200 && text.split('\n').length > times) || undefined;
    });
  await begun(1);
  // A start that the end of the engine interrupts can leave a container that it never starts again: not each time.
  for (const times of [2, 3, 4, 5].slice(0, inTier([1], [4]).at(-1))) {
    await whileAway('SIGTERM', async () => {});
    await begun(times);
  }
  await remove(app);
});

/** The engine runs afterwards, also after a failure. */
async function whileAway(signal: 'SIGKILL' | 'SIGTERM', work: () => Promise<void>): Promise<void> {
  await engine.stop(signal);
  await work().finally(() => engine.start());
}

/** In its status, and in its events. */
async function untilTold(app: Started) {
  const status = await until('the status reports it', async () => {
    const status = await berth.status(app);
    return status.message === away ? status : undefined;
  });
  assert.ok((await berth.events(app)).includes(away));
  return status;
}

async function remove(app: Started): Promise<void> {
  await berth.remove(app);
  await assertGone(berth, app);
}
