import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { until } from '../../test/scenarios/berth.ts';
import { yieldCpu } from './run-restic.ts';

/** The numbers of sched(7). */
const [other, idle] = [0, 5];

test('a program gets what others leave of the processors, and a share again where it lasts', async () => {
  const child = spawn('sleep', ['600']);
  try {
    const isScheduled = async (policy: number) => (await policyOf(child.pid!)) === policy;
    yieldCpu(child);
    await until('it yields the processor', () => isScheduled(idle!));
    yieldCpu(child, 1);
    await until('it has a share', () => isScheduled(other!));
  } finally {
    child.kill();
    await once(child, 'exit');
  }
});

/** The 41st field of its status; the second, its name, has no blank here. */
async function policyOf(pid: number): Promise<number> {
  return Number((await readFile(`/proc/${pid}/stat`, 'utf8')).split(' ')[40]);
}
