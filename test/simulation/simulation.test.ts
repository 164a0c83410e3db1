import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { programFile } from '../program.ts';

const main = programFile('test/simulation/main.ts');
const execute = promisify(execFile);

/** Runs in each process, of some 50 ms of a processor. Two at a time: one alone is long the last of all tests. */
const runsPerProcess = 250;
const processes = 4;

/** Each has failed once. */
const knownSeeds = {
  1672: 'a failure that is written without an answer keeps its reason',
  3137: 'a removal that is asked for while the clock is ahead for a moment is not left until the next planned visit',
  3452: 'nor is such an update, of which no process hears',
  6583: 'a deployment may end while everybody is visited once more',
};

const { BERTH_SIMULATION_SEED: seed, BERTH_SIMULATION_RUNS: runs } = process.env;
const isChosen = seed !== undefined || runs !== undefined;

test('whatever goes wrong, every deployment ends as it should, and nothing is left behind', async (t) => {
  const tally: Record<string, number> = {};
  await describe('runs', { concurrency: 2 }, () => {
    for (let index = 0; index < (isChosen ? 1 : processes); index++)
      test(isChosen ? 'as chosen' : `from seed ${1 + index * runsPerProcess}`, async (part) => {
        const first = {
          BERTH_SIMULATION_SEED: `${1 + index * runsPerProcess}`,
          BERTH_SIMULATION_RUNS: `${runsPerProcess}`,
        };
        const env = { ...process.env, ...(!isChosen && first) };
        // Its words tell which run has failed, and how.
        const { stdout, stderr } = await execute(process.execPath, [main], { env, maxBuffer: 2 ** 26 });
        part.diagnostic(stderr);
        for (const [what, count] of Object.entries(JSON.parse(stdout) as Record<string, number>))
          tally[what] = (tally[what] ?? 0) + count;
      });
  });
  t.diagnostic(JSON.stringify(tally));
  // Where nothing happens, nothing is proven.
  if (isChosen) return;
  const blows = ['death', 'freeze', 'fault', 'slow', 'hang', 'asked', 'overtaken'].map((kind) => `blow ${kind}`);
  const endings = ['running', 'failed', 'expired'].map((state) => `ends ${state}`);
  for (const what of [
    ...blows,
    ...endings,
    'lost write',
    'lost answer',
    'lost reply',
    'late read',
    'leases overlap',
    'act claim',
    'act stall',
    'late pull',
    'events forgotten',
  ])
    assert.ok((tally[what] ?? 0) > 0, `${what} never happened`);
});

for (const [seed, title] of Object.entries(knownSeeds))
  test(`seed ${seed}: ${title}`, async () => {
    const env = { ...process.env, BERTH_SIMULATION_SEED: seed, BERTH_SIMULATION_RUNS: '1' };
    await execute(process.execPath, [main], { env, maxBuffer: 2 ** 26 });
  });
