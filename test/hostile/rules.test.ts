/**
 * The rules in cases that an engine does not produce: with IPv6, which containers do not have here, and on an unknown
 * bridge. A network namespace stands for a pod, another one for the world.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Egress } from '../../src/deployment/workload/egress.ts';
import { removalText, tableText } from '../../src/engine/docker/firewall/rules.ts';
import { bridgePrefix } from '../../src/engine/docker/names.ts';
import { until } from '../scenarios/berth.ts';
import { createPrivateHost, type PrivateHost } from '../scenarios/private-host.ts';
import { type Attempt, hasReached } from './agent.ts';
import { type StandIns, startStandIns } from './network-world.ts';

const owner = 'rules';
const bridge = `${bridgePrefix(owner)}pod`;
const outside = {
  public: '2001:db8:77::7',
  private: 'fd00:77::7',
  mapped: '64:ff9b::a63:4d07',
  old: '2002:a63:4d07::7',
};
const machine = { lan: 'fd00:1::1', gateway: 'fd00:2::1' };

let host: PrivateHost;
let folder: string;
let pod: StandIns;
before(async () => {
  host = await createPrivateHost();
  folder = await mkdtemp(join(tmpdir(), 'berth-rules-'));
  await connect();
});
after(async () => {
  await host?.close();
  await rm(folder, { recursive: true, force: true });
});

const cases: Record<string, Attempt> = {
  'a public address': { by: 'tcp', host: outside.public, port: 80 },
  'a mail server': { by: 'tcp', host: outside.public, port: 25 },
  'a private address': { by: 'tcp', host: outside.private, port: 80 },
  'an IPv4 address behind a translator': { by: 'tcp', host: outside.mapped, port: 80 },
  'an IPv4 address within 6to4': { by: 'tcp', host: outside.old, port: 80 },
  'the machine at the gateway': { by: 'tcp', host: machine.gateway, port: 80 },
  'the machine by UDP': { by: 'udp', host: machine.gateway, port: 80 },
  'the machine at its other address': { by: 'tcp', host: machine.lan, port: 80 },
  'the machine by its address of the link': { by: 'tcp', host: 'fe80::2%pod', port: 80 },
  'the machine by multicast': { by: 'udp', host: 'ff02::1%pod', port: 80 },
};

for (const [title, egress, expected] of [
  ['without rules a pod reaches all of these', undefined, Object.keys(cases)],
  ['by IPv6 a pod with open egress reaches the public internet alone', { kind: 'open' }, ['a public address']],
  [
    'by IPv6 a list lets out what is on it',
    { kind: 'only', to: [{ family: 6, cidr: 'fd00:77::/32', port: 80 }] },
    ['a private address'],
  ],
  ['by IPv6 a pod without egress reaches nothing', { kind: 'none' }, []],
  ['a bridge without rules is closed', 'unknown', []],
] as [string, Egress | 'unknown' | undefined, string[]][])
  test(title, async () => {
    const bridges = new Map(typeof egress === 'object' ? [[bridge, { egress, turn: 1 }]] : []);
    await load(egress ? tableText({ owner, resolvers: [] }, bridges) : removalText(owner));
    // An answer may be late; what is not to come must not come at any time.
    await until(`reached are ${expected}`, async () => {
      const outcomes = await pod.attempt(Object.values(cases));
      const reached = Object.keys(cases).filter((_, index) => hasReached(outcomes[index]!));
      assert.deepEqual(
        reached.filter((name) => !expected.includes(name)),
        [],
        outcomes.join(),
      );
      return reached.length === expected.length;
    });
  });

async function connect(): Promise<void> {
  const ip = (command: string) => host.run(['ip', ...command.split(' ')]);
  const here = await startStandIns(host, []);
  const world = await startStandIns(host, ['unshare', '--net']);
  pod = await startStandIns(host, ['unshare', '--net']);
  const forward = "require('node:fs').writeFileSync('/proc/sys/net/ipv6/conf/all/forwarding', '1')";
  await host.run([process.execPath, '-e', forward]);
  await ip(`link add ${bridge} type veth peer name pod netns ${pod.pid}`);
  await ip(`link add world type veth peer name eth0 netns ${world.pid}`);
  for (const [device, address] of [
    [bridge, `${machine.gateway}/64`],
    [bridge, 'fe80::2/64'],
    ['world', `${machine.lan}/64`],
  ] as const)
    await ip(`address add ${address} dev ${device} nodad`);
  for (const device of [bridge, 'world']) await ip(`link set ${device} up`);
  await pod.sendOrder({ kind: 'set-up', commands: ends('pod', 'fd00:2::2', machine.gateway) });
  const addresses = Object.values(outside);
  const own = addresses.map((address) => `address add ${address}/128 dev lo`);
  await world.sendOrder({
    kind: 'set-up',
    commands: ['link set lo up', ...ends('eth0', 'fd00:1::2', machine.lan), ...own],
  });
  for (const address of addresses) await ip(`route add ${address}/128 via fd00:1::2`);
  await here.sendOrder({ kind: 'listen', address: '::', port: 80, says: 'the machine' });
  for (const port of [25, 80]) await world.sendOrder({ kind: 'listen', address: '::', port, says: 'the world' });
  // The kernel takes a moment to know its neighbours.
  const all = Object.values(cases);
  await until('every target is reached', async () => (await pod.attempt(all)).every(hasReached));
}

function ends(device: string, address: string, gateway: string): string[] {
  return [`address add ${address}/64 dev ${device} nodad`, `link set ${device} up`, `route add default via ${gateway}`];
}

async function load(rules: string): Promise<void> {
  const file = join(folder, 'rules.nft');
  await writeFile(file, rules);
  await host.run(['nft', '--file', file]);
}
