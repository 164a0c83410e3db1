/**
 * Tests whether the cluster enforces its policies, from inside a temporary pod like those of users. Network plugins may
 * silently ignore policies or their exceptions.
 */
import type { Workload } from '../../deployment/workload/workload.ts';
import { wait } from '../../lib/wait.ts';
import type { Engine } from '../engine.ts';
import { isolationTrialId } from '../trial-ids.ts';
import { type Cluster, pathOf } from './cluster.ts';
import { namespaceName } from './names.ts';
import type { FoundNode, FoundService } from './objects.ts';

export type IsolationProbe = {
  engine: Pick<Engine, 'observe' | 'execute' | 'change' | 'removeOwned'>;
  cluster: Pick<Cluster, 'request' | 'find' | 'server'>;
  /** The image contains `node`. */
  image: string;
  newId: () => string;
  patienceMs?: number;
  settleMs?: number;
};

/** A node may have to pull the image first. */
const startPatienceMs = 5 * 60_000;

/** Policies take effect with a delay of up to seconds on busy clusters. */
const settlePatienceMs = 60_000;

const askPatienceMs = 10_000;
const pauseMs = 500;

/**
 * Violations of the isolation, in words for the operator; [] without any. Throws EngineFault if the test cannot run.
 */
export async function probeIsolation(probe: IsolationProbe): Promise<string[]> {
  const { engine, newId, patienceMs = startPatienceMs, settleMs = settlePatienceMs } = probe;
  const [own, other] = [isolationTrialId(newId()), isolationTrialId(newId())];
  try {
    const signal = AbortSignal.timeout(patienceMs);
    for (const id of [own, other])
      await engine.execute(id, { kind: 'create-network', egress: { kind: 'open' }, because });
    const [peer, victim] = [workloadOf(probe, own, 'peer'), workloadOf(probe, other, 'victim')];
    const prober = workloadOf(probe, own, 'prober');
    for (const [id, workload] of [
      [own, peer],
      [other, victim],
      [own, prober],
    ] as const)
      await engine.execute(id, { kind: 'start', workload, because });
    const addressOf = async (id: string, workload: Workload) => await addressWhenReady(engine, id, workload, signal);
    const targets = targetsOf({
      peer: await addressOf(own, peer),
      victim: await addressOf(other, victim),
      ...(await findEverybodys(probe.cluster)),
    });
    return await untilEnforced(await addressOf(own, prober), targets, settleMs);
  } finally {
    // Objects that stay because the cluster was unreachable are removed as orphans.
    for (const id of [own, other]) await removeAll(engine, id).catch(() => {});
  }
}

const because = 'the isolation of pods is tried';

function workloadOf({ image }: IsolationProbe, id: string, pod: string): Workload {
  return {
    name: `berth-${id}-${pod}-1-0`,
    pod,
    revision: 1,
    replica: 0,
    fingerprint: 'probe',
    image,
    env: {},
    volumes: [],
    ports: [probePort],
    aliases: [pod, `${pod}.pod`],
    useGPU: false,
    readiness: { kind: 'port', port: probePort },
    files: [{ path: '/berth/probe.mjs', content: probeProgram }],
    entrypoint: ['node', '/berth/probe.mjs'],
    resources: { requests: { cpuMillis: 10, memoryBytes: 2 ** 26 }, limits: { memoryBytes: 2 ** 28 } },
  };
}

/** Returns the address of a pod after this process has reached it. */
async function addressWhenReady(
  engine: IsolationProbe['engine'],
  id: string,
  { name, pod }: Workload,
  signal: AbortSignal,
): Promise<string> {
  for (;;) {
    const seen = await engine.observe(id, []);
    const found = seen.workloads.find((workload) => workload.name === name);
    if (found?.isReady && found.address !== undefined) return found.address;
    if (signal.aborted) throw new Error(`pod ${pod} ${found?.notReadyBecause ?? 'is not there'}`);
    await engine.change(id, seen, 5_000, signal);
  }
}

/** The cluster's own services, as seen by its pods. */
async function findEverybodys(cluster: IsolationProbe['cluster']) {
  const [service, { items }] = await Promise.all([
    cluster.find<FoundService>('Service', 'kubernetes', 'default'),
    cluster.request<{ items: FoundNode[] }>('GET', pathOf('Node')),
  ]);
  const nodes = items.flatMap(
    ({ status }) => status?.addresses?.find(({ type }) => type === 'InternalIP')?.address ?? [],
  );
  return { apiService: service?.spec?.clusterIP, apiServer: cluster.server, nodes };
}

