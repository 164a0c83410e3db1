/** The rules in the kernel, when the machine around them changes. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { type Egress, noEgress, openEgress, parseEgress } from '../../src/deployment/workload/egress.ts';
import { startFirewall } from '../../src/engine/docker/firewall/firewall.ts';
import { removeFirewall } from '../../src/engine/docker/firewall/isolate.ts';
import { readListing } from '../../src/engine/docker/firewall/listing.ts';
import { apply, list, type TableWatch, watchTable } from '../../src/engine/docker/firewall/nft.ts';
import {
  admissionText,
  type EdgePlace,
  edgeText,
  policyChain,
  removalText,
  tableName,
} from '../../src/engine/docker/firewall/rules.ts';
import { bridgePrefix } from '../../src/engine/docker/names.ts';
import { newId } from '../../src/lib/ids.ts';
import { wait } from '../../src/lib/wait.ts';
import { until } from '../scenarios/berth.ts';

const needsRoot = { skip: process.getuid?.() === 0 ? false : 'rules can be loaded by root alone' };

test('rules that could not be loaded are not taken for loaded at the next look', needsRoot, async (t) => {
  const owner = `test-${newId(randomBytes)}`;
  let resolvers = ['10.0.0.53'];
  const reports: boolean[] = [];
  const firewall = await startFirewall({
    owner,
    readResolvers: async () => resolvers,
    readBridges: async () => new Map(),
    saveRules: async () => {},
    report: (areInForce) => reports.push(areInForce),
    log: { warn() {}, error() {} },
  });
  t.after(async () => {
    await firewall.close();
    await removeFirewall(owner);
  });
  assert.deepEqual(reports, [true]);
  // As if the kernel refused them for a moment: this text cannot be loaded.
  resolvers = ['no address'];
  await until('it has looked three times since the change', async () => reports.length >= 5 || undefined);
  assert.deepEqual(reports.slice(-2), [false, false]);
  resolvers = ['10.0.0.54'];
  await until('the rules are in force', async () => reports.at(-1));
});

test('two processes that look after the same rules undo nothing of each other', needsRoot, async (t) => {
  const owner = `test-${newId(randomBytes)}`;
  const networks = new Map<string, Egress>();
  const undone: string[] = [];
  const start = () =>
    startFirewall({
      owner,
      readResolvers: async () => [],
      saveRules: async () => {},
      report: () => {},
      readBridges: async () => new Map(networks),
      log: { warn: (_, message) => undone.push(message), error() {} },
    });
  const [ours, theirs] = [await start(), await start()];
  t.after(async () => {
    await Promise.all([ours.close(), theirs.close()]);
    await removeFirewall(owner);
  });
  const egresses: Egress[] = [{ kind: 'none' }, openEgress];
  for (const [index, egress] of egresses.entries()) {
    // Neither comes in the order of its name.
    const bridge = `${bridgePrefix(owner)}${2 - index}`;
    await (index === 0 ? ours : theirs).admit(bridge, egress);
    networks.set(bridge, egress);
  }
  await until('each knows what the other has admitted', async () =>
    [ours, theirs].every((each) => [...networks.keys()].every((bridge) => each.egressOf(bridge) !== undefined)),
  );
  assert.equal(readListing((await list(tableName(owner)))!).bridges.size, 2);
  const [gone, stays] = [...networks.keys()];
  networks.delete(gone!);
  await ours.dismiss(gone!);
  await until('the other one has noticed', async () => theirs.egressOf(gone!) === undefined);
  assert.deepEqual([...readListing((await list(tableName(owner)))!).bridges.keys()], [stays]);
  assert.deepEqual(undone, []);
});

test('what one process has admitted or changed, another one leaves alone', needsRoot, async (t) => {
  const owner = `test-${newId(randomBytes)}`;
  const [made, awaited] = [`${bridgePrefix(owner)}1`, `${bridgePrefix(owner)}2`];
  // The engine's labels say what networks were made with.
  const networks = new Map<string, Egress>([[made, openEgress]]);
  const { start, looks } = startingOn(owner, networks);
  const chains = () => chainsOf(owner);
  const ours = await start();
  const processes = [ours];
  t.after(async () => {
    await Promise.all(processes.map((each) => each.close()));
    await removeFirewall(owner);
  });
  await ours.admit(made, { kind: 'none' });
  await ours.admit(awaited, openEgress);
  const wanted = { [made]: 'egress_none', [awaited]: 'egress_open' };
  ours.pause(true);
  const theirs = await start();
  processes.push(theirs);
  assert.deepEqual(await chains(), wanted);
  assert.deepEqual(theirs.egressOf(made), { kind: 'none' });

  networks.set(awaited, openEgress);
  await ours.admit(made, openEgress);
  await until('the other one has noticed', async () => theirs.egressOf(made)?.kind === 'open');
  const seen = looks();
  await until('it has looked twice since', async () => looks() > seen + 1);
  assert.deepEqual(await chains(), { [made]: 'egress_open', [awaited]: 'egress_open' });
});

test('of two processes each keeps its own edge in the rules, and leaves that of the other', needsRoot, async (t) => {
  const owner = `test-${newId(randomBytes)}`;
  const warned: string[] = [];
  let looks = 0;
  const start = (...edges: EdgePlace[]) =>
    startFirewall({
      owner,
      edges,
      readResolvers: async () => [],
      saveRules: async () => {},
      report: () => looks++,
      readBridges: async () => new Map(),
      log: { warn: (_, message) => warned.push(message), error() {} },
    });
  const places = [
    { port: 8080, of: 'ours' },
    { port: 8081, of: 'theirs', address: '192.0.2.1' },
  ];
  const processes = [await start(places[0]!)];
  t.after(async () => {
    await Promise.all(processes.map((each) => each.close()));
    await removeFirewall(owner);
  });
  processes.push(await start(places[1]!));
  const text = async () => (await list(tableName(owner)))!;
  const edges = async () => readListing(await text()).edges.map(({ leftSeconds: _, ...place }) => place);
  const both = [places[1], places[0]];
  assert.deepEqual(await edges(), both);
  await untilLooked(4);
  // Loading a table renews all handles of its rules.
  const before = withoutTimes(await text());
  await untilLooked(6);
  assert.equal(withoutTimes(await text()), before, 'the rules were not loaded again');
  assert.deepEqual(warned, []);

  // A table that was loaded by a process that did not know of it yet, and an edge that will soon expire.
  await apply(`delete element inet ${tableName(owner)} edges { 8080 }`);
  await apply(edgeText(owner, { ...places[1]!, leftSeconds: 600 }));
  await until('both are there for long', async () => {
    const { edges } = readListing(await text());
    return edges.length === 2 && edges.every(({ leftSeconds = 0 }) => leftSeconds > 600_000);
  });
  assert.deepEqual(await edges(), both);

  // The same service with another port has none at the old one.
  await processes[0]!.close();
  processes.push(await start({ port: 8082, of: 'ours' }));
  assert.deepEqual(await edges(), [places[1], { port: 8082, of: 'ours' }]);

  // One with HTTPS has two.
  await processes.at(-1)!.close();
  const two = [8082, 8443].map((port) => ({ port, of: 'ours' }));
  processes.push(await start(...two));
  assert.deepEqual(await edges(), [places[1], ...two]);
  await apply(`delete element inet ${tableName(owner)} edges { 8443 }`);
  await until('the second is there again', async () => (await edges()).length === 3 || undefined);

  async function untilLooked(times: number): Promise<void> {
    const seen = looks;
    await until(`they have looked ${times} times more`, async () => looks >= seen + times);
  }
});

test('of two decisions on a network the later one holds, made by any process', needsRoot, async (t) => {
  const owner = `test-${newId(randomBytes)}`;
  const bridge = `${bridgePrefix(owner)}1`;
  const networks = new Map<string, Egress>([[bridge, openEgress]]);
  const { start, looks } = startingOn(owner, networks);
  const [ours, theirs] = [await start(), await start()];
  t.after(async () => {
    await Promise.all([ours.close(), theirs.close()]);
    await removeFirewall(owner);
  });
  const some = parseEgress('203.0.113.9/24:443,10.0.0.7')!;
  const agreed = async (egress: Egress) => {
    const seen = looks();
    await until('both have looked twice since', async () => looks() >= seen + 4);
    assert.deepEqual([ours.egressOf(bridge), theirs.egressOf(bridge)], [egress, egress]);
    assert.deepEqual(await chainsOf(owner), { [bridge]: policyChain(egress) });
  };
  await ours.admit(bridge, noEgress);
  // At once, before the first has forgotten that it has just admitted it; and one that only the other process knows.
  await theirs.admit(bridge, some);
  await agreed(some);
  await ours.admit(bridge, openEgress);
  await agreed(openEgress);
  // Like a table that was loaded by a process that did not know of that yet.
  await apply(admissionText(owner, bridge, { egress: openEgress, turn: 1 }, true));
  await agreed(openEgress);
  await theirs.admit(bridge, noEgress);
  await apply(admissionText(owner, bridge, { egress: noEgress, turn: 1 }, true));
  await agreed(noEgress);
});

/** Starts processes of one installation that maintain the same rules, and counts their looks. */
function startingOn(owner: string, networks: ReadonlyMap<string, Egress>) {
  let looks = 0;
  const start = () =>
    startFirewall({
      owner,
      readResolvers: async () => [],
      saveRules: async () => {},
      report: () => looks++,
      readBridges: async () => new Map(networks),
      log: { warn() {}, error() {} },
    });
  return { start, looks: () => looks };
}

