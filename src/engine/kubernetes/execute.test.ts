/** Tests with a cluster that accepts everything. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openEgress } from '../../deployment/workload/egress.ts';
import type { Workload } from '../../deployment/workload/workload.ts';
import type { Cache } from './cache.ts';
import type { Cluster } from './cluster.ts';
import { createExecute } from './execute.ts';
import { claimManifest } from './manifests/claim.ts';
import { copierManifest } from './manifests/copier.ts';
import { copyKey } from './manifests/marks.ts';
import { namespaceManifest } from './manifests/namespace.ts';
import { controllerManifest } from './manifests/workload.ts';
import type { Found, Kind, Manifest } from './objects.ts';

const owner = 'berthowner';
const deploymentId = 'shop';
const policy = { edgeNetworks: [], hasPortRanges: true, decidedAt: 0, storeVersion: 0 };
const settings = { ...policy, owner, stopSeconds: 5, diskBytes: 1, hasLowPorts: true, epoch: () => 1, now: () => 0 };
const workload: Workload = {
  name: 'berth-shop-db-1-0',
  pod: 'db',
  revision: 1,
  replica: 0,
  fingerprint: 'f',
  image: 'db:1',
  env: {},
  files: [],
  volumes: [{ volume: 'db-data', mountPath: '/data' }],
  ports: [],
  aliases: [],
  resources: { requests: {}, limits: {} },
  useGPU: false,
  readiness: { kind: 'running' },
};
const start = { kind: 'start', workload, because: 'missing' } as const;
const running = controllerManifest({ ...settings, deploymentId, workload, image: 'db:1', names: [] });
const labels = { ...running.metadata.labels, [copyKey]: 'monday' };
const stopped = { ...running, metadata: { ...running.metadata, labels }, spec: { replicas: 0 } };

const copierOf = (claim: string) =>
  copierManifest({
    ...{ owner, deploymentId, key: 'monday', part: 'copy-0', image: 'debian' },
    mounts: [{ claim, path: '/from/0', readOnly: true }],
  });

/** Starts the workload next to existing objects. @returns Whether it has started. */
async function startBeside(...others: object[]): Promise<boolean> {
  const claim = claimManifest({ owner, deploymentId, volume: 'db-data', sizeBytes: 1 });
  const there = [
    namespaceManifest({ owner, deploymentId, epoch: 1, egress: openEgress }),
    claim,
    ...others,
  ] as unknown as Found[];
  const applied: Manifest[] = [];
  const list = (kind: Kind) => there.filter((each) => (each as unknown as Manifest).kind === kind);
  const cluster = {
    request: async () => ({ items: [] }),
    async apply(manifest: Manifest) {
      applied.push(manifest);
      return manifest;
    },
  };
  const cache = {
    list,
    find: (kind: Kind, name: string) => list(kind).find(({ metadata }) => metadata.name === name),
    async untilVisible() {},
  };
  const bring = async () => ({ image: 'db:1' });
  const { change } = createExecute(cluster as unknown as Cluster, cache as unknown as Cache, bring, settings);
  await change(deploymentId, start);
  return applied.some(({ kind }) => kind === 'Deployment');
}

test('nothing starts on volumes that are being copied', async () => {
  const beingCopied = { name: 'EngineFault', kind: 'unavailable', message: /being copied at the moment/ };
  await assert.rejects(startBeside(copierOf('db-data')), beingCopied);
  await assert.rejects(startBeside(copierOf('db-data'), stopped), beingCopied);
});

test('a copy that is being read, or of other volumes, delays nothing', async () => {
  assert.equal(await startBeside(), true);
  assert.equal(await startBeside(copierOf('copy-monday-db-data')), true);
});
