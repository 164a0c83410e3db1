import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { webYaml } from './applications.ts';
import { type Berth, createBerth, until } from './berth.ts';

let berth: Berth;
before(async () => {
  berth = await createBerth();
  await berth.serve();
});
after(async () => await berth.destroy());

/** Two pods and a volume. */
function pairYaml(name: string): string {
  return `${webYaml(name, 'pair')}
    - name: store
      image: redis:7
      servicePorts: [6379]
      volumes: [{ name: data, mountPath: /data }]
`;
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
