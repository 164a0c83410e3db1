/** Tests with a cluster that accepts everything and never starts a pod. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CopiesParts, createVolumeCopies } from './copies.ts';

test('volumes are prepared for filling only while the caller continues', async () => {
  const { promise: waits, resolve } = Promise.withResolvers<void>();
  const cache = {
    list: () => [],
    untilVisible: async () => {},
    until: (_: string, __: () => boolean, ___: number, signal?: AbortSignal) => {
      resolve();
      return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    },
  };
  const parts = {
    cluster: { apply: async (manifest: object) => manifest },
    cache,
    owner: 'berthowner',
    image: 'debian',
    bring: async () => ({ reference: 'debian' }),
    namespaces: { provideNamespace: async () => {} },
    snapshots: {},
  };
  const { make } = createVolumeCopies(parts as unknown as CopiesParts);
  const stop = new AbortController();
  const making = make('shop', [{ volume: 'db-data', sizeBytes: 1 }], 'key', 'shop', stop.signal);
  await waits;
  stop.abort(new Error('The service stops.'));
  await assert.rejects(making, /service stops/);
});
