/**
 * Provides the volumes of claims, as directories of this machine, which the node shares: a test cluster has no other
 * provisioner.
 */
import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Cluster } from '../../src/engine/kubernetes/cluster.ts';
import { ClusterRefusal, isTimeout } from '../../src/engine/kubernetes/faults.ts';
import type { FoundClaim } from '../../src/engine/kubernetes/objects.ts';
import { wait } from '../../src/lib/wait.ts';
import { processLabels, removeLeft } from './cut-off-runs.ts';

const volumesPath = '/api/v1/persistentvolumes';
/** Between tries of what an API server that is away has not answered. */
const pauseMs = 500;

const everyNode = {
  required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'Exists' }] }] },
};

export type Claim = FoundClaim & { spec?: { dataSource?: { kind: string; name: string } } };

export type ProvisionerOptions = {
  /** Nodes take them for disks of their own, which belong to root. */
  isDisk?: boolean;
  driver?: string;
  /** The folder whose content a claim begins with. */
  contentOf?: (claim: Claim) => Promise<string | undefined>;
};

export type Provisioner = AsyncDisposable & { name: string; folderOf(claim: Claim): string };

/** The name of its storage class; closing it removes that too, and all volumes. */
export async function startProvisioner(
  cluster: Cluster,
  name: string,
  options: ProvisionerOptions = {},
): Promise<Provisioner> {
  const { isDisk = false, driver = 'berth.test/directory', contentOf } = options;
  const folder = await mkdtemp(join(tmpdir(), 'berth-claims-'));
  const classPath = `/apis/storage.k8s.io/v1/storageclasses`;
  for (const path of [classPath, volumesPath]) await removeLeft(cluster, path);
  await cluster.request('POST', classPath, {
    body: {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name, labels: processLabels },
      provisioner: driver,
      allowVolumeExpansion: true,
      volumeBindingMode: 'Immediate',
    },
  });
  const claims = cluster.follow<Claim>('PersistentVolumeClaim');
  const made = new Map<string, Promise<void>>();
  const removals: Promise<void>[] = [];
  const closed = new AbortController();

  /** Repeats work that may be partly done: an answer may be lost with the API server. */
  async function insist(work: () => Promise<unknown>, doneWith: number): Promise<void> {
    for (;;) {
      const error: unknown = await work().then(
        () => undefined,
        (reason: unknown) => reason,
      );
      if (error === undefined) return;
      const status = error instanceof ClusterRefusal ? error.status : undefined;
      if (status === doneWith) return;
      // One that is just starting does not know yet whom it lets in.
      const isAway = isTimeout(error) || (status !== undefined && (status >= 500 || status === 401 || status === 403));
      if (!isAway || closed.signal.aborted) throw error;
      await wait(pauseMs, closed.signal);
    }
  }

  const folderOf = ({ metadata }: Claim) => join(folder, metadata.uid);

  async function make(wanted: Claim): Promise<void> {
    const { metadata, spec } = wanted;
    const path = folderOf(wanted);
    await mkdir(path, { recursive: true });
    const content = await contentOf?.(wanted);
    if (content !== undefined) await promisify(execFile)('cp', ['-a', `${content}/.`, path]);
    // As provisioners of directories do it: nodes change the owner of disks, and not of directories of their own.
    await chmod(path, isDisk ? 0o755 : 0o777);
    const { name: claim, namespace, uid } = metadata;
    const body = {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: uid, labels: processLabels },
      spec: {
        accessModes: ['ReadWriteOnce'],
        storageClassName: name,
        persistentVolumeReclaimPolicy: 'Retain',
        capacity: { storage: spec?.resources?.requests?.storage },
        claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name: claim, namespace, uid },
        ...(isDisk ? { local: { path }, nodeAffinity: everyNode } : { hostPath: { path, type: 'Directory' } }),
      },
    };
    await insist(() => cluster.request('POST', volumesPath, { body }), 409);
  }

  async function remove(uid: string): Promise<void> {
    await made.get(uid);
    made.delete(uid);
    await insist(() => cluster.request('DELETE', `${volumesPath}/${uid}`), 404);
    await rm(join(folder, uid), { recursive: true, force: true });
  }

  claims.on('change', (claim) => {
    const { uid, name: claimName, namespace } = claim.metadata;
    if (claim.spec?.storageClassName !== name) return;
    const exists = claims.get(claimName, namespace)?.metadata.uid === uid;
    if (exists && !made.has(uid)) made.set(uid, make(claim));
    else if (!exists && made.has(uid)) removals.push(remove(uid));
  });
  // A stop is reported as an error too.
  claims.on('error', () => {
    void wait(pauseMs, closed.signal).then(() => (closed.signal.aborted ? undefined : claims.start()));
  });
  await claims.start();

  return {
    name,
    folderOf,
    async [Symbol.asyncDispose]() {
      closed.abort();
      await claims.stop();
      await Promise.all([...removals, ...[...made.keys()].map(remove)]);
      await cluster.request('DELETE', `${classPath}/${name}`);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
