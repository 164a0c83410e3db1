import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maxContainersPerDeployment } from '../../deployment/limits/count-limits.ts';
import type { Workload } from '../../deployment/workload/workload.ts';
import type { Cache } from './cache.ts';
import type { Cluster } from './cluster.ts';
import { workloadMarks } from './manifests/marks.ts';
import { namespaceName, objectName } from './names.ts';
import type { FoundController, FoundService, Manifest } from './objects.ts';
import { createServices, serviceNames } from './services.ts';

const owner = 'berthowner';
const deploymentId = 'abcdefghij';

function workload(pod: string, replica = 0, changes: Partial<Workload> = {}): Workload {
  return {
    name: `berth-${deploymentId}-${pod}-1-${replica}`,
    pod,
    revision: 1,
    replica,
    fingerprint: 'f',
    image: 'x',
    env: {},
    files: [],
    volumes: [],
    ports: [80],
    aliases: [pod, `${pod}-${replica}`],
    resources: { requests: {}, limits: {} },
    useGPU: false,
    readiness: { kind: 'running' },
    ...changes,
  };
}

/** A cluster with Services, each with a unique address. */
function standIn() {
  const services = new Map<string, FoundService>();
  const controllers = new Map<string, FoundController>();
  const quotas: (string | undefined)[] = [];
  let made = 0;
  const cluster: Pick<Cluster, 'request' | 'apply' | 'remove'> = {
    request: async (method, path) => {
      assert.deepEqual([method, path], ['GET', `/api/v1/namespaces/${namespaceName(deploymentId)}/services`]);
      return { items: [...services.values()] } as never;
    },
    async apply(manifest: Manifest) {
      const { name } = manifest.metadata;
      if (manifest.kind === 'ResourceQuota') quotas.push(manifest.spec.hard?.services);
      else assert.equal(manifest.kind, 'Service');
      const found = services.get(name) ?? foundOf(manifest.metadata, { clusterIP: `10.0.0.${++made}` });
      if (manifest.kind === 'Service') services.set(name, found);
      return found as never;
    },
    async remove(kind, name, { uid } = {}) {
      assert.deepEqual([kind, uid], ['Service', services.get(name)?.metadata.uid]);
      services.delete(name);
    },
  };
  const cache: Pick<Cache, 'list'> = {
    list: (kind) => (kind === 'Deployment' ? [...controllers.values()] : []) as never[],
  };
  const { make, removeAll } = createServices(cluster, cache, owner);
  return {
    quotas,
    removeAll,
    names: () => [...services.keys()].sort(),
    addressOf: (pod: string) => services.get(pod)?.spec?.clusterIP,
    /** Steps after the Services are left out: the workload exists. */
    async start(one: Workload, neighbours: readonly Workload[]) {
      const known = await make(deploymentId, one, neighbours);
      const { labels } = workloadMarks(owner, deploymentId, one);
      controllers.set(one.name, foundOf({ name: objectName(deploymentId, one.name), labels }));
      return known;
    },
    end: (one: Workload) => controllers.delete(one.name),
  };
}

function foundOf(metadata: Pick<Manifest['metadata'], 'name' | 'labels' | 'annotations'>, spec = {}) {
  const known = { uid: `the ${metadata.name}`, resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };
  return { metadata: { ...metadata, ...known }, spec };
}

const namesOf = (...workloads: Workload[]) =>
  [...new Set(workloads.flatMap(({ pod, replica }) => serviceNames(pod, replica)))].sort();

test('a pod that is replaced is reached at the address that those who run on have read', async () => {
  const { start, end, addressOf } = standIn();
  const [web, db] = [workload('web'), workload('db')];
  await start(db, [web, db]);
  const known = await start(web, [web, db]);
  end(db);
  await start({ ...db, name: `${db.name}-r1` }, [web, db]);
  const { address } = known.find(({ aliases }) => aliases.includes('db'))!;
  assert.equal(addressOf('db'), address);
});

test('neighbours that never started leave no Service behind, however often an update has others', async () => {
  const { start, names } = standIn();
  const web = workload('web');
  for (let update = 0; update < 5; update++) {
    const others = Array.from({ length: 59 }, (_, index) => workload(`pod${update}-${index}`));
    await start(web, [web, ...others]);
    assert.deepEqual(names(), namesOf(web, ...others));
  }
});

test('what a revision no longer has is reached until it is gone, and its Services go at the next start', async () => {
  const { start, end, names } = standIn();
  const [web, old, next] = [workload('web'), workload('old'), workload('next')];
  await start(old, [web, old]);
  await start(web, [web, old]);
  await start(next, [web, next]);
  assert.deepEqual(names(), namesOf(web, old, next));
  end(old);
  const known = await start(web, [web, next]);
  assert.deepEqual(names(), namesOf(web, next));
  assert.ok(known.every(({ aliases }) => !aliases.includes('old')));
});

test('a replica that is no more leaves no Service behind while the others run', async () => {
  const { start, end, names } = standIn();
  const [first, second] = [workload('web', 0), workload('web', 1)];
  for (const one of [first, second]) await start(one, [first, second]);
  end(second);
  await start(first, [first]);
  assert.deepEqual(names(), namesOf(first));
});

test('a deployment in which nothing runs keeps no Service', async () => {
  const { start, removeAll, names } = standIn();
  await start(workload('web'), [workload('web'), workload('db')]);
  await removeAll(deploymentId);
  assert.deepEqual(names(), []);
});

test('two revisions of the most containers there may be, each with a name of its own, are within the quota', async () => {
  const { start, names, quotas } = standIn();
  const all = (revision: number) =>
    Array.from({ length: maxContainersPerDeployment }, (_, index) => workload(`pod${revision}-${index}`));
  for (const revision of [1, 2]) for (const one of all(revision)) await start(one, all(revision));
  assert.deepEqual(quotas, [String(names().length), String(names().length)], 'set when Services are made, not later');
});
