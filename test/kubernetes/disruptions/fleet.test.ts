/** A fleet: two services on one PostgreSQL and one cluster, each with an edge of its own, and the guestbook on it. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { visitSteadily } from '../../../bench/steady-load.ts';
import { connectCluster } from '../../../src/engine/kubernetes/cluster.ts';
import { countByCluster } from '../../../src/store/installation.ts';
import { type Berth, type Started, until } from '../../scenarios/berth.ts';
import { createPlanes, type Planes } from '../../scenarios/planes.ts';
import { killOnNode, reviveNode } from '../node.ts';

const perSecond = 100;
const minVisits = 2_000;

const guestbook = await readFile(join(import.meta.dirname, '../../../examples/guestbook.yaml'), 'utf8');
/** Its page and its API are other ones in each revision; database and cache stay. */
const revision = (number: number) =>
  guestbook
    .replace('<title>Guestbook</title>', `<title>Guestbook ${number}</title>`)
    .replace('      vars:\n', `      vars:\n        REVISION: "${number}"\n`);
const named = (name: string) => guestbook.replace('  name: guestbook\n', `  name: ${name}\n`);

let planes: Planes;
let [ours, theirs]: Berth[] = [];
let shown: Started;

before(async () => {
  planes = await createPlanes(2, {}, { engine: 'kubernetes' });
  [ours, theirs] = planes.all;
  for (const plane of planes.all) await plane.serve();
  shown = await ours!.start(revision(0));
  await ours!.reach(shown, 'running');
  await untilShown(0);
});
after(async () => await planes?.[Symbol.asyncDispose]());

/** The page of one of its revisions, and an API that has its database, at both edges. */
async function untilShown(number: number): Promise<void> {
  await until(`both edges lead to revision ${number}`, async () => {
    const pages = await Promise.all(planes.all.map((plane) => plane.visit(shown.url)));
    const checks = await Promise.all(planes.all.map((plane) => plane.visit(new URL('/api/healthz', shown.url).href)));
    return pages.every(({ text }) => text.includes(`Guestbook ${number}<`)) && checks.every(isAnswered);
  });
}

const isAnswered = ({ status }: { status?: number | undefined }) => status === 200;

async function nothingIsOrphaned(): Promise<void> {
  assert.deepEqual((await ours!.inventory()).orphans, []);
}

test('a deployment says on which cluster it is', async () => {
  const system = await (await connectCluster()).find('Namespace', 'kube-system');
  const counts = await ours!.query((db) => countByCluster(db));
  assert.deepEqual([...counts], [[system!.metadata.uid, 1]]);
});

test('updates under 100 requests a second lose none of them at either edge', async () => {
  const failed: string[] = [];
  let visits = 0;
  const visit = async (number: number) => {
    const plane = planes.all[number % 2]!;
    const path = number % 4 < 2 ? '/' : '/api/healthz';
    const answer = await plane.visit(new URL(path, shown.url).href).catch((error: Error) => error);
    if (!('status' in answer) || !isAnswered(answer))
      failed.push(`${path}: ${'status' in answer ? `${answer.status} ${answer.text}` : answer.message}`);
    visits++;
  };
  let updates = 0;
  await visitSteadily(perSecond, visit, async () => {
    while (visits < minVisits || updates < 2) {
      updates++;
      await planes.all[updates % 2]!.update(shown, revision(updates));
      await untilShown(updates);
      await ours!.reach(shown, 'running');
    }
  });
  assert.deepEqual(failed, [], `${failed.length} of ${visits} during ${updates} updates`);
  await nothingIsOrphaned();
});

const victims = {
  'one of two services': async () => {
    await theirs!.end('SIGKILL');
    return async () => void (await theirs!.serve());
  },
  'the kubelet': async () => {
    await killOnNode('kubelet');
    await reviveNode();
    return async () => {};
  },
  'the API server': async () => {
    await killOnNode('kube-apiserver');
    await reviveNode();
    return async () => {};
  },
};

for (const [victim, kill] of Object.entries(victims))
  test(`a deployment that comes up while ${victim} is killed by signal 9 becomes live, and leaves nothing`, async () => {
    const started = await theirs!.start(named('second'));
    const { id } = await ours!.row(started);
    await until('some of it is there, and not all', async () => {
      const { owned } = await ours!.inventory();
      return owned.some(({ kind, deploymentId }) => kind === 'workload' && deploymentId === id);
    });
    const bringBack = await kill();
    try {
      await ours!.reach(started, 'running');
      await until('its page and its API answer', async () => {
        const addresses = ['/', '/api/healthz'].map((path) => new URL(path, started.url).href);
        return (await Promise.all(addresses.map((address) => ours!.visit(address)))).every(isAnswered);
      });
      assert.ok(isAnswered(await ours!.visit(shown.url)));
      await nothingIsOrphaned();
    } finally {
      // The next one needs it too.
      await bringBack();
    }
    await ours!.remove(started);
    await until('only the other one is left', async () =>
      (await ours!.inventory()).owned.every(({ deploymentId }) => deploymentId !== id),
    );
    await nothingIsOrphaned();
  });
