/** The rules in the kernel, when the machine around them changes. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { type Egress, openEgress } from '../../src/deployment/workload/egress.ts';
import { removeFirewall, startFirewall } from '../../src/engine/docker/firewall/firewall.ts';
import { readListing } from '../../src/engine/docker/firewall/listing.ts';
import { list } from '../../src/engine/docker/firewall/nft.ts';
import { tableName } from '../../src/engine/docker/firewall/rules.ts';
import { bridgePrefix } from '../../src/engine/docker/names.ts';
import { newId } from '../../src/lib/ids.ts';
import { until } from '../scenarios/berth.ts';

const needsRoot = { skip: process.getuid?.() === 0 ? false : 'rules can be loaded by root alone' };

test('rules that could not be loaded are not taken for loaded at the next look', needsRoot, async (t) => {
  const owner = `test-${newId(randomBytes)}`;
  let resolvers = ['10.0.0.53'];
  const reports: boolean[] = [];
  const firewall = await startFirewall({
    ...{ owner, readResolvers: async () => resolvers, readBridges: async () => new Map(), keep: async () => {} },
    report: (areInForce) => reports.push(areInForce),
    log: { warn() {}, error() {} },
  });
  t.after(async () => {
    await firewall.close();
    await removeFirewall(owner);
  });
  assert.deepEqual(reports, [true]);
  // As when the kernel refuses them for a moment: nobody can load these.
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
      ...{ owner, readResolvers: async () => [], keep: async () => {}, report: () => {} },
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
  let looks = 0;
  const start = () =>
    startFirewall({
      ...{ owner, readResolvers: async () => [], keep: async () => {}, report: () => looks++ },
      readBridges: async () => new Map(networks),
      log: { warn() {}, error() {} },
    });
  const chains = async () => Object.fromEntries(readListing((await list(tableName(owner)))!).bridges);
  const ours = await start();
  const processes = [ours];
  t.after(async () => {
    await Promise.all(processes.map((each) => each.close()));
    await removeFirewall(owner);
  });
  await ours.admit(made, { kind: 'none' });
  await ours.admit(awaited, openEgress);
  const wanted = { [made]: 'egress_none', [awaited]: 'egress_open' };
  ours.rest(true);
  const theirs = await start();
  processes.push(theirs);
  assert.deepEqual(await chains(), wanted);
  assert.deepEqual(theirs.egressOf(made), { kind: 'none' });

  networks.set(awaited, openEgress);
  await ours.admit(made, openEgress);
  await until('the other one has noticed', async () => theirs.egressOf(made)?.kind === 'open');
  const seen = looks;
  await until('it has looked twice since', async () => looks > seen + 1);
  assert.deepEqual(await chains(), { [made]: 'egress_open', [awaited]: 'egress_open' });
});
