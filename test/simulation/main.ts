/**
 * Runs the simulation, in a process of its own: the test runner follows every promise, which takes as long again.
 * BERTH_SIMULATION_RUNS: how many; BERTH_SIMULATION_SEED: the first of their seeds. Alone, it is the one run to repeat.
 */
import fc from 'fast-check';
import { randomFrom } from '../random.ts';
import { createBase } from './base.ts';
import { run } from './run.ts';
import { describeStory, type Story, story } from './story.ts';

/** Some 50 s of a processor: a run takes 50 ms, most of it in its 380 statements to the store (measured). */
const usualRuns = 1_000;
/** One mistake fails many runs. */
const maxFailures = 3;
/** For the search of a shorter story. */
const shrinkMs = 30_000;

const { BERTH_SIMULATION_RUNS: runs, BERTH_SIMULATION_SEED: seed } = process.env;
const first = Number(seed ?? 1);
const count = Number(runs ?? (seed === undefined ? usualRuns : 1));

const base = await createBase();
/** How often what has happened: a simulation in which nothing happens proves nothing. */
const tally: Record<string, number> = {};
const note = (what: string) => {
  tally[what] = (tally[what] ?? 0) + 1;
};

let failed = 0;
let number = first;
while (number < first + count && failed < maxFailures) if (!(await holds(number++))) failed++;
const { user, system } = process.cpuUsage();
const seconds = ((user + system) / 1e6).toFixed(0);
console.error(`${number - first} runs from seed ${first}, ${failed} failed, ${seconds} s of a processor`);
console.log(JSON.stringify(tally));
process.exitCode = failed === 0 ? 0 : 1;

/** Whether a run is correct. Prints the shortest failing story, with its events. */
async function holds(number: number): Promise<boolean> {
  let failedAt: number | undefined;
  const property = fc.asyncProperty(fc.noBias(story), async (story) => {
    // The search alone has an end: the first run takes as long as it takes, also on a busy machine.
    if (failedAt !== undefined && performance.now() - failedAt > shrinkMs) return;
    await run(story, base, { note }).catch((error) => {
      failedAt ??= performance.now();
      throw error;
    });
  });
  // Seeds side by side make stories that are alike.
  const mixed = Math.floor(randomFrom(number)() * 2 ** 32);
  const { failed, counterexample } = await fc.check(property, { numRuns: 1, seed: mixed });
  if (failed) await report(number, counterexample![0]);
  return !failed;
}

async function report(number: number, shortest: Story): Promise<void> {
  const happened: string[] = [];
  const error = await run(shortest, base, { note() {}, report: (line) => happened.push(line) }).catch(
    (error: Error) => error,
  );
  console.error(`BERTH_SIMULATION_SEED=${number} node test/simulation/main.ts\n${describeStory(shortest)}\n`);
  console.error(`${happened.slice(-200).join('\n')}\n${error ? error.stack : 'It has not failed again.'}\n`);
}
