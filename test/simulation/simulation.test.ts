import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { allFacets } from '../../src/engine/memory/memory.ts';

const main = join(import.meta.dirname, 'main.ts');

test('whatever goes wrong, every deployment ends as it should, and nothing is left behind', (t) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main], { encoding: 'utf8', maxBuffer: 2 ** 26 });
  assert.equal(status, 0, stderr);
  t.diagnostic(stderr);
  t.diagnostic(stdout);
  // Where nothing happens, nothing is proven.
  if (process.env.BERTH_SIMULATION_SEED !== undefined) return;
  const tally = JSON.parse(stdout) as Record<string, number>;
  const blows = ['death', 'freeze', 'fault', 'slow', 'hang', 'asked', 'overtaken'].map((kind) => `blow ${kind}`);
  const endings = ['running', 'failed', 'expired'].map((state) => `ends ${state}`);
  const facets = [...allFacets].flatMap((facet) => [`with ${facet}`, `without ${facet}`]);
  for (const what of [
    ...blows,
    ...endings,
    'lost write',
    'leases overlap',
    'act claim',
    'act stall',
    'late pull',
    ...facets,
  ])
    assert.ok((tally[what] ?? 0) > 0, `${what} never happened`);
});