async function chainsOf(owner: string): Promise<Record<string, string>> {
  const { bridges } = readListing((await list(tableName(owner)))!);
  return Object.fromEntries(Array.from(bridges, ([bridge, { chain }]) => [bridge, chain]));
}

/** The listing with its handles, but for the time that elements have left. */
function withoutTimes(json: string): string {
  return json.replaceAll(/"expires": \d+/g, '');
}

test('a listener on a table receives each change, and reports when it has ended', needsRoot, async (t) => {
  const owner = `test-${newId(randomBytes)}`;
  const table = tableName(owner);
  using watch = watchTable(table);
  t.after(() => apply(removalText(owner)));
  await until('a first change is heard', async () => {
    await apply(`add table inet ${table}\nadd chain inet ${table} first\ndelete chain inet ${table} first`);
    await wait(50);
    return isQuiet(watch);
  });
  for (const change of [`add chain inet ${table} second`, `delete table inet ${table}`]) {
    await apply(change);
    await until('the change is heard', async () => watch.mayHaveChanged());
    await until('only real events are reported', async () => isQuiet(watch));
  }
  const [listener, ...others] = await listeners();
  assert.deepEqual(others, []);
  process.kill(listener!, 'SIGKILL');
  await until('it is missed', async () => !isQuiet(watch));
});

/** Whether the watch works and reports no change. */
function isQuiet(watch: TableWatch): boolean {
  watch.mayHaveChanged();
  return !watch.mayHaveChanged();
}

/** The programs that this process has started to listen. */
async function listeners(): Promise<number[]> {
  const pids = (await readFile(`/proc/self/task/${process.pid}/children`, 'utf8')).trim().split(' ').map(Number);
  const commands = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  return pids.filter((_, index) => commands[index]!.includes('nft\0monitor'));
}
