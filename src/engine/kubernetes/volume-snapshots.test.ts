/** Tests with a cluster that stores the given objects, and whose storage behaves as each test defines. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Cluster, ClusterRequest } from './cluster.ts';
import { ClusterRefusal } from './faults.ts';
import type { FoundClaim, FoundVolumeSnapshot, Kind, Manifest } from './objects.ts';
import { createVolumeSnapshots, type Patience, type Unused } from './volume-snapshots.ts';

const dates = { uid: 'u', resourceVersion: '1', creationTimestamp: '' };
const claims = ['data', 'more'].map((name): [string, FoundClaim] => {
  const spec = { storageClassName: 'fast', resources: { requests: { storage: '1Gi' } } };
  return [name, { metadata: { ...dates, name }, spec, status: { phase: 'Bound' } }];
});
const taking = { deploymentId: 'shop', key: 'monday', sources: new Map(claims) };

type Status = FoundVolumeSnapshot['status'];
type SceneOptions = { snapshotClass?: string; isKnown?: () => boolean };

/** `status`: of each VolumeSnapshot at each query. `isKnown`: whether the cluster supports VolumeSnapshots. */
function scene(
  status: (looks: number) => Status,
  { snapshotClass, isKnown = () => true, ...own }: Partial<Patience> & SceneOptions = {},
) {
  const applied: Manifest[] = [];
  const requested: string[] = [];
  const removed: string[] = [];
  const unused: Unused[] = [];
  let looks = 0;
  const there = () =>
    applied.filter(({ kind, metadata }) => kind === 'VolumeSnapshot' && !removed.includes(metadata.name));
  const cluster = {
    async request(_: string, path: string, { query }: ClusterRequest = {}) {
      requested.push(path);
      if (!isKnown()) throw new ClusterRefusal(404, '');
      if (path.endsWith('classes'))
        return { items: [{ metadata: { name: 'quick' }, driver: 'disks', deletionPolicy: 'Delete' }] };
      looks += 1;
      assert.match(String(query?.labelSelector), /^berth\.owner=owner,berth\.copy(=monday)?$/);
      const reported = status(looks);
      return { items: there().map(({ metadata }) => ({ metadata: { ...dates, ...metadata }, status: reported })) };
    },
    find: async () => ({ provisioner: 'disks' }),
    async apply(manifest: Manifest) {
      applied.push(manifest);
      return manifest;
    },
    async remove(_: Kind, name: string) {
      removed.push(name);
    },
  } as unknown as Cluster;
  const snapshots = createVolumeSnapshots({
    cluster,
    owner: 'owner',
    snapshotClass,
    onUnused: (each) => unused.push(each),
    cache: { untilVisible: async () => {} },
    copiers: {
      start: async ({ part, mounts }) => ({ namespace: 'n', pod: `${part} ${mounts[0]?.claim}`, container: 'c' }),
    },
    patience: { pauseMs: 1, readyMs: 3_600_000, errorMs: 3_600_000, ...own },
  });
  return { snapshots, requested, applied, removed, unused };
}

const ready: Status = { readyToUse: true, restoreSize: '2Gi' };

test('all VolumeSnapshots are requested before one is waited for, and become claims as large as the storage requires', async () => {
  const { snapshots, applied, removed } = scene((looks) => (looks > 2 ? ready : {}));
  const places = await snapshots.take(taking);
  assert.deepEqual([...places!.keys()].sort(), ['data', 'more']);
  assert.deepEqual(
    applied.map(({ kind, metadata }) => `${kind} ${metadata.name}`),
    ['VolumeSnapshot', 'PersistentVolumeClaim'].flatMap((kind) => [
      `${kind} snapshot-monday-data`,
      `${kind} snapshot-monday-more`,
    ]),
  );
  for (const each of applied)
    if (each.kind === 'PersistentVolumeClaim') {
      assert.equal(each.spec.resources.requests.storage, String(2 * 2 ** 30));
      assert.equal(each.spec.dataSource?.name, each.metadata.name);
    }
  await snapshots.remove('monday');
  assert.deepEqual(removed, ['snapshot-monday-data', 'snapshot-monday-more']);
});