async function untilEnforced(address: string, targets: readonly Target[], settleMs: number): Promise<string[]> {
  const deadline = AbortSignal.timeout(settleMs);
  for (;;) {
    const complaints = complaintsAbout(targets, await tryConnection(address, targets));
    if (complaints.length === 0 || deadline.aborted) return complaints;
    await wait(pauseMs, deadline);
  }
}

async function tryConnection(address: string, targets: readonly Target[]): Promise<Outcome[]> {
  const host = address.includes(':') ? `[${address}]` : address;
  const body = JSON.stringify(targets.map(({ host, port }) => ({ host, port })));
  const signal = AbortSignal.timeout(askPatienceMs);
  const answer = await fetch(`http://${host}:${probePort}/`, { method: 'POST', body, signal });
  return (await answer.json()) as Outcome[];
}

/** Does not wait for the removal: a namespace takes 8 to 26 s. */
async function removeAll(engine: IsolationProbe['engine'], deploymentId: string): Promise<void> {
  const name = namespaceName(deploymentId);
  await engine.removeOwned({ kind: 'network', id: name, name, deploymentId });
}

/** The targets that a pod of a user may and may not reach, and the problem if a test shows otherwise. */

type Target = { words: string; host: string; port: number; mayReach: boolean };

/** `reached`, or why not. */
type Outcome = string;

type Places = {
  /** A pod of the same deployment. */
  peer: string;
  /** A pod of another deployment. */
  victim: string;
  apiService: string | undefined;
  /** Host and port, as we reach it. */
  apiServer: string;
  nodes: readonly string[];
};

export const probePort = 7_000;

/** Every cloud uses this address. */
const metadata = { host: '169.254.169.254', port: 80 };

const kubeletPort = 10_250;

/** The number of nodes that are probed in a large cluster. */
const maxNodes = 3;

export function targetsOf({ peer, victim, apiService, apiServer, nodes }: Places): Target[] {
  const { hostname, port } = new URL(`https://${apiServer}`);
  const closed = (words: string, host: string, at: number): Target => ({ words, host, port: at, mayReach: false });
  return [
    { words: 'another pod of its own deployment, by name', host: 'peer.pod', port: probePort, mayReach: true },
    { words: 'another pod of its own deployment, by address', host: peer, port: probePort, mayReach: true },
    closed('a pod of another deployment', victim, probePort),
    closed("the cloud's metadata service", metadata.host, metadata.port),
    ...(apiService === undefined ? [] : [closed("the cluster's API, by its service", apiService, 443)]),
    closed("the cluster's API, by its address", hostname.replace(/^\[|\]$/g, ''), Number(port || 443)),
    ...nodes.slice(0, maxNodes).map((node) => closed(`the kubelet of node ${node}`, node, kubeletPort)),
  ];
}

/** Returns one line for each target with a wrong result. */
export function complaintsAbout(targets: readonly Target[], outcomes: readonly Outcome[]): string[] {
  return targets.flatMap(({ words, mayReach }, index) => {
    const outcome = outcomes[index] ?? 'nothing was tried';
    if (mayReach) return outcome === reached ? [] : [`A pod does not reach ${words} (${outcome}).`];
    return outcome === reached ? [`A pod reaches ${words}.`] : [];
  });
}

const reached = 'reached';

/** Tests the requested targets at once. Only Berth and its own deployment can reach it. */
export const probeProgram = `
import { createServer } from 'node:http';
import { connect } from 'node:net';
const attempt = ({ host, port }) => new Promise((resolve) => {
  const socket = connect({ host, port });
  const end = (outcome) => { socket.destroy(); resolve(outcome); };
  socket.setTimeout(3000, () => end('no answer'));
  socket.once('connect', () => end('${reached}'));
  socket.once('error', ({ code }) => end(code));
});
createServer(async (request, response) => {
  const chunks = await Array.fromAsync(request);
  const targets = JSON.parse(Buffer.concat(chunks).toString() || '[]');
  response.end(JSON.stringify(await Promise.all(targets.map(attempt))));
}).listen(${probePort});
`;
