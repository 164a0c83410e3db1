import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EngineFault } from '../engine.ts';
import { labelKeys } from '../labels.ts';
import { openCache } from './cache.ts';
import type { Cluster, Followed } from './cluster.ts';
import type { Found, Kind } from './objects.ts';

/** A cluster whose watches report only the test's changes. */
function standIn() {
  const objects = new Map<Kind, Map<string, Found>>();
  const listeners = new Map<Kind, { change: (object: Found) => void; error: () => void }>();
  const starts: Kind[] = [];
  const stopped = new Set<Kind>();
  let isAway = false;
  const follow = <T extends Found>(kind: Kind): Followed<T> => {
    const own = new Map<string, Found>();
    objects.set(kind, own);
    const reported = { change: (_: Found) => {}, error: () => {} };
    listeners.set(kind, reported);
    return {
      list: () => [...own.values()] as T[],
      get: (name) => own.get(name) as T | undefined,
      on: (event: 'change' | 'error', listener: (object: never) => void) =>
        void Object.assign(reported, { [event]: listener }),
      async start() {
        starts.push(kind);
        if (isAway) reported.error();
      },
      async stop() {
        stopped.add(kind);
      },
    };
  };
  return {
    cluster: { follow } as unknown as Cluster,
    starts,
    stopped,
    /** Reports a change like a watch. */
    notify(kind: Kind, object: Found) {
      objects.get(kind)!.set(object.metadata.name, object);
      listeners.get(kind)!.change(object);
    },
    /** A watch that ended with an error: expired, or cut off. */
    end: (kind: Kind) => listeners.get(kind)!.error(),
    setAway(is: boolean) {
      isAway = is;
    },
  };
}

function found(name: string, resourceVersion: string): Found {
  const labels = { [labelKeys.deployment]: 'shop' };
  const dates = { creationTimestamp: '2026-01-01T00:00:00Z' };
  return { metadata: { name, namespace: 'berth-shop', uid: name, resourceVersion, labels, ...dates } };
}

test('a watch that has ended is restarted, and until then the cache does not answer', async () => {
  const { cluster, starts, end } = standIn();
  await using cache = await openCache(cluster, 'owner');
  cache.check();
  const begun = starts.length;
  end('Pod');
  assert.throws(() => cache.check(), EngineFault);
  await assert.rejects(cache.untilCurrent(AbortSignal.abort()), { name: 'AbortError' });
  await cache.untilCurrent();
  assert.deepEqual(starts.slice(begun), ['Pod']);
  cache.check();
});

test('a cluster that does not list anything cannot be worked with, and is left alone then', async () => {
  const { cluster, starts, stopped, setAway } = standIn();
  setAway(true);
  await assert.rejects(openCache(cluster, 'owner'), { kind: 'unavailable' });
  assert.deepEqual([...stopped].sort(), [...starts].sort());
});

test('what was written is waited for until the watch has shown it, or something newer', async () => {
  const { cluster, notify } = standIn();
  await using cache = await openCache(cluster, 'owner');
  const seen = cache.untilVisible('Deployment', found('web', '99'));
  let isSeen = false;
  void seen.then(() => {
    isSeen = true;
  });
  notify('Deployment', found('web', '9'));
  await new Promise((resolve) => setImmediate(resolve));
  assert.ok(!isSeen, 'versions are numbers, and not texts');
  notify('Deployment', found('web', '100'));
  await seen;
});

test('who listens hears of each change of a deployment, and may ask whether there was one', async () => {
  const { cluster, notify } = standIn();
  await using cache = await openCache(cluster, 'owner');
  const received: string[] = [];
  const stop = new AbortController();
  cache.listen((deploymentId) => received.push(deploymentId), stop.signal);
  const mark = cache.mark();
  assert.ok(!cache.hasChangedSince('shop', mark));
  notify('Pod', found('web', '1'));
  assert.ok(cache.hasChangedSince('shop', mark));
  assert.ok(!cache.hasChangedSince('other', mark));
  stop.abort();
  notify('Pod', found('web', '2'));
  assert.deepEqual(received, ['shop']);
});
