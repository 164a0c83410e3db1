import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import Docker from 'dockerode';
import { buildImage } from '../contract/image.ts';
import { assertGone, assertWhole } from './aftermath.ts';
import { keepingYaml, saysPath, tinyYaml } from './applications.ts';
import { type Berth, createBerth, type Started, until } from './berth.ts';
import { byHand, workloadsOf } from './by-hand.ts';

const hour = 3_600_000;
const docker = new Docker();
let berth: Berth;
let image: string;
before(async () => {
  image = await buildImage(docker, { name: 'contract' });
  berth = await createBerth({ BERTH_TIMEOUTS: 'deploy=15m drain=200ms' }, { isHooked: true });
  await berth.serve();
});
after(async () => await berth?.destroy());

const whole = (says: RegExp) => ({ path: '/says', says, workloads: 2, volumes: 1 });
const tiny = (says: RegExp) => ({ path: saysPath, says, workloads: 2, volumes: 0 });

async function remove(app: Started): Promise<void> {
  await berth.remove(app);
  await assertGone(berth, app);
}

/** Behind our back, so that only an event or a look reveals it. */
async function killWorkloads(app: Started): Promise<void> {
  for (const workload of await workloadsOf(berth, app)) await byHand.remove(workload);
}

test('a clock that is set past a time limit ends who has one, and who is started after that lives', async () => {
  const limited = await berth.start(tinyYaml('limited', image, 'limited'));
  await assertWhole(berth, limited, tiny(/limited/));
  await berth.setClock(3 * hour);
  await until('the site is gone', async () => (await berth.visit(limited.url)).status === 410);
  await assertGone(berth, limited);
  const later = await berth.start(tinyYaml('later', image, 'later'));
  await assertWhole(berth, later, tiny(/later/));
  await remove(later);
});

test('a clock that is set forward in the middle of a start or an update does not cause a missed deadline', async () => {
  await berth.setClock(0);
  const slow = (says: string) => `${keepingYaml('slow', image, says)}    - name: late
      image: "${image}"
      entrypoint: /bin/sh
      command: [-c, "until test -e /tmp/go; do sleep 0.1; done; exec contract serve 8080"]
      servicePorts: [8080]
      vars: { SAYS: ${says} }
`;
  const app = await berth.start(slow('first'));
  const changes = [() => {}, () => berth.update(app, slow('second'))];
  for (const [index, change] of changes.entries()) {
    await change();
    await until('it is on its way', async () => {
      const { state, pods } = await berth.status(app);
      return state === 'deploying' && pods?.some((pod: { state: string }) => pod.state === 'starting');
    });
    await berth.setClock((index + 1) * 0.5 * hour);
    const late = await until('the late one runs', async () => {
      const found = await workloadsOf(berth, app, `late-${index + 1}`);
      return found.length > 0 && found.every(({ phase }) => phase === 'running') ? found : undefined;
    });
    for (const workload of late) await byHand.run(workload, ['touch', '/tmp/go']);
    await assertWhole(berth, app, { ...whole([/first/, /second/][index]!), workloads: 3 });
  }
  const reported = await berth.events(app);
  assert.deepEqual(
    reported.filter((message) => message.startsWith('failed')),
    [],
  );
  await remove(app);
});

test('a clock that is set back stops nothing: repairs, updates, new starts, removals', async () => {
  await berth.setClock(0);
  const app = await berth.start(keepingYaml('steady', image, 'first'));
  await assertWhole(berth, app, whole(/first/));
  await berth.setClock(-5 * hour);
  await killWorkloads(app);
  await assertWhole(berth, app, whole(/first/));
  await berth.update(app, keepingYaml('steady', image, 'second'));
  await assertWhole(berth, app, whole(/second/));
  const other = await berth.start(tinyYaml('other', image, 'other'));
  await assertWhole(berth, other, tiny(/other/));
  assert.equal((await berth.postJson('/extendDeployment', other)).status, 200);
  for (const each of [app, other]) await remove(each);
});

test('a clock that was set back while the service was down holds nothing up either', async () => {
  await berth.setClock(5 * hour);
  const app = await berth.start(keepingYaml('away', image, 'first'));
  await assertWhole(berth, app, whole(/first/));
  await berth.end('SIGKILL');
  await killWorkloads(app);
  await berth.setClock(0);
  await berth.serve();
  await assertWhole(berth, app, whole(/first/));
  await remove(app);
});
