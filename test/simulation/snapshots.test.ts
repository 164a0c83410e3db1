/**
 * Snapshots, restores in place and as new deployments, exports and the grace, with a service that is killed at any
 * call, and an engine or place that fails at any call: an application always starts with data of one instant, all work
 * ends, and it leaves nothing behind. `BERTH_SNAPSHOT_RUNS` is the number of stories, `BERTH_SNAPSHOT_SEED` the first
 * one.
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
