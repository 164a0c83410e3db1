/**
 * The surroundings of the tests' node, and servers on the node outside of Kubernetes: the same world as in attacks on
 * Docker.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import type { Case } from '../hostile/network-attempts.ts';
import { hostPorts, openWorld, startStandIns } from '../hostile/network-world.ts';
import type { PrivateHost } from '../scenarios/private-host.ts';

const inNode = ['--net=/var/run/netns/k8s-node', '--'];

/** The bridge of the node's pods. */
export const gateway = '10.244.0.1';

/** Attempts of `network-attempts.ts` that say nothing here, and why. */
export const leftOut: Readonly<Record<string, string>> = {
  'another pod of its own by name': 'with ports of its own, in isolation.test.ts',
  'another pod of its own by short name': 'as above',
  'another pod of its own by address': 'as above',
  'a public name, through the resolver of the machine':
    "the stand-in of a cluster's DNS knows names of the cluster alone",
  'the public internet by that name': 'as above',
  'a link-local address behind a public name': 'as above',
  'the public port of the edge, at the address of the machine': 'the edge of the tests is on no node',
  'a service of the machine at the gateway of another deployment': 'all pods of a node have one gateway',
  "a service of the machine at the engine's own gateway": 'as above',
  'a service of the machine by multicast': 'not routed, with or without policies',
  'a service of the machine by broadcast': 'not answered, with or without policies',
  'a service of the machine at its address in the local network':
    'it is not private, and a policy treats every other address as the internet',
  'a service of the machine that listens for the local network only': 'as above',
  'the same by UDP, at the address in the local network': 'as above',
  'the engine, where it listens on the machine': 'the API server and the kubelets, in isolation.test.ts and the probe',
  "a port that a stranger's container publishes on the machine": 'a quota forbids published ports',
  'a mail server at port 25': 'policies have ranges of ports since Kubernetes 1.22; before, mail can be sent',
  'a mail server at port 465': 'as above',
  'a mail server at port 587': 'as above',
  "another deployment's pod by address": 'with a port of its own, in isolation.test.ts',
  "another deployment's pod by the name of its container": 'pods have no such name',
  "a stranger's container by address": "as another deployment's pod",
  'a public address by IPv6': 'the node has no IPv6',
  'a private address by IPv6': 'as above',
  'the machine by IPv6, on the link': 'as above',
};

/** All others. */
export function onNode(cases: readonly Case[]): Case[] {
  return cases.filter(({ name }) => leftOut[name] === undefined);
}

export async function openNodeWorld(): Promise<AsyncDisposable> {
  const children: ChildProcess[] = [];
  const host: Pick<PrivateHost, 'spawn' | 'run'> = {
    spawn(argv, options = {}) {
      const child = spawn('nsenter', [...inNode, ...argv], options);
      children.push(child);
      return child;
    },
    run: async (argv) => (await promisify(execFile)('nsenter', [...inNode, ...argv])).stdout,
  };
  const close = async () => {
    // The network disappears with the world, and with it the node's route.
    for (const child of children) child.kill('SIGKILL');
  };
  try {
    await openWorld(host);
    const { sendOrder } = await startStandIns(host, []);
    await sendOrder({ kind: 'listen', address: '0.0.0.0', port: hostPorts.anywhere, says: 'service of the machine' });
    return { [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}
