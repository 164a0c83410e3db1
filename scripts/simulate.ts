/**
 * `npm run simulate`: many more runs of the simulation than the tests do, on all processors, with a line for each part
 * and for each run that fails. `--seeds 10000`: how many; `--from 1`: the first of them.
 */
import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { partsOf } from './testing/seed-parts.ts';

const usualSeeds = '10000';
/** One process needs about ten seconds for this number of seeds. */
const seedsPerPart = 200;
const main = join(import.meta.dirname, '../test/simulation/main.ts');

const { seeds, from } = readOptions();

const waiting = partsOf({ from, seeds, most: seedsPerPart });
const failed: string[] = [];
let done = 0;
await Promise.all(Array.from({ length: availableParallelism() }, work));
console.log(failed.length === 0 ? `${seeds} seeds from ${from}: all hold` : `Failed, each to be run again alone:`);
for (const words of failed) console.log(`  ${words}`);
process.exitCode = failed.length === 0 ? 0 : 1;

function readOptions(): { seeds: number; from: number } {
  try {
    const { values } = parseArgs({
      options: { seeds: { type: 'string', default: usualSeeds }, from: { type: 'string', default: '1' } },
    });
    const [seeds, from] = [values.seeds, values.from].map(Number) as [number, number];
    if (Number.isSafeInteger(seeds) && seeds > 0 && Number.isSafeInteger(from) && from >= 0) return { seeds, from };
  } catch {
    // Unknown arguments, including --help.
  }
  console.error('Write: npm run simulate -- --seeds 10000 --from 1');
  process.exit(2);
}

async function work(): Promise<void> {
  for (let part = waiting.shift(); part; part = waiting.shift()) {
    const env = {
      ...process.env,
      BERTH_SIMULATION_SEED: String(part.from),
      BERTH_SIMULATION_RUNS: String(part.seeds),
    };
    const ran = promisify(execFile)(process.execPath, [main], { env, maxBuffer: 2 ** 26 });
    const { stderr } = await ran.catch((error: { stderr: string; message: string }) => {
      const again = error.stderr.match(/^BERTH_SIMULATION_SEED=\d+ node .*$/gm);
      failed.push(...(again ?? [`${error.message.split('\n')[0]}, from seed ${part.from}`]));
      return error;
    });
    done += part.seeds;
    process.stderr.write(`${done} of ${seeds}, ${failed.length} failed: ${stderr.trim()}\n`);
  }
}
