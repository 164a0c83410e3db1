/**
 * The reach of a pod on a cluster, and the rights of root in it: tested from inside, with the policies and, for
 * control, without.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Workload } from '../../src/deployment/workload/workload.ts';
import { policyName } from '../../src/engine/kubernetes/manifests/network-policy.ts';
import { namespaceName } from '../../src/engine/kubernetes/names.ts';
import { port } from '../contract/program.ts';
import { createScene, type Scene } from '../contract/scene.ts';
import { type Attempt, hasReached, type Outcome } from '../hostile/agent.ts';
import { privileges, systemCalls } from '../hostile/container-attempts.ts';
import type { Case } from '../hostile/network-attempts.ts';
import * as network from '../hostile/network-attempts.ts';
import { until } from '../scenarios/until.ts';
import { type KubernetesContractor, kubernetesContractor } from './contractor.ts';
import { edgeNetworks } from './node.ts';
import { gateway, leftOut, onNode, openNodeWorld } from './node-world.ts';

const image = 'node:26-slim';
const agentPort = 3000;

/** The API server as pods find it, and this machine as they see it. */
const apiService = '10.96.0.1';
const machine = edgeNetworks[0]!.split('/')[0]!;

type Known = { peer: string; victim: string; machinePort: number };
type Tried = { name: string; attempt: (known: Known) => Attempt; isClosedAnyway?: true };

/** The attempts on Docker that apply to a node; Docker's own addresses do not occur in them. */
const onDocker = { otherGateway: '', otherPod: '', engineGateway: '', strangerContainer: '', otherContainer: '' };
const asOnDocker = (cases: readonly Case[]) =>
  onNode(cases).map(
    ({ attempt, ...each }): Tried => ({
      ...each,
      attempt: ({ peer }) => attempt({ ...onDocker, gateway, ownPeer: peer, edgePort: 0 }),
    }),
  );

const tcp = (host: string, to: number): Attempt => ({ by: 'tcp', host, port: to });

const reachable: Tried[] = [
  { name: 'another pod of its own by name', attempt: () => tcp('peer.pod', port) },
  { name: 'another pod of its own by short name', attempt: () => tcp('peer', port) },
  { name: 'another pod of its own by address', attempt: ({ peer }) => tcp(peer, port) },
  ...asOnDocker(network.reachable),
];

const unreachable: Tried[] = [
  { name: "another deployment's pod by address", attempt: ({ victim }) => tcp(victim, port) },
  { name: 'the API server by its service', attempt: () => tcp(apiService, 443) },
  { name: 'a service of a machine in the private network', attempt: ({ machinePort }) => tcp(machine, machinePort) },
  ...asOnDocker(network.unreachable),
];

/**
 * A cluster has the runtime's own profile of system calls, and its own devices and mounts. With containerd 1.6 those are
 * open that follow; where the control groups of older kernels are, it mounts an empty directory that can be written.
 */
const leftByRuntime: ReadonlySet<string> = new Set([
  'a socket to the hypervisor, past every firewall',
  "a socket to the kernel's cryptography",
  'io_uring',
  'the devices are the usual ones and no others',
  'a program that the machine runs when a control group is empty',
  'anything of /sys and /proc/sys that could be written',
]);

let contractor: KubernetesContractor;
let attack: (attempts: Attempt[]) => Promise<Outcome[]>;
let known: Known;
const scenes: Scene[] = [];
let world: AsyncDisposable;
const listener = createServer((socket) => socket.end('machine\n'));
const outcomes = { fenced: [] as Outcome[], unfenced: [] as Outcome[] };
let called: string[];
let privileged: Outcome[];

