import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import Docker from 'dockerode';
import { buildImage } from '../contract/image.ts';
import { assertGone, assertWhole } from './aftermath.ts';
import { keepingYaml } from './applications.ts';
import { type Berth, createBerth, until } from './berth.ts';
import { createChance } from './chance.ts';
import { type EngineProxy, startEngineProxy, type Weather } from './engine-proxy.ts';

const chance = createChance();
const away = 'The container engine does not respond. It will be tried again; what is running keeps running.';
let proxy: EngineProxy;
let berth: Berth;
let image: string;
before(async () => {
  image = await buildImage(new Docker(), { name: 'contract' });
  proxy = await startEngineProxy();
  berth = await createBerth({ DOCKER_HOST: proxy.dockerHost });
  await berth.serve();
});
afterEach(() => proxy.setWeather(() => 'fair'));
after(async () => {
  await berth?.destroy();
  await proxy?.close();
});

const whole = (says: RegExp) => ({ path: '/says', says, workloads: 2, volumes: 1 });
const faults = ['slow', 'error', 'deaf', 'mute', 'cut'] as const satisfies Weather[];

const spoilt: string[] = [];

/** So many faults among the next requests, and fair weather after them. */
function spoil(count: number, amongRequests: number): void {
  const planned = new Map<number, Weather>();
  while (planned.size < count) planned.set(Math.floor(chance.next() * amongRequests), chance.pick(faults));
  let number = 0;
  proxy.setWeather(({ method, path }) => {
    const weather = planned.get(number++) ?? 'fair';
    if (weather !== 'fair') spoilt.push(`${weather} ${method} ${path}`);
    return weather;
  });
}

const lives = process.env.BERTH_TEST_WHOLE === '1' ? 25 : 2;
for (let life = 1; life <= lives; life++) {
  test(`a start, an update and a removal converge on an engine that fails now and then (${life})`, async (t) => {
    const name = `life-${life}`;
    t.after(() => t.diagnostic(spoilt.splice(0).join('\n')));
    spoil(3, 20);
    const app = await berth.start(keepingYaml(name, image, 'first'));
    await assertWhole(berth, app, whole(/first/));
    const { text: born } = await berth.visit(`${app.url}/born`);

    spoil(3, 20);
    await berth.update(app, keepingYaml(name, image, 'second'));
    await assertWhole(berth, app, whole(/second/));
    assert.equal((await berth.visit(`${app.url}/born`)).text, born, 'the data is kept');

    spoil(3, 15);
    await berth.remove(app);
    await assertGone(berth, app);
  });
}

test('an engine that is slow is slow, and nothing else', async () => {
  proxy.setWeather(() => 'slow');
  const app = await berth.start(keepingYaml('slow', image, 'slow'));
  await assertWhole(berth, app, whole(/slow/));
  assert.deepEqual(
    (await berth.events(app)).filter((message) => message.includes('tried again')),
    [],
  );
  await berth.remove(app);
  await assertGone(berth, app);
});

test('an engine that answers 500 to everything is reported, and the deployment continues when it recovers', async () => {
  proxy.setWeather(() => 'error');
  const ready = await berth.get('/readyz');
  assert.deepEqual([ready.status, ready.body.code], [503, 'engine_unreachable']);
  const app = await berth.start(keepingYaml('refused', image, 'refused'));
  const { message } = await until('the status reports it', async () => {
    const status = await berth.status(app);
    return status.message ? status : undefined;
  });
  assert.equal(
    message,
    'The container engine could not do this now. It will be tried again; what is running keeps running.',
  );
  assert.ok((await berth.events(app)).includes(message));
  const page = await berth.visit(app.url);
  assert.equal(page.status, 503);
  assert.deepEqual([page.body.code, page.body.message], ['application_deploying', undefined], 'that is for its owner');
  proxy.setWeather(() => 'fair');
  await assertWhole(berth, app, whole(/refused/));
  await berth.remove(app);
  await assertGone(berth, app);
});

test('an engine that hangs is reported; running deployments are served, and starting ones continue when it is back', async () => {
  const steady = await berth.start(keepingYaml('steady', image, 'steady'));
  await assertWhole(berth, steady, whole(/steady/));
  proxy.setWeather(() => 'hanging');
  const [ready, healthy] = await Promise.all([berth.get('/readyz'), berth.get('/healthz')]);
  assert.deepEqual([ready.status, ready.body.code, healthy.status], [503, 'engine_unreachable', 200]);
  const app = await berth.start(keepingYaml('waiting', image, 'waiting'));
  await until('the status reports it', async () => (await berth.status(app)).message === away);
  assert.equal((await berth.visit(app.url)).body.code, 'application_deploying');
  assert.match((await berth.visit(`${steady.url}/says`)).text, /steady/);
  await berth.remove(steady);
  await until('the removed site is gone', async () => (await berth.visit(steady.url)).status === 410);

  proxy.setWeather(() => 'fair');
  await assertWhole(berth, app, whole(/waiting/));
  await assertGone(berth, steady);
  assert.equal((await berth.get('/readyz')).status, 200);
  await berth.remove(app);
  await assertGone(berth, app);
});
