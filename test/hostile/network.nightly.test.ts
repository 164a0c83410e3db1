/** The network as a container sees it: tested from inside, with the firewall and, for control, without. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { until } from '../scenarios/berth.ts';
import { hasReached } from './agent.ts';
import { reachable, unreachable } from './network-attempts.ts';
import { egressTests } from './network-egress.ts';
import { enduranceTests } from './network-endurance.ts';
import { nameTests } from './network-names.ts';
import { type NetworkStage, reached, setNetworkStage } from './network-stage.ts';
import { lanAddress } from './network-world.ts';

let stage: NetworkStage;
before(async () => {
  stage = await setNetworkStage();
});
after(() => stage?.close());

describe('a container reaches', () => {
  for (const wanted of reachable)
    test(wanted.name, () => {
      const outcome = stage.fenced.outcomes.get(wanted)!;
      assert.ok(hasReached(outcome), outcome);
    });
});

describe('a container does not reach', () => {
  for (const unwanted of unreachable)
    test(unwanted.name, () => {
      const outcome = stage.fenced.outcomes.get(unwanted)!;
      assert.ok(!hasReached(outcome), outcome);
      if (unwanted.isClosedAnyway) return;
      const unfenced = stage.control.outcomes.get(unwanted)!;
      assert.ok(hasReached(unfenced), `without the rules: ${unfenced}`);
    });

  test('any port that is open on the machine, but the public one', async () => {
    const { fenced, world } = stage;
    // The gate's, where the engine pulls, is among them.
    const ports = listening(await world.engine.host.run(['cat', '/proc/net/tcp', '/proc/net/tcp6']));
    assert.ok(ports.length >= 5 && ports.includes(fenced.known.edgePort), ports.join());
    const hosts = [fenced.known.gateway, lanAddress];
    const cases = hosts.flatMap((host) =>
      ports.map((port) => ({
        name: `${host}:${port}`,
        attempt: () => ({ by: 'http', host, port, path: '/' }) as const,
      })),
    );
    const names = hosts.map((host) => `${host}:${fenced.known.edgePort}`);
    const wanted = cases.filter(({ name }) => names.includes(name));
    assert.deepEqual(await reached(fenced, cases, wanted), names);
  });

  test('the domain of the machine', async () => {
    const [resolvConf] = await stage.fenced.attacker.attempt([{ by: 'program', argv: ['cat', '/etc/resolv.conf'] }]);
    assert.match(resolvConf!, /^0: nameserver 127\.0\.0\.11/);
    assert.doesNotMatch(resolvConf!, /corp/);
  });

  test("the service's and the proxy's own sockets, and the engine's", async () => {
    const { fenced, world } = stage;
    const { dataDir } = fenced.berth.settings;
    const engineSocket = new URL(world.engine.dockerHost).pathname;
    const own = ['run/api.sock', 'run/pages.sock', 'run/images.sock', 'edge/admin.sock'];
    const paths = [...own.map((path) => `${dataDir}/${path}`), engineSocket];
    const outcomes = await fenced.attacker.attempt(
      [...paths, '/var/run/docker.sock'].map((path) => ({ by: 'socket', path })),
    );
    assert.deepEqual([...new Set(outcomes)], ['ENOENT']);
  });
});

test('hosts in the networks behind the machine do not reach a container past the edge', async () => {
  const { ownPeer } = stage.fenced.known;
  const outcome = await stage.world.attemptFromOutside({ by: 'tcp', host: ownPeer, port: 4000 });
  assert.ok(!hasReached(outcome), outcome);
});

test('a flood of connections fills no table that others need', async () => {
  const { fenced, control, world } = stage;
  const places = async () => Number(await world.engine.host.run(['cat', '/proc/sys/net/netfilter/nf_conntrack_count']));
  const floods = [
    { side: fenced, by: 'flood', host: '203.0.113.7', port: 443, count: 2_500 },
    { side: fenced, by: 'flood', host: fenced.known.ownPeer, port: 4000, count: 2_500 },
    { side: control, by: 'flood', host: '203.0.113.7', port: 443, count: 2_500 },
  ] as const;
  const taken: number[] = [];
  const seconds: number[] = [];
  for (const { side, ...flood } of floods) {
    const before = await places();
    const beganAt = performance.now();
    const [[flooding]] = await Promise.all([
      side.attacker.attempt([flood]),
      until('the neighbour is answered at the same time', async () => {
        const [outcome] = await stage.victim.attempt([{ by: 'tcp', host: '203.0.113.7', port: 80 }]);
        return hasReached(outcome!);
      }),
    ]);
    taken.push((await places()) - before);
    seconds.push((performance.now() - beganAt) / 1000);
    assert.match(flooding!, /^answer: \d+ connections/);
  }
  const [outwards, among, unlimited] = taken as [number, number, number];
  // A thousand at once, and a hundred a second.
  const most = 1_200 + 100 * seconds[0]!;
  assert.ok(outwards < most, `${outwards} places of connections to the outside, at most ${most}`);
  assert.ok(among < 200, `${among} places of connections among pods`);
  assert.ok(unlimited >= 2_400, `${unlimited} places without the rules`);
});

test('a flood of connections to the name of a pod gives its places back after seconds', async () => {
  const { fenced, world } = stage;
  const [flooding] = await fenced.attacker.attempt([{ by: 'flood', host: 'peer.pod', port: 4000, count: 2_500 }]);
  assert.match(flooding!, /^answer: \d+ connections/);
  const table = await world.engine.host.run(['conntrack', '-L', '-p', 'tcp', '-d', '100.64.0.0/10', '--dport', '4000']);
  // `tcp 6 4 TIME_WAIT src=…`: seconds that are left. The kernel's own are 120.
  const closed = Array.from(table.matchAll(/^tcp +6 (\d+) (?:TIME_WAIT|CLOSE) /gm), ([, seconds]) => Number(seconds));
  assert.ok(
    closed.every((seconds) => seconds <= 5),
    `up to ${Math.max(...closed)} s`,
  );
});

egressTests(() => stage);
nameTests(() => stage);
enduranceTests(() => stage);

/** The ports of sockets that listen, of the kernel's table. */
function listening(table: string): number[] {
  const ports = [...table.matchAll(/^ *\d+: [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]+:0000 0A /gm)];
  return [...new Set(ports.map(([, port]) => Number.parseInt(port!, 16)))].sort((a, b) => a - b);
}
