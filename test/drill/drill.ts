/**
 * The fault drill, `npm run drill -- [--json] [WORDS]`: faults against a real Berth that it starts, each with the
 * acknowledged writes that are lost, the time until recovered, and what is seen. Words choose faults by their names.
 * It ends with 1 if something is lost or does not recover.
 */
import { parseArgs } from 'node:util';
import { createBerth } from '../scenarios/berth.ts';
import { engineFaults } from './engine-faults.ts';
import { runFault } from './fault.ts';
import { choose, type FaultResult, hasPassed, printFaults } from './fault-table.ts';
import { placedFaults, sceneOn } from './place-faults.ts';
import { serviceFaults } from './service-faults.ts';
import { storeFaults } from './store-faults.ts';

const { values, positionals } = parseArgs({ options: { json: { type: 'boolean' } }, allowPositionals: true });

/** The clock last: it stays wrong. */
const shared = choose([...engineFaults, ...storeFaults, ...serviceFaults], positionals);
const placed = choose(placedFaults, positionals);

const results: FaultResult[] = [];
async function note(name: string, run: () => Promise<FaultResult>): Promise<void> {
  const result = await run().catch(
    (error: Error): FaultResult => ({
      fault: name,
      acknowledged: 0,
      lost: 0,
      recoveredMs: null,
      message: error.message,
    }),
  );
  results.push(result);
  process.stderr.write(`${hasPassed(result) ? 'well' : 'FAILED'}: ${name}\n`);
}

for (const { name, run } of placed) await note(name, run);
if (shared.length > 0) {
  const berth = await createBerth({}, { isHooked: true, store: 'sqlite' });
  try {
    const scene = await sceneOn(berth);
    for (const fault of shared) await note(fault.name, () => runFault(fault, scene));
  } finally {
    await berth.destroy();
  }
}
process.stdout.write(values.json ? `${JSON.stringify(results, null, 2)}\n` : printFaults(results));
process.exit(results.length > 0 && results.every(hasPassed) ? 0 : 1);
