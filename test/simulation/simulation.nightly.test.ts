/** A thousand simulated lives of a deployment, with other seeds every night. */
import { describe, test } from 'node:test';
import { assertEventful, simulate, type Tally } from './batch.ts';

const processes = 4;
const runsPerProcess = 250;

/** The number of the day, so that a failed night can be repeated with `npm run simulate`. */
const day = Math.floor(Date.now() / 86_400_000);

test('in spite of faults, a thousand deployments end as they should, without leftovers', async (t) => {
  const tallies: Tally[] = [];
  // Two at a time: one alone would be long the last of all tests.
  await describe('runs', { concurrency: 2 }, () => {
    for (let index = 0; index < processes; index++) {
      const first = day * 1_000 + index * runsPerProcess;
      test(`from seed ${first}`, async (part) => {
        const { tally, summary } = await simulate({ first, runs: runsPerProcess });
        part.diagnostic(summary);
        tallies.push(tally);
      });
    }
  });
  t.diagnostic(JSON.stringify(tallies));
  assertEventful(tallies);
});
