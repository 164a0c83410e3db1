/** 250 simulated lives of a deployment, and the seeds that have failed once. The nightly file runs a thousand more. */
import { test } from 'node:test';
import { assertEventful, simulate } from './batch.ts';

/** Each has failed once. */
const knownSeeds = {
  1672: 'a failure that is written without an answer keeps its reason',
  3137: 'a removal during a clock jump is not delayed until the next planned visit',
  3452: 'an update in the same moment, without a notification, is not delayed until the next planned visit',
  6583: 'a deployment may end during the last round of visits',
};

const { BERTH_SIMULATION_SEED: seed, BERTH_SIMULATION_RUNS: runs } = process.env;

test('in spite of faults, every deployment ends as it should, without leftovers', async (t) => {
  const isChosen = seed !== undefined || runs !== undefined;
  const { tally, summary } = await simulate(isChosen ? undefined : { first: 1, runs: 250 });
  t.diagnostic(summary);
  t.diagnostic(JSON.stringify(tally));
  if (!isChosen) assertEventful([tally]);
});

for (const [seed, title] of Object.entries(knownSeeds))
  test(`seed ${seed}: ${title}`, async () => {
    await simulate({ first: Number(seed), runs: 1 });
  });
