/**
 * A stand-in for the snapshot controller of a real cluster and its storage driver. It copies directories of the
 * stand-in for a provisioner. The cluster forwards API requests to it after it has checked the client's rights. Custom
 * resources would crash the API server of the tests' node.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { type Cluster, pathOf } from '../../src/engine/kubernetes/cluster.ts';
import type { FoundClaim } from '../../src/engine/kubernetes/objects.ts';
import { snapshotGroup } from '../../src/engine/kubernetes/objects.ts';
import { until } from '../scenarios/berth.ts';
import { makeCertificate } from '../support/certificate.ts';
import { type Claim, startProvisioner } from './provisioner.ts';

type Kept = {
  metadata: { name: string; namespace: string; uid: string; labels: Record<string, string> };
  spec: { volumeSnapshotClassName: string; source: { persistentVolumeClaimName: string } };
  status: { readyToUse: boolean; restoreSize?: string | undefined };
};

export type SnapshotStandIn = AsyncDisposable & {
  storageClass: string;
  /** From now on the cluster knows of VolumeSnapshots, and has a class of its storage. */
  begin(): Promise<void>;
  /** While it is held, none is taken. */
  isHeld: boolean;
  /** Namespace and name of each that is kept. */
  kept(): string[];
};

const namespace = 'default';
const group = `/apis/${snapshotGroup}/v1`;
const registration = `/apis/apiregistration.k8s.io/v1/apiservices`;
const registered = `v1.${snapshotGroup}`;
const verbs = ['create', 'delete', 'get', 'list', 'patch'];

const resources = {
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: `${snapshotGroup}/v1`,
  resources: [
    { name: 'volumesnapshots', singularName: '', namespaced: true, kind: 'VolumeSnapshot', verbs },
    { name: 'volumesnapshotclasses', singularName: '', namespaced: false, kind: 'VolumeSnapshotClass', verbs },
  ],
};

/** `name`: of the storage class and of the VolumeSnapshotClass; `host`: where the node reaches this machine. */
export async function openSnapshotStandIn(cluster: Cluster, name: string, host: string): Promise<SnapshotStandIn> {
  const driver = `${name}.berth.test`;
  const kept = new Map<string, Kept>();
  const contents = new Map<string, string>();
  await using opening = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'berth-snapshots-'));
  opening.defer(() => rm(folder, { recursive: true, force: true }));
  const contentOf = async ({ metadata, spec }: Claim) =>
    spec?.dataSource && contents.get(`${metadata.namespace}/${spec.dataSource.name}`);
  const storage = opening.use(await startProvisioner(cluster, name, { driver, contentOf }));

  async function take(at: string, { metadata, spec, status }: Kept): Promise<void> {
    if (standIn.isHeld || status.readyToUse) return;
    const source = spec.source.persistentVolumeClaimName;
    const claim = await cluster.request<FoundClaim>('GET', pathOf('PersistentVolumeClaim', source, metadata.namespace));
    // A file that is replaced during the copy makes the program fail, which then has the new file.
    await promisify(execFile)('cp', ['-a', storage.folderOf(claim), join(folder, metadata.uid)]).catch(() => {});
    contents.set(at, join(folder, metadata.uid));
    status.restoreSize = claim.spec?.resources?.requests?.storage;
    status.readyToUse = true;
  }

  /** Undefined for what is not there. */
  async function answer(method: string, url: URL, body: () => Promise<unknown>): Promise<object | undefined> {
    if (!url.pathname.startsWith(`${group}/`)) return resources;
    const [scope, within = '', plural, object] = url.pathname.slice(group.length + 1).split('/');
    if (scope === 'volumesnapshotclasses') return { items: [{ metadata: { name }, driver, deletionPolicy: 'Delete' }] };
    const at = `${within}/${object}`;
    if (scope === 'namespaces' && plural === 'volumesnapshots' && method === 'PATCH') {
      const { metadata, spec } = (await body()) as Kept;
      const uid = `${kept.size}-${metadata.name}`;
      kept.set(at, kept.get(at) ?? { metadata: { ...metadata, uid }, spec, status: { readyToUse: false } });
      return kept.get(at);
    }
    if (method === 'DELETE') return kept.delete(at) ? {} : undefined;
    const wanted = (url.searchParams.get('labelSelector') ?? '').split(',').map((one) => one.split('='));
    const items = [...kept].filter(
      ([key, { metadata }]) =>
        (scope !== 'namespaces' || key.startsWith(`${within}/`)) &&
        wanted.every(([label = '', value]) =>
          value === undefined ? label in metadata.labels : metadata.labels[label] === value,
        ),
    );
    for (const [key, each] of items) await take(key, each);
    return { items: items.map(([, each]) => each) };
  }

  const open = opening.move();
  const standIn: SnapshotStandIn = {
    storageClass: name,
    isHeld: false,
    kept: () => [...kept.keys()],
    async begin() {
      const server = createServer(await makeCertificate(`IP:${host}`), (request, response) => {
        const url = new URL(request.url ?? '', `https://${host}`);
        void answer(request.method ?? '', url, () => json(request)).then((found) => {
          response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' });
          response.end(JSON.stringify(found ?? { kind: 'Status', code: 404, reason: 'NotFound' }));
        });
      });
      await new Promise<void>((resolve) => server.listen(0, host, resolve));
      open.defer(async () => {
        server.closeAllConnections();
        server.close();
      });
      const { port } = server.address() as AddressInfo;
      const core = `/api/v1/namespaces/${namespace}`;
      const metadata = { name };
      const service = { apiVersion: 'v1', kind: 'Service', metadata, spec: { ports: [{ port: 443 }] } };
      await cluster.request('POST', `${core}/services`, { body: service });
      open.defer(async () => void (await cluster.remove('Service', name, { namespace })));
      const subsets = [{ addresses: [{ ip: host }], ports: [{ port }] }];
      await cluster.request('POST', `${core}/endpoints`, {
        body: { apiVersion: 'v1', kind: 'Endpoints', metadata, subsets },
      });
      const spec = { group: snapshotGroup, version: 'v1', service: { namespace, name }, insecureSkipTLSVerify: true };
      const body = {
        apiVersion: 'apiregistration.k8s.io/v1',
        kind: 'APIService',
        metadata: { name: registered },
        spec: { ...spec, groupPriorityMinimum: 1000, versionPriority: 15 },
      };
      await cluster.request('POST', registration, { body });
      open.defer(async () => void (await cluster.request('DELETE', `${registration}/${registered}`)));
      await until('it is passed on', () => cluster.request('GET', pathOf('VolumeSnapshot')).catch(() => undefined));
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
  return standIn;
}
