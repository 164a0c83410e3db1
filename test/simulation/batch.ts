/** Batches of simulated runs for the tests, and what must happen in a batch for it to prove anything. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { programFile } from '../program.ts';

const main = programFile('test/simulation/main.ts');
const execute = promisify(execFile);

const happenings = [
  ...['death', 'freeze', 'fault', 'slow', 'hang', 'asked', 'overtaken'].map((kind) => `blow ${kind}`),
  ...['running', 'failed', 'expired'].map((state) => `ends ${state}`),
  ...['lost write', 'lost answer', 'lost reply', 'late read', 'leases overlap', 'act claim', 'act stall'],
  ...['late pull', 'events forgotten'],
];

/** How often each kind of event happened. */
export type Tally = Record<string, number>;

/**
 * Runs the simulation once for each of `runs` seeds from `first` on, in a process of its own. Without arguments, the
 * environment chooses. Rejects if a run fails; the error contains the shortest story that fails.
 */
export async function simulate(chosen?: { first: number; runs: number }): Promise<{ tally: Tally; summary: string }> {
  const env = {
    ...process.env,
    ...(chosen && { BERTH_SIMULATION_SEED: `${chosen.first}`, BERTH_SIMULATION_RUNS: `${chosen.runs}` }),
  };
  const { stdout, stderr } = await execute(process.execPath, [main], { env, maxBuffer: 2 ** 26 });
  return { tally: JSON.parse(stdout) as Tally, summary: stderr };
}

/** Asserts that every kind of fault and every end of a deployment happened. */
export function assertEventful(tallies: readonly Tally[]): void {
  for (const what of happenings)
    assert.ok(
      tallies.some((tally) => (tally[what] ?? 0) > 0),
      `${what} never happened`,
    );
}
