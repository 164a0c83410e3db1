/** Against a cluster that does at once what it is told, but whose pods do not end. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as others } from 'node:timers/promises';
import { labelKeys } from '../labels.ts';
import { openCache } from './cache.ts';
import type { Cluster, Followed } from './cluster.ts';
import type { Found, Kind } from './objects.ts';
import { createWriters } from './writers.ts';

const dates = { uid: 'u', resourceVersion: '1', creationTimestamp: '' };
const metadata = { ...dates, name: 'web', namespace: 'berth-shop', labels: { [labelKeys.deployment]: 'shop' } };
const spec = { volumes: [{ persistentVolumeClaim: { claimName: 'data' } }] };
const there: Partial<Record<Kind, Found & { spec: object }>> = {
  Deployment: { metadata, spec: { template: { spec } } },
  Pod: { metadata, spec },
};

test('a service that stops while it waits for the end of those that write starts them again before it has gone', async () => {
  const replicas: unknown[] = [];
  const follow = (kind: Kind) =>
    ({
      list: () => (there[kind] ? [there[kind]] : []),
      get: () => there[kind],
      on() {},
      async start() {},
      async stop() {},
    }) as unknown as Followed<never>;
  const cluster = {
    follow,
    async change(_: Kind, __: object, fields: { spec: { replicas: number } }) {
      replicas.push(fields.spec.replicas);
      return there.Deployment!;
    },
  };
  await using cache = await openCache(cluster as unknown as Cluster, 'berthowner');
  const stopping = new AbortController();
  const stop = { deploymentId: 'shop', claims: new Set(['data']), key: 'monday', signal: stopping.signal };
  const copying = createWriters(cluster, cache).without(stop, () => assert.fail('they have not ended'));
  while (replicas.length === 0) await others();
  stopping.abort();
  await assert.rejects(copying, { name: 'AbortError' });
  assert.deepEqual(replicas, [0, 1]);
});
