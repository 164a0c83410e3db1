import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Cluster, Followed } from './cluster.ts';
import { openKubernetesEngine } from './kubernetes.ts';
import { namespaceManifest } from './manifests/namespace.ts';
import { type Found, type Kind, usualRemovalMs } from './objects.ts';

const owner = 'berthowner';
const removedAt = '2026-01-01T00:00:00Z';

function leaving(deploymentId: string): Found {
  const { metadata } = namespaceManifest({ owner, deploymentId, epoch: 1 });
  const dates = { creationTimestamp: removedAt, deletionTimestamp: removedAt };
  return { metadata: { ...metadata, ...dates, uid: deploymentId, resourceVersion: '1' } };
}

/** A cluster with these namespaces, which ignores changes. */
function standIn(namespaces: () => Found[]): Cluster {
  const unused = () => assert.fail();
  return {
    server: 'stand-in',
    follow: <T extends Found>(kind: Kind): Followed<T> => ({
      list: () => (kind === 'Namespace' ? (namespaces() as T[]) : []),
      get: () => undefined,
      on() {},
      async start() {},
      async stop() {},
    }),
    request: async () => ({ major: '1', minor: '30', metadata: { resourceVersion: '1' } }) as never,
    find: async () => undefined,
    open: unused,
    apply: unused,
    change: unused,
    remove: unused,
    run: unused,
    connect: unused,
  };
}

test('a namespace that hangs is reported once, and again when another one of its name hangs later', async () => {
  let namespaces: Found[] = [];
  const reported: string[] = [];
  const images = { digestOf: () => assert.fail() };
  await using opened = await openKubernetesEngine({
    cluster: standIn(() => namespaces),
    owner,
    images,
    localPatterns: [],
    edgeNetworks: [],
    diskBytes: 2 ** 30,
    stopSeconds: 5,
    now: () => Date.parse(removedAt) + 2 * usualRemovalMs,
    onHanging: ({ namespace }) => reported.push(namespace),
  });
  const toldAfter = async (...present: Found[]) => {
    namespaces = present;
    await opened.engine.listOwned();
    return reported.splice(0);
  };
  const [one, other] = [leaving('one'), leaving('other')];
  assert.deepEqual(await toldAfter(one), ['berth-one']);
  assert.deepEqual(await toldAfter(one, other), ['berth-other']);
  assert.deepEqual(await toldAfter(other), []);
  assert.deepEqual(await toldAfter(one, other), ['berth-one']);
});
