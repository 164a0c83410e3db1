/** Two services on one database, each with an edge at a port of its own, while applications are visited at both. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { webYaml } from './applications.ts';
import { until } from './berth.ts';
import { crowdOf } from './crowd.ts';
import { createPlanes } from './planes.ts';

/** Requests that were sent before both edges have dropped the application are answered, even late on a busy machine. */
const lingersMs = 4_000;

test('an update and a removal under load lose no request on either of two edges', async (t) => {
  const planes = await createPlanes(2);
  t.after(() => planes[Symbol.asyncDispose]());
  const [ours, theirs] = planes.all as [(typeof planes.all)[number], (typeof planes.all)[number]];
  for (const plane of planes.all) await plane.serve();
  const yaml = (name: string, says: string) => webYaml(name, says, [], lingersMs);
  const shop = await ours.start(yaml('shop', 'revision 1'));
  const blog = await theirs.start(yaml('blog', 'here'));
  for (const started of [shop, blog]) await ours.reach(started, 'running');
  const says = async (text: string) =>
    (await Promise.all(planes.all.map((plane) => plane.visit(shop.url)))).every((answer) => answer.text.includes(text));
  await until('both edges lead there', () => says('revision 1'));

  const crowd = crowdOf(
    planes.all.flatMap(({ settings: { port } }) => [
      { port, host: new URL(shop.url).host, path: '/' },
      // A removal is final: at each edge, the site is gone for all clients from one instant on.
      { port, host: new URL(blog.url).host, path: '/', statuses: [200, 410] },
    ]),
  );
  const untilAllWereAnswered = async () => {
    const before = [...crowd.counts];
    await until('all clients have been answered', async () =>
      crowd.counts.every((count, index) => count > before[index]! + 5),
    );
  };
  await untilAllWereAnswered();
  for (const [plane, revision] of [
    [ours, 'revision 2'],
    [theirs, 'revision 3'],
  ] as const) {
    await plane.update(shop, yaml('shop', revision));
    await until('both edges have turned to it', () => says(revision));
    await until('what it replaces is gone', async () => (await countWorkloads()) === 2);
  }
  await theirs.remove(blog);
  await until('nothing is left of it', async () => (await countWorkloads()) === 1);
  await untilAllWereAnswered();
  assert.deepEqual(await crowd.end(), []);
  assert.deepEqual(
    await Promise.all(planes.all.map(async (plane) => (await plane.visit(blog.url)).status)),
    [410, 410],
  );

  async function countWorkloads(): Promise<number> {
    return (await ours.inventory()).owned.filter(({ kind }) => kind === 'workload').length;
  }
});
