/** The run time of the packaged command, compared with Node alone. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildPackage } from '../scripts/cli/build.ts';

const run = promisify(execFile);

/** Milliseconds of each run. */
export type CommandTimes = { node: number[]; help: number[]; validate: number[] };

/** In turns: what disturbs one of them for a while disturbs all. */
export async function measureCommandLine(runs: number, file: string, signal: AbortSignal): Promise<CommandTimes> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-bench-'));
  const times: CommandTimes = { node: [], help: [], validate: [] };
  try {
    const built = join(folder, 'berth');
    await buildPackage(built);
    const program = join(built, 'berth.mjs');
    for (let count = 0; count < runs; count++) {
      times.node.push(await timed(['--eval', '0'], signal));
      times.help.push(await timed([program, '--help'], signal));
      times.validate.push(await timed([program, 'validate', file], signal));
    }
    return times;
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function timed(argv: string[], signal: AbortSignal): Promise<number> {
  const startedMs = performance.now();
  await run(process.execPath, argv, { signal });
  return performance.now() - startedMs;
}
