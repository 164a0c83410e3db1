/**
 * A node without a machine: pods that are scheduled to it are called running at once, at an address where one server
 * answers for all of them. While it is there, no other node takes pods.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { promisify } from 'node:util';
import { type Cluster, connectCluster } from '../../src/engine/kubernetes/cluster.ts';
import type { FoundPod } from '../../src/engine/kubernetes/objects.ts';
import { closeNodes, nodesPath, patch, removeAllPods, removeNow } from './cordon.ts';

const name = 'fake-node';
const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
/** A node that says nothing for 40 s is taken for dead. */
const beatMs = 10_000;

/** An address of this machine only: the test node's policies would take this machine's usual address for a pod's. */
const fakeAddress = '10.250.0.9';

async function callOurs(verb: 'add' | 'del'): Promise<void> {
  await promisify(execFile)('ip', ['addr', verb, `${fakeAddress}/32`, 'dev', 'lo']);
}

type Pod = FoundPod & { spec?: { nodeName?: string } };

/** `port`: where pods are said to listen. */
export async function openFakeNode(port: number): Promise<AsyncDisposable> {
  const cluster = await connectCluster();
  await using opening = new AsyncDisposableStack();
  await callOurs('add');
  opening.defer(() => callOurs('del'));
  const server = createServer((_, response) => response.end('here')).listen(port, fakeAddress);
  await once(server, 'listening');
  opening.defer(async () => {
    server.closeAllConnections();
    server.close();
  });
  opening.defer(await closeNodes(cluster));
  const metadata = { name, labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux' } };
  await cluster.request('POST', nodesPath, { body: { apiVersion: 'v1', kind: 'Node', metadata } });
  opening.defer(() => removeNow(cluster, `${nodesPath}/${name}`));
  const renewTime = () => `${new Date().toISOString().slice(0, -1)}000Z`;
  const spec = () => ({ holderIdentity: name, leaseDurationSeconds: 40, renewTime: renewTime() });
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name } };
  await cluster.request('POST', leases, { body: { ...lease, spec: spec() } });
  opening.defer(() => removeNow(cluster, `${leases}/${name}`));
  await patch(cluster, `${nodesPath}/${name}/status`, { status: nodeStatus() });
  const beat = setInterval(() => {
    patch(cluster, `${leases}/${name}`, { spec: spec() }).catch(() => {});
  }, beatMs);
  opening.defer(() => clearInterval(beat));
  const pods = cluster.follow<Pod>('Pod');
  pods.on('change', (pod) => void play(cluster, pod).catch(() => {}));
  pods.on('error', () => {});
  await pods.start();
  opening.defer(() => pods.stop());
  // The cluster would keep the pods of an unreachable node.
  opening.defer(() => removeAllPods(cluster, name));
  const open = opening.move();
  return { [Symbol.asyncDispose]: () => open.disposeAsync() };
}

/** Acts like a kubelet. */
async function play(cluster: Cluster, { metadata, spec, status }: Pod): Promise<void> {
  const ip = fakeAddress;
  if (spec?.nodeName !== name) return;
  const path = `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`;
  if (metadata.deletionTimestamp !== undefined) return await removeNow(cluster, path);
  if (status?.phase === 'Running') return;
  const startedAt = new Date().toISOString();
  const conditions = ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map((type) => ({
    type,
    status: 'True',
  }));
  const container = {
    name: 'main',
    ready: true,
    started: true,
    restartCount: 0,
    image: 'fake',
    imageID: 'fake',
    containerID: `fake://${metadata.uid}`,
    state: { running: { startedAt } },
  };
  const running = {
    phase: 'Running',
    podIP: ip,
    podIPs: [{ ip }],
    hostIP: ip,
    startTime: startedAt,
  };
  await patch(cluster, `${path}/status`, { status: { ...running, conditions, containerStatuses: [container] } });
}

function nodeStatus(): object {
  const amounts = { cpu: '1000', memory: '1000Gi', pods: '5000', 'ephemeral-storage': '1000Gi' };
  const now = new Date().toISOString();
  const ready = { type: 'Ready', status: 'True', reason: 'Fake', lastHeartbeatTime: now, lastTransitionTime: now };
  return { capacity: amounts, allocatable: amounts, conditions: [ready], nodeInfo: nodeInfo() };
}

function nodeInfo(): object {
  const names = [
    'bootID',
    'containerRuntimeVersion',
    'kernelVersion',
    'kubeProxyVersion',
    'kubeletVersion',
    'machineID',
  ];
  const unknown = Object.fromEntries([...names, 'osImage', 'systemUUID'].map((each) => [each, 'fake']));
  return { ...unknown, architecture: 'amd64', operatingSystem: 'linux' };
}
