import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, test } from 'node:test';
import { whileVisited } from '../../bench/steady-load.ts';
import { visitedYaml } from '../../bench/visited-application.ts';
import { type Berth, createBerth, manyRequests, type Started, until } from './berth.ts';

const graceMs = 2_500;
const perSecond = 100;
let berth: Berth;
before(async () => {
  // Visitors that come at a steady pace are many at once as soon as the machine pauses for a moment.
  berth = await createBerth({
    BERTH_TIMEOUTS: `drain=${graceMs}ms`,
    BERTH_CLIENT_LIMITS: `${manyRequests} connections=10000`,
  });
  await berth.serve();
});
after(async () => await berth.destroy());

const siteOf = ({ url }: Started) => ({ host: new URL(url).host, port: berth.settings.port });

/** A stream of events that never ends by itself; `cutAt`: when its end was seen, which is never too early. */
function openStream(app: Started): { opened: Promise<void>; cutAt: Promise<number> } {
  const { host, port } = siteOf(app);
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const { promise: cutAt, resolve: cut } = Promise.withResolvers<number>();
  const sent = request({ host: '127.0.0.1', port, path: '/stream', headers: { host }, agent: false }, (response) => {
    response.once('data', () => open()).on('error', () => {});
    response.once('close', () => cut(Date.now()));
    response.resume();
  });
  sent.on('error', () => {}).end();
  return { opened, cutAt };
}

/**
 * When visitors got a revision, and when its predecessor was stopped: from the events, which do not depend on polling.
 */
async function changeTo(app: Started, revision: number): Promise<{ routedAt: number; removedAt: number }> {
  const events = await berth.history(app);
  const running = events.find(
    (event) => event.kind === 'state' && event.state === 'running' && event.revision === revision,
  );
  const removed = events.find(
    (event) =>
      event.kind === 'operation' &&
      event.operation === 'remove' &&
      event.pod === 'web' &&
      event.revision === revision - 1,
  );
  assert.ok(running && removed, JSON.stringify(events));
  return { routedAt: running.at, removedAt: removed.at };
}

test('rolling updates under a steady 100 requests a second fail none of them, and a stream gets its grace period', async () => {
  const app = await berth.start(visitedYaml('visited', 'r1'));
  await berth.reach(app, 'running');
  const { failures, revisions, count } = await whileVisited(siteOf(app), perSecond, async (seen) => {
    const updateTo = async (revision: string) => {
      await berth.update(app, visitedYaml('visited', revision));
      await until(`${revision} answers`, async () => seen.revisions.at(-1) === revision);
    };
    const stream = openStream(app);
    await stream.opened;
    await updateTo('r2');
    assert.equal((await berth.reach(app, 'running')).progress, 100, 'it runs while the old one drains');
    const cutAt = await stream.cutAt;
    await until('its end is reported', async () =>
      (await berth.events(app)).some((message) => /^remove /.test(message)),
    );
    const { routedAt, removedAt } = await changeTo(app, 2);
    assert.ok(removedAt - routedAt > graceMs - 100, `it was stopped ${removedAt - routedAt} ms after the switch`);
    assert.ok(cutAt - routedAt > graceMs - 100, `the stream was cut ${cutAt - routedAt} ms after the switch`);

    for (const revision of ['r3', 'r4', 'r5']) {
      await updateTo(revision);
      await berth.reach(app, 'running');
    }
    // The first of these two is overtaken in mid-way, or drains when the second one comes.
    await berth.update(app, visitedYaml('visited', 'r6'));
    await updateTo('r7');
  });
  assert.deepEqual(failures, []);
  assert.ok(count > 300, `${count} requests`);
  const missing = ['r1', 'r2', 'r3', 'r4', 'r5', 'r7'].filter((revision) => !revisions.includes(revision));
  assert.deepEqual(missing, []);
  await until('only the last one is left', async () => (await berth.inventory()).owned.length === 2);
  await berth.remove(app);
});

test('an update of a pod with replicas fails no request either, and both replicas get requests', async () => {
  const yaml = (revision: string) =>
    visitedYaml('replicated', revision, ['replicas: 2']).replace(
      'const { REVISION } = process.env;',
      "const REVISION = process.env.REVISION + '@' + process.hrtime.bigint();",
    );
  const app = await berth.start(yaml('r1'));
  await berth.reach(app, 'running');
  const { failures, revisions } = await whileVisited(siteOf(app), perSecond, async (seen) => {
    await berth.update(app, yaml('r2'));
    const fresh = () => new Set(seen.revisions.filter((revision) => revision.startsWith('r2')));
    await until('both new ones have answered', async () => fresh().size === 2);
  });
  assert.deepEqual(failures, []);
  assert.equal(new Set(revisions).size, 4);
  await berth.remove(app);
});

test('an update that fails fails no request: the previous revision goes on serving', async () => {
  const app = await berth.start(visitedYaml('steady', 'good'));
  await berth.reach(app, 'running');
  const bad = visitedYaml('steady', 'bad').replace('const { REVISION } = process.env;', 'process.exit(1);');
  const { failures, revisions } = await whileVisited(siteOf(app), perSecond, async () => {
    await berth.update(app, bad);
    const { message } = await berth.reach(app, 'failed');
    assert.match(message, /; revision 1 still serves$/);
    await until('the bad one is gone', async () => {
      const [{ id }, { owned }] = await Promise.all([berth.row(app), berth.inventory()]);
      return owned.every(({ deploymentId, name }) => deploymentId !== id || !name.includes('-web-2-'));
    });
  });
  assert.deepEqual(failures, []);
  assert.deepEqual([...new Set(revisions)], ['good']);
  await berth.remove(app);
});
