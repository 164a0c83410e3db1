/** Against a cluster that applies changes at once; existing pods do not end. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as others } from 'node:timers/promises';
import { type Labels, labelKeys } from '../labels.ts';
import { openCache } from './cache.ts';
import type { Cluster, Followed } from './cluster.ts';
import { ClusterRefusal } from './faults.ts';
import { copyKey } from './manifests/marks.ts';
import type { Found, Kind } from './objects.ts';
import { createWriters } from './writers.ts';

const dates = { uid: 'u', resourceVersion: '1', creationTimestamp: '' };
const metadata = { ...dates, name: 'web', namespace: 'berth-shop', labels: { [labelKeys.deployment]: 'shop' } };
const spec = { volumes: [{ persistentVolumeClaim: { claimName: 'data' } }] };

/** `pods`: the pods that write. `answers`: the responses to requests for changes, which are not applied. */
async function clusterWith(pods: readonly object[], answers: (() => Found)[] = []) {
  const there: Partial<Record<Kind, Found>> = {
    Deployment: { metadata, spec: { template: { spec } } } as Found,
    ...(pods.length > 0 && { Pod: pods[0] as Found }),
  };
  const follow = (kind: Kind) =>
    ({
      list: () => (there[kind] ? [there[kind]] : []),
      get: () => there[kind],
      on: (what: string, listener: (found: Found) => void) => void (what === 'change' && listeners.push(listener)),
      async start() {},
      async stop() {},
    }) as unknown as Followed<never>;
  const listeners: ((found: Found) => void)[] = [];
  const requested: { replicas: number; key: string | null }[] = [];
  const become = (key: string | null) => {
    const { resourceVersion, labels, ...rest } = there.Deployment!.metadata;
    const { [copyKey]: _, ...others } = labels ?? {};
    there.Deployment = {
      ...there.Deployment!,
      metadata: {
        ...rest,
        resourceVersion: String(Number(resourceVersion) + 1),
        labels: { ...others, ...(key !== null && { [copyKey]: key }) },
      },
    };
    for (const listener of listeners) listener(there.Deployment);
    return there.Deployment;
  };
  const cluster = {
    follow,
    async change(_: Kind, __: object, fields: { metadata: { labels: Labels }; spec: { replicas: number } }) {
      const key = fields.metadata.labels[copyKey] ?? null;
      requested.push({ replicas: fields.spec.replicas, key });
      return answers.shift()?.() ?? become(key);
    },
  };
  const cache = await openCache(cluster as unknown as Cluster, 'berthowner');
  const without = (key: string, work: () => Promise<void>, signal?: AbortSignal) =>
    createWriters(cluster as unknown as Cluster, cache).without(
      { deploymentId: 'shop', claims: new Set(['data']), key, signal },
      work,
    );
  return { requested, become, without, [Symbol.asyncDispose]: () => cache[Symbol.asyncDispose]() };
}

test('a service that stops while it waits for the end of those that write starts them again before it has gone', async () => {
  await using shop = await clusterWith([{ metadata, spec }]);
  const stopping = new AbortController();
  const copying = shop.without('monday', () => assert.fail('they have not ended'), stopping.signal);
  while (shop.requested.length === 0) await others();
  stopping.abort();
  await assert.rejects(copying, { name: 'AbortError' });
  assert.deepEqual(shop.requested, [
    { replicas: 0, key: 'monday' },
    { replicas: 1, key: null },
  ]);
});

test('a copy waits until another one has let those go on that it had stopped', async () => {
  await using shop = await clusterWith([]);
  const { promise: copied, resolve: end } = Promise.withResolvers<void>();
  const first = shop.without('monday', () => copied);
  while (shop.requested.length === 0) await others();
  const did: string[] = [];
  const second = shop.without('export', async () => void did.push('copied'));
  for (let turn = 0; turn < 20; turn++) await others();
  assert.deepEqual([did, shop.requested.length], [[], 1]);
  end();
  await Promise.all([first, second]);
  assert.deepEqual(did, ['copied']);
  assert.deepEqual(
    shop.requested.map(({ replicas, key }) => `${replicas} ${key}`),
    ['0 monday', '1 null', '0 export', '1 null'],
  );
});

test('of two concurrent copies one is refused, and does not restart workloads that the other has stopped', async () => {
  // The read object is outdated: the other copy was first.
  const overtaken = (): never => {
    shop.become('monday');
    throw new ClusterRefusal(409, '');
  };
  await using shop = await clusterWith([], [overtaken]);
  const copying = shop.without('export', () => assert.fail('another one copies'));
  await assert.rejects(copying, /Another copy of the volumes is in progress/);
  assert.deepEqual(shop.requested, [{ replicas: 0, key: 'export' }]);
});

test('status updates of the cluster on a writer do not prevent stopping it', async () => {
  const noted = (): never => {
    shop.become(null);
    throw new ClusterRefusal(409, '');
  };
  await using shop = await clusterWith([], [noted, noted]);
  await shop.without('export', async () => {});
  assert.deepEqual(
    shop.requested.map(({ replicas }) => replicas),
    [0, 0, 0, 1],
  );
});
