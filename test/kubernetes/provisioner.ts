/** Makes what claims ask for, as directories of this machine, which the node shares: a cluster of tests has nobody else. */
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cluster } from '../../src/engine/kubernetes/cluster.ts';
import { ClusterRefusal } from '../../src/engine/kubernetes/faults.ts';
import type { FoundClaim } from '../../src/engine/kubernetes/objects.ts';

const volumesPath = '/api/v1/persistentvolumes';

const everyNode = {
  required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'Exists' }] }] },
};

type Claim = FoundClaim & { spec?: { storageClassName?: string } };

/**
 * The name of its storage class; closing it removes that too, and all volumes. `isDefault`: of claims that name none;
 * `isDisk`: nodes take them for disks of their own, which belong to root.
 */
export async function startProvisioner(
  cluster: Cluster,
  name: string,
  { isDefault = false, isDisk = false } = {},
): Promise<AsyncDisposable & { name: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-claims-'));
  const classPath = `/apis/storage.k8s.io/v1/storageclasses`;
  const annotations = { 'storageclass.kubernetes.io/is-default-class': String(isDefault) };
  await cluster.ask('POST', classPath, {
    body: {
      ...{ apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name, annotations } },
      ...{ provisioner: 'berth.test/directory', allowVolumeExpansion: true, volumeBindingMode: 'Immediate' },
    },
  });
  const claims = cluster.follow<Claim>('PersistentVolumeClaim');
  const made = new Map<string, Promise<void>>();
  const removals: Promise<void>[] = [];

  async function make({ metadata, spec }: Claim): Promise<void> {
    const path = join(folder, metadata.uid);
    await mkdir(path);
    // As provisioners of directories do it: nodes change the owner of disks, and not of directories of their own.
    await chmod(path, isDisk ? 0o755 : 0o777);
    const { name: claim, namespace, uid } = metadata;
    const body = {
      ...{ apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: uid } },
      spec: {
        ...{ accessModes: ['ReadWriteOnce'], storageClassName: name, persistentVolumeReclaimPolicy: 'Retain' },
        capacity: { storage: spec?.resources?.requests?.storage },
        claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name: claim, namespace, uid },
        ...(isDisk ? { local: { path }, nodeAffinity: everyNode } : { hostPath: { path, type: 'Directory' } }),
      },
    };
    await cluster.ask('POST', volumesPath, { body });
  }

  async function remove(uid: string): Promise<void> {
    await made.get(uid);
    made.delete(uid);
    await cluster.ask('DELETE', `${volumesPath}/${uid}`).catch((error: unknown) => {
      if (!(error instanceof ClusterRefusal && error.status === 404)) throw error;
    });
    await rm(join(folder, uid), { recursive: true, force: true });
  }

  claims.on('change', (claim) => {
    const { uid, name: claimName, namespace } = claim.metadata;
    if (claim.spec?.storageClassName !== name) return;
    const exists = claims.get(claimName, namespace)?.metadata.uid === uid;
    if (exists && !made.has(uid)) made.set(uid, make(claim));
    else if (!exists && made.has(uid)) removals.push(remove(uid));
  });
  let isClosed = false;
  // That it was stopped is told as an error too.
  claims.on('error', () => {
    if (!isClosed) void claims.start();
  });
  await claims.start();

  return {
    name,
    async [Symbol.asyncDispose]() {
      isClosed = true;
      await claims.stop();
      await Promise.all([...removals, ...[...made.keys()].map(remove)]);
      await cluster.ask('DELETE', `${classPath}/${name}`);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