before(async () => {
  contractor = await kubernetesContractor([image]);
  const { engine, cluster } = contractor;
  await new Promise<void>((resolve) => listener.listen(0, machine, resolve));
  world = await openNodeWorld();
  const [own, other] = [createScene(engine, contractor.image), createScene(engine, contractor.image)];
  scenes.push(own, other);
  for (const scene of scenes) await scene.execute({ kind: 'create-network', egress: { kind: 'open' } });
  const [peer, victim] = [own.workload('peer'), other.workload('victim')];
  await own.start(peer);
  await other.start(victim);
  const attacker = await attackerOf(own);
  await own.start(attacker);
  const address = (await own.ready(attacker)).address!;
  attack = async (attempts) => {
    const answer = await fetch(`http://${address}:${agentPort}`, { method: 'POST', body: JSON.stringify(attempts) });
    return (await answer.json()) as Outcome[];
  };
  known = {
    peer: (await own.ready(peer)).address!,
    victim: (await other.ready(victim)).address!,
    machinePort: (listener.address() as { port: number }).port,
  };
  const all = [...reachable, ...unreachable].map(({ attempt }) => attempt(known));
  const isKept = (found: Outcome[]) =>
    found.slice(0, reachable.length).every(hasReached) && !found.slice(reachable.length).some(hasReached);
  await attackUntil('fenced', all, isKept);
  const calls = systemCalls.map(({ call }) => call);
  const argv = ['node', '--no-warnings', '/app/syscall.ts', ...calls] as [string, ...string[]];
  const [answer] = await attack([{ by: 'program', argv }]);
  called = answer!.replace(/^0: /, '').split('\n');
  privileged = await attack(privileges.map(({ attempt }) => attempt));
  for (const { id } of scenes) await cluster.remove('NetworkPolicy', 'berth', { namespace: namespaceName(id) });
  const isOpen = ({ isClosedAnyway }: Tried, outcome: Outcome) => isClosedAnyway || hasReached(outcome);
  const tried = [...reachable, ...unreachable];
  await attackUntil('unfenced', all, (found) => tried.every((each, index) => isOpen(each, found[index]!)));
});
after(async () => {
  listener.close();
  await world?.[Symbol.asyncDispose]();
  for (const scene of scenes) await scene.removeAll();
  await contractor?.dispose();
});

/** The network plugin learns of policies and pods with a delay. Only the last attack counts. */
async function attackUntil(
  when: keyof typeof outcomes,
  attempts: Attempt[],
  isSettled: (found: Outcome[]) => boolean,
): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    outcomes[when] = await attack(attempts);
    if (isSettled(outcomes[when])) return;
  }
}

async function attackerOf(scene: Scene): Promise<Workload> {
  const files = await Promise.all(
    ['agent.ts', 'syscall.ts'].map(async (name) => ({
      path: `/app/${name}`,
      content: await readFile(join(import.meta.dirname, '../hostile', name), 'utf8'),
    })),
  );
  return scene.workload('attacker', {
    image,
    files,
    command: ['node', '/app/agent.ts'],
    ports: [agentPort],
    readiness: { kind: 'port', port: agentPort },
  });
}

describe('a pod reaches', () => {
  for (const [index, { name }] of reachable.entries())
    test(name, () => assert.ok(hasReached(outcomes.fenced[index]!), outcomes.fenced[index]!));
});

describe('a pod does not reach', () => {
  for (const [index, { name, isClosedAnyway }] of unreachable.entries())
    test(name, () => {
      const at = reachable.length + index;
      assert.ok(!hasReached(outcomes.fenced[at]!), outcomes.fenced[at]!);
      if (!isClosedAnyway)
        assert.ok(hasReached(outcomes.unfenced[at]!), `without the policies: ${outcomes.unfenced[at]}`);
    });
});

test('of what is tried on Docker, each attempt is made or is left out for a reason', (t) => {
  const all = [...network.reachable, ...network.unreachable];
  for (const { name } of all) if (leftOut[name] !== undefined) t.diagnostic(`${name}: ${leftOut[name]}`);
  assert.deepEqual(
    Object.keys(leftOut).filter((name) => !all.some((each) => each.name === name)),
    [],
    'reasons for attempts that do not exist',
  );
});

describe('by a system call, root in a pod does not get', () => {
  for (const [index, { name, expected }] of systemCalls.entries())
    if (!leftByRuntime.has(name)) test(name, () => assert.equal(called[index], expected));
});

describe('privileges of root in a pod:', () => {
  for (const [index, { name, expected }] of privileges.entries())
    if (!leftByRuntime.has(name)) test(name, () => assert.match(privileged[index]!, expected));
});

test('an edited policy is reported, and is restored once it is applied again', async () => {
  const { engine, cluster } = contractor;
  const [own] = scenes as [Scene];
  const at = { name: policyName, namespace: namespaceName(own.id) };
  const edits = [
    { egress: [{}] },
    { ingress: null },
    { policyTypes: ['Ingress'] },
    { podSelector: { matchLabels: { app: 'web' } } },
  ];
  await engine.isolation.setEgress(own.id, { kind: 'open' });
  for (const spec of edits) {
    await cluster.change('NetworkPolicy', at, { spec });
    await until(`${JSON.stringify(spec)} is seen`, async () => (await own.observe()).egress !== 'open');
    await engine.isolation.setEgress(own.id, { kind: 'open' });
    assert.equal((await own.observe()).egress, 'open');
  }
});
