/** Invariants after any fault, asserted at the end of every fault scenario. */
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { Owned } from '../../src/engine/engine.ts';
import type { Berth, Started } from './berth.ts';
import { until } from './berth.ts';

export type Whole = {
  /** The answer of the site at `path`. */
  says: RegExp;
  path?: string;
  /** How many of each there are of this deployment, and no more. */
  workloads: number;
  volumes: number;
};

/** The deployment runs, its site answers, its objects exist once, and its session still has it. */
export async function assertWhole(berth: Berth, started: Started, wanted: Whole): Promise<void> {
  const { says, path = '/', workloads, volumes } = wanted;
  await berth.reach(started, 'running');
  await until(`the site answers ${says}`, async () => {
    const { status, text } = await berth.visit(started.url + path);
    return status === 200 && says.test(text);
  });
  const { state, progress } = await until('its status has no problem any more', async () => {
    const status = await berth.status(started);
    return !status.message && status.pods.every((pod: { state: string }) => pod.state === 'ready') ? status : undefined;
  });
  assert.deepEqual([state, progress], ['running', 100]);
  const wantedCounts = { workloads, volumes, networks: 1 };
  await until(`there are ${JSON.stringify(wantedCounts)}, and no more`, async () =>
    isDeepStrictEqual(await countOwned(berth, started), wantedCounts),
  );
  assert.deepEqual((await berth.inventory()).orphans, []);
  const { body } = await berth.get(`/getReservations?sessionToken=${started.sessionToken}`);
  assert.ok(
    body.reservedDeployments.some(({ url }: Started) => url === started.url),
    'its session still has it',
  );
}

async function countOwned(berth: Berth, started: Started) {
  const { id } = await berth.row(started);
  const { owned } = await berth.inventory();
  const count = (kind: Owned['kind']) =>
    owned.filter((object) => object.kind === kind && object.deploymentId === id).length;
  return { workloads: count('workload'), volumes: count('volume'), networks: count('network') };
}

/** Nothing of the deployment is left, and its address says so. */
export async function assertGone(berth: Berth, started: Started): Promise<void> {
  await until(`${started.applicationName} is gone`, async () => (await berth.row(started)).goneAt !== null);
  const { id } = await berth.row(started);
  const { owned, orphans } = await berth.inventory();
  assert.deepEqual(orphans, []);
  assert.deepEqual(
    owned.filter(({ deploymentId }) => deploymentId === id),
    [],
  );
  assert.equal((await berth.visit(started.url)).status, 410);
}
