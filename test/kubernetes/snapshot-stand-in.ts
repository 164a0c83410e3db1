/**
 * A stand-in for what takes VolumeSnapshots on a real cluster (the snapshot controller, and the driver of the storage): it
 * copies directories of the stand-in for a provisioner. What the API looks like is said here as far as Berth uses it.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Cluster, pathOf } from '../../src/engine/kubernetes/cluster.ts';
import { ClusterRefusal } from '../../src/engine/kubernetes/faults.ts';
import { type Found, snapshotGroup } from '../../src/engine/kubernetes/objects.ts';
import { wait } from '../../src/lib/wait.ts';
import { until } from '../scenarios/berth.ts';
import { type Claim, startProvisioner } from './provisioner.ts';

type Taken = Found & {
  spec: { volumeSnapshotClassName: string; source: { persistentVolumeClaimName: string } };
  status?: { readyToUse?: boolean };
};

export type SnapshotStandIn = AsyncDisposable & {
  storageClass: string;
  /** From now on the cluster knows of VolumeSnapshots, and has a class of its storage. */
  begin(): Promise<void>;
  /** While it is held, none is taken. */
  isHeld: boolean;
};

const definitionsPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const pauseMs = 100;

const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const definitions = [
  definition('VolumeSnapshot', 'volumesnapshots', 'Namespaced', { spec: anything, status: anything }),
  definition('VolumeSnapshotClass', 'volumesnapshotclasses', 'Cluster', {
    driver: { type: 'string' },
    deletionPolicy: { type: 'string' },
  }),
];

/** `name`: of the storage class and of the VolumeSnapshotClass. Closing it takes away what it has made. */
export async function openSnapshotStandIn(cluster: Cluster, name: string): Promise<SnapshotStandIn> {
  const driver = `${name}.berth.test`;
  const closed = new AbortController();
  const taken = new Map<string, string>();
  await using opening = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'berth-snapshots-'));
  opening.defer(() => rm(folder, { recursive: true, force: true }));
  const contentOf = async ({ metadata, spec }: Claim) =>
    spec?.dataSource && taken.get(`${metadata.namespace}/${spec.dataSource.name}`);
  const storage = opening.use(await startProvisioner(cluster, name, { driver, contentOf }));

  async function take({ metadata, spec }: Taken): Promise<void> {
    const { namespace, name: taking, uid } = metadata;
    const claim = await cluster.find<Claim>('PersistentVolumeClaim', spec.source.persistentVolumeClaimName, namespace);
    if (!claim) return;
    // What is replaced while it is copied fails the program, which has the new one then.
    await promisify(execFile)('cp', ['-a', storage.folderOf(claim), join(folder, uid)]).catch(() => {});
    taken.set(`${namespace}/${taking}`, join(folder, uid));
    const status = { readyToUse: true, restoreSize: claim.spec?.resources?.requests?.storage };
    const asked = { contentType: 'application/merge-patch+json', body: { status } };
    await cluster.ask('PATCH', `${pathOf('VolumeSnapshot', taking, namespace)}/status`, asked).catch(unless(404));
  }

  async function takeAll(standIn: SnapshotStandIn): Promise<void> {
    while (!closed.signal.aborted) {
      const { items } = await cluster.ask<{ items: Taken[] }>('GET', pathOf('VolumeSnapshot'));
      const wanted = items.filter(({ spec, status }) => spec.volumeSnapshotClassName === name && !status?.readyToUse);
      if (!standIn.isHeld) await Promise.all(wanted.map(take));
      await wait(pauseMs, closed.signal);
    }
  }

  const open = opening.move();
  const standIn: SnapshotStandIn = {
    storageClass: name,
    isHeld: false,
    async begin() {
      for (const body of definitions) {
        const made = await cluster.ask('POST', definitionsPath, { body }).catch(unless(409));
        if (made)
          open.defer(async () => void (await cluster.ask('DELETE', `${definitionsPath}/${body.metadata.name}`)));
      }
      const kind = { apiVersion: `${snapshotGroup}/v1`, kind: 'VolumeSnapshotClass' };
      const body = { ...kind, metadata: { name }, driver, deletionPolicy: 'Delete' };
      // The API server takes a moment to serve what was defined.
      const make = () => cluster.ask('POST', pathOf('VolumeSnapshotClass'), { body }).catch(unless(404));
      await until('the class is there', make);
      open.defer(() => cluster.remove('VolumeSnapshotClass', name));
      const running = takeAll(standIn);
      open.defer(async () => {
        closed.abort();
        await running;
      });
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
  return standIn;
}

function definition(kind: string, plural: string, scope: string, properties: object) {
  const annotations = { 'api-approved.kubernetes.io': 'unapproved, a stand-in of tests' };
  const schema = { openAPIV3Schema: { type: 'object', properties } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${snapshotGroup}`, annotations },
    spec: {
      group: snapshotGroup,
      scope,
      names: { kind, plural, singular: kind.toLowerCase() },
      versions: [{ name: 'v1', served: true, storage: true, subresources: { status: {} }, schema }],
    },
  };
}

function unless(status: number) {
  return (error: unknown): undefined => {
    if (error instanceof ClusterRefusal && error.status === status) return undefined;
    throw error;
  };
}
