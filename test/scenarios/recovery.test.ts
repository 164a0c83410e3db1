import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { webYaml } from './applications.ts';
import { type Berth, createBerth, until } from './berth.ts';

let berth: Berth;
before(async () => {
  berth = await createBerth();
  await berth.serve();
});
after(async () => await berth.destroy());

/** Two pods and a volume, so that every kind of object is on its way when the service dies. */
function pairYaml(name: string): string {
  return `${webYaml(name, 'pair')}
    - name: store
      image: redis:7
      servicePorts: [6379]
      volumes: [{ name: data, mountPath: /data }]
`;
}

// From before the network exists to after the first container runs.
for (const afterMs of [0, 60, 150, 300, 500, 800]) {
  test(`the service killed ${afterMs} ms into a deployment converges at its next start and leaves no orphan`, async () => {
    const pair = await berth.start(pairYaml(`pair-${afterMs}`));
    await delay(afterMs);
    await berth.end('SIGKILL');
    await berth.serve();
    await berth.reach(pair, 'running');
    assert.equal((await berth.visit(pair.url)).status, 200);
    const { owned, orphans } = await berth.inventory();
    assert.deepEqual(orphans, []);
    assert.equal(owned.filter(({ kind }) => kind === 'workload').length, 2);
    await berth.remove(pair);
    await until('nothing is left', async () => (await berth.inventory()).owned.length === 0);
  });
}

for (const afterMs of [50, 250, 600]) {
  test(`the service killed ${afterMs} ms into a removal finishes it at its next start`, async () => {
    const pair = await berth.start(pairYaml(`gone-${afterMs}`));
    await berth.reach(pair, 'running');
    await berth.remove(pair);
    await delay(afterMs);
    await berth.end('SIGKILL');
    await berth.serve();
    await until('nothing is left', async () => (await berth.inventory()).owned.length === 0);
    assert.equal((await berth.visit(pair.url)).status, 410);
  });
}

test('a container removed behind our back is started again', async () => {
  const { default: Docker } = await import('dockerode');
  const pair = await berth.start(pairYaml('mended'));
  await berth.reach(pair, 'running');
  const { owned } = await berth.inventory();
  const web = owned.find(({ name }) => name.includes('-web-'));
  await new Docker().getContainer(web!.id).remove({ force: true });
  await until('the site answers again', async () => (await berth.visit(pair.url)).status === 200);
  assert.equal((await berth.status(pair)).state, 'running');
  await berth.remove(pair);
});
