/**
 * A machine for attacks on networks: an engine of its own, a network behind it with stand-ins for the rest of the
 * world, and no way out.
 */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createPrivateEngine, type PrivateEngine } from '../scenarios/private-engine.ts';
import type { Argv, PrivateHost } from '../scenarios/private-host.ts';
import type { Attempt, Outcome } from './agent.ts';
import type { Order } from './stand-ins.ts';

/** The machine's address in the network behind it, and the common address of the stand-ins. */
export const lanAddress = '192.0.2.64';
const routerAddress = '192.0.2.65';

/** The hosts in that network. Each answers to TCP and UDP with its name, at these ports. */
export const outside = {
  public: '203.0.113.7',
  otherPublic: '198.51.100.7',
  privateA: '10.99.77.7',
  privateB: '172.31.77.7',
  privateC: '192.168.77.7',
  shared: '100.64.77.7',
  linkLocal: '169.254.77.7',
  benchmark: '198.19.77.7',
  protocol: '192.0.0.77',
  resolver: '10.99.77.53',
  otherResolver: '192.168.77.53',
} as const;
/** For each resolver, a name that only it knows. The machine uses the first. */
export const namesOf = { resolver: 'wiki.corp.test', otherResolver: 'filtered.test' } as const;
const outsidePorts = [80, 443, 25, 465, 587, 5432];
export const outsideIPv6 = { public: '2001:db8:77::7', private: 'fd00:77::7' } as const;

/** On the machine itself. */
export const hostPorts = { anywhere: 9000, lanOnly: 9001, engine: 2375, published: 9100, group: 9002 } as const;
export const multicastGroup = '239.255.77.7';

export type NetworkWorld = {
  engine: PrivateEngine;
  /** The machine listens to the multicast group in the networks with these gateways. */
  join(gateways: string[]): Promise<void>;
  /** From somewhere in the network behind the machine. */
  attemptFromOutside(attempt: Attempt): Promise<string>;
  close(): Promise<void>;
};

export async function createNetworkWorld(images: string[]): Promise<NetworkWorld> {
  const engine = await createPrivateEngine();
  const folder = await mkdtemp(join(tmpdir(), 'berth-world-'));
  const close = async () => {
    await engine.close();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await engine.load(...images);
    const resolverFile = join(folder, 'resolv.conf');
    await writeFile(resolverFile, `search corp.test\nnameserver ${outside.resolver}\n`);
    await engine.host.run(['mount', '--bind', resolverFile, '/etc/resolv.conf']);
    const world = await openWorld(engine.host);
    // As on a machine that forwards for others too.
    await engine.host.run(['iptables', '--policy', 'FORWARD', 'ACCEPT']);
    await keepPlaces(engine.host);
    const machine = await openMachine(engine);
    return {
      engine,
      close,
      attemptFromOutside: async (attempt) => (await world.attempt([attempt]))[0]!,
      async join(gateways) {
        await machine({ kind: 'join', group: multicastGroup, port: hostPorts.group, gateways, says: 'the machine' });
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Entries in the machine's connection table stay, so that they can be counted on a slow machine too. */
async function keepPlaces(host: PrivateHost): Promise<void> {
  const program = `
    const { readdirSync, writeFileSync } = require('node:fs');
    const folder = '/proc/sys/net/netfilter/';
    for (const name of readdirSync(folder))
      if (/^nf_conntrack_tcp_timeout_/.test(name)) writeFileSync(folder + name, '3600');`;
  await host.run([process.execPath, '-e', program]);
}

type Tell = (order: Order) => Promise<unknown>;

export type StandIns = { sendOrder: Tell; attempt(attempts: Attempt[]): Promise<Outcome[]>; pid: number };

/** On this machine, and in a network behind it. */
export async function openWorld(host: Pick<PrivateHost, 'spawn' | 'run'>): Promise<StandIns> {
  const standIns = await startStandIns(host, ['unshare', '--net']);
  const { sendOrder, pid } = standIns;
  const addresses = Object.values(outside);
  const ip = (command: string) => host.run(['ip', ...command.split(' ')]);
  await ip(`link add world type veth peer name eth0 netns ${pid}`);
  await ip(`address add ${lanAddress}/31 dev world`);
  await ip('link set world up');
  await sendOrder({
    kind: 'set-up',
    commands: [
      'link set lo up',
      `address add ${routerAddress}/31 dev eth0`,
      'link set eth0 up',
      `route add default via ${lanAddress}`,
      ...addresses.map((address) => `address add ${address}/32 dev lo`),
    ],
  });
  for (const address of addresses) await ip(`route add ${address}/32 via ${routerAddress}`);
  for (const [name, address] of Object.entries(outside))
    for (const port of outsidePorts) await sendOrder({ kind: 'listen', address, port, says: `${name}:${port}` });
  const publicNames = { 'public.test': outside.public, 'rebound.test': outside.linkLocal };
  const names = { ...publicNames, [namesOf.resolver]: outside.privateA };
  await sendOrder({ kind: 'resolve', address: outside.resolver, names });
  const otherNames = { 'public.test': outside.public, [namesOf.otherResolver]: outside.otherPublic };
  await sendOrder({ kind: 'resolve', address: outside.otherResolver, names: otherNames });
  return standIns;
}

/** Services of the machine: for all clients, for its own network, and the engine's own, as some machines have it. */
async function openMachine({ host, dockerHost }: PrivateEngine): Promise<Tell> {
  const { sendOrder } = await startStandIns(host, []);
  const { anywhere, lanOnly, engine } = hostPorts;
  await sendOrder({ kind: 'listen', address: '0.0.0.0', port: anywhere, says: 'service of the machine' });
  await sendOrder({ kind: 'listen', address: lanAddress, port: lanOnly, says: 'service of the machine' });
  await sendOrder({ kind: 'forward', address: '0.0.0.0', port: engine, path: new URL(dockerHost).pathname });
  return sendOrder;
}

/** A program of stand-ins on the private machine; `wrapper`: what puts it into another network. */
export async function startStandIns(host: Pick<PrivateHost, 'spawn'>, wrapper: string[]): Promise<StandIns> {
  const argv: Argv = ['env', ...wrapper, process.execPath, join(import.meta.dirname, 'stand-ins.ts')];
  const child: ChildProcess = host.spawn(argv, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    assert.ok(!done, 'the stand-ins have ended');
    return JSON.parse(value);
  };
  const pid = (await next()) as number;
  const sendOrder: Tell = async (order) => {
    child.stdin!.write(`${JSON.stringify(order)}\n`);
    const answer = await next();
    assert.equal(answer?.error, undefined, `${JSON.stringify(order)}: ${answer?.error}`);
    return answer;
  };
  return { pid, sendOrder, attempt: async (attempts) => (await sendOrder({ kind: 'attempt', attempts })) as Outcome[] };
}
