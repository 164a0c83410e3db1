/**
 * Snapshots, restores in place and beside, exports and the grace, whose service is killed at any call, and whose engine or
 * place fails at any call: whatever an application sees when it starts is of one instant, all ends, and nothing is left.
 * `BERTH_SNAPSHOT_RUNS` says how many stories, `BERTH_SNAPSHOT_SEED` which is the first.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { playSnapshots } from './snapshot-story.ts';

const runs = Number(process.env.BERTH_SNAPSHOT_RUNS ?? 40);
const first = Number(process.env.BERTH_SNAPSHOT_SEED ?? 1);

test('after any kills and failures, data is the previous or that of the snapshot, and nothing is left', async (t) => {
  const tally: Record<string, number> = {};
  for (let seed = first; seed < first + runs; seed++)
    await playSnapshots(seed, (what) => {
      tally[what] = (tally[what] ?? 0) + 1;
    }).catch((error: Error) => {
      throw new Error(`seed ${seed}: ${error.message}`, { cause: error });
    });
  t.diagnostic(JSON.stringify(tally));
  if (runs < 40) return;
  for (const what of [
    'died',
    'restored',
    'runs beside',
    'exported',
    'export broken',
    'died over an export',
    'returned',
    'visit interrupted at swap',
  ])
    assert.ok((tally[what] ?? 0) > 0, `${what} never happened`);
});
