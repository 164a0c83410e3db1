/** The rules in the kernel, when the machine around them changes. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { removeFirewall, startFirewall } from '../../src/engine/docker/firewall/firewall.ts';
import { newId } from '../../src/lib/ids.ts';
import { until } from '../scenarios/berth.ts';

const needsRoot = { skip: process.getuid?.() === 0 ? false : 'rules can be loaded by root alone' };

test('rules that could not be loaded are not taken for loaded at the next look', needsRoot, async (t) => {
  const owner = `test-${newId(randomBytes)}`;
  let resolvers = ['10.0.0.53'];
  const reports: boolean[] = [];
  const firewall = await startFirewall(
    {
      ...{ owner, readResolvers: async () => resolvers, keep: async () => {} },
      report: (areInForce) => reports.push(areInForce),
      log: { warn() {}, error() {} },
    },
    new Map(),
  );
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