for (const [title, status, patience, because] of [
  ['whose storage fails', { error: { message: 'out of room' } }, { errorMs: 2 }, 'out of room'],
  ['whose storage never ends', { readyToUse: false }, { readyMs: 2 }, '^its VolumeSnapshots are not ready after '],
] as const)
  test(`a cluster ${title} is reported with its message, and left alone for a time`, async () => {
    const { snapshots, requested, unused, removed } = scene(() => status, patience);
    assert.equal(await snapshots.take(taking), undefined);
    assert.equal(unused.length, 1);
    assert.match(unused[0]!.because, new RegExp(because));
    const soFar = requested.length;
    assert.equal(await snapshots.take({ ...taking, key: 'tuesday' }), undefined);
    assert.deepEqual([requested.length, unused.length], [soFar, 1]);
    await snapshots.remove('monday');
    assert.equal(removed.length, 2);
  });

test('a claim without storage gets no snapshot, and this is not reported', async () => {
  const { snapshots, requested, unused } = scene(() => ready);
  const [[volume, claim]] = claims as [[string, FoundClaim], unknown];
  const sources = new Map([[volume, { ...claim, status: { phase: 'Pending' } }]]);
  assert.equal(await snapshots.take({ ...taking, sources }), undefined);
  assert.deepEqual([requested, unused], [[], []]);
});

test('an error that storage gets over harms nothing', async () => {
  const { snapshots, unused } = scene((looks) => (looks < 3 ? { error: { message: 'not now' } } : ready));
  assert.equal((await snapshots.take(taking))?.size, 2);
  assert.deepEqual(unused, []);
});

test('a cluster without VolumeSnapshots is queried before each copy, and reported once; later installed ones are used at once', async () => {
  let isKnown = false;
  const { snapshots, requested, unused } = scene(() => ready, { isKnown: () => isKnown });
  for (const key of ['sunday', 'saturday']) {
    assert.equal(await snapshots.take({ ...taking, key }), undefined);
    await snapshots.remove(key);
    assert.deepEqual(await snapshots.keys(), []);
  }
  assert.equal(requested.length, 3, String(requested));
  assert.deepEqual(unused, [{ storageClass: 'fast', because: 'the cluster has no VolumeSnapshots' }]);
  isKnown = true;
  assert.equal((await snapshots.take(taking))?.size, 2);
});

test('what a killed process has left is found, and a setting forbids new ones', async () => {
  const { snapshots, applied, removed } = scene(() => ready, { snapshotClass: 'none' });
  applied.push({ kind: 'VolumeSnapshot', metadata: { name: 'old', labels: { 'berth.copy': 'monday' } } } as Manifest);
  assert.equal(await snapshots.take(taking), undefined);
  assert.deepEqual(await snapshots.keys(), ['monday']);
  await snapshots.remove('monday');
  assert.deepEqual(removed, ['old']);
  assert.deepEqual(await snapshots.keys(), []);
});

test('an abort is not reported as a failure of the cluster', async () => {
  const { snapshots, unused } = scene(() => ({}));
  const signal = AbortSignal.abort(new Error('the service stops'));
  await assert.rejects(snapshots.take({ ...taking, signal }), /the service stops/);
  assert.deepEqual(unused, []);
});

test('a busy cluster is queried again the next time, and no workload is stopped for it', async () => {
  const { snapshots, unused, applied } = scene((looks) => {
    if (looks === 1) throw new ClusterRefusal(429, '');
    return ready;
  });
  await assert.rejects(snapshots.take(taking), { name: 'EngineFault', kind: 'unavailable' });
  assert.deepEqual(unused, []);
  applied.length = 0;
  assert.equal((await snapshots.take(taking))?.size, 2);
});

test('a cluster with classes that forbids listing VolumeSnapshots does not block other clean-up', async () => {
  const { snapshots, unused } = scene(() => {
    throw new ClusterRefusal(403, '');
  });
  assert.equal(await snapshots.take(taking), undefined);
  assert.equal(unused.length, 1);
  await snapshots.remove('monday');
  assert.deepEqual(await snapshots.keys(), []);
});
