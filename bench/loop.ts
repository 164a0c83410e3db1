/**
 * The cost of the control loop with a growing number of live deployments. Each number runs in a process of its own, on
 * SQLite and on a PostgreSQL of the benchmark's own.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopEdge } from '../src/edge/haproxy/haproxy.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { freePort } from './service.ts';
import { thorough } from './store.ts';
import type { Undo } from './undo.ts';

export type LoopOptions = {
  /** The first one is what the others are compared with. */
  deployments: readonly number[];
  idleSeconds: number;
  /** Started one after another, while the others run. */
  starts: number;
  stores: readonly LoopStore[];
};

export const loopStores = ['sqlite', 'postgresql'] as const;
export type LoopStore = (typeof loopStores)[number];

export type LoopTask = Omit<LoopOptions, 'deployments' | 'stores'> & {
  deployments: number;
  dataDir: string;
  port: number;
  /** Absent: SQLite. `folder`: where its data is, by which its processes are known. */
  postgres?: { url: string; folder: string };
};

export type LoopCost = {
  database: 'SQLite' | 'PostgreSQL';
  deployments: number;
  /** The idle share of one processor: polls, a survey each half a minute, and due visits. */
  idleShare: number;
  /** The same, of the processes of PostgreSQL. */
  serverShare: number;
  /** Share of one processor for health checks of as many pods, each checked every second and healthy; up to 10,000. */
  checksShare: number;
  /** The time of a visit without work, of up to a thousand concurrent ones. */
  visitMs: number;
  /** The times of surveys with their sweeps. */
  surveyMs: number[];
  /** From the insertion of the rows that a start writes until the edge has its route. */
  liveMs: number[];
  /** The processor time of the process, including the in-memory engine with its workloads. */
  residentBytes: number;
  /** The share of each deployment. */
  bytesEach: number;
};

const program = join(import.meta.dirname, 'loop-process.ts');

export async function measureLoop(
  { deployments, stores, ...rest }: LoopOptions,
  say: (line: string) => void,
  undo: Undo,
  signal: AbortSignal,
): Promise<LoopCost[]> {
  const costs: LoopCost[] = [];
  const measure = async (count: number, postgres?: LoopTask['postgres']) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'berth-bench-'));
    undo.add(`remove ${dataDir}`, () => rm(dataDir, { recursive: true, force: true }));
    undo.add('stop HAProxy', () => stopEdge(dataDir));
    await chmod(dataDir, 0o711);
    const task = { ...rest, deployments: count, dataDir, port: await freePort(), ...(postgres && { postgres }) };
    const cost = await measureOne(task, signal);
    costs.push(cost);
    await stopEdge(dataDir);
    say(`${count} deployments have been measured on ${cost.database}`);
  };
  if (stores.includes('sqlite')) for (const count of deployments) await measure(count);
  if (!stores.includes('postgresql')) return costs;
  const server = await startPostgres({ settings: thorough });
  undo.add('end PostgreSQL', async () => await server[Symbol.asyncDispose]());
  for (const count of deployments) {
    await server.ask(`create database loop${count}`);
    await measure(count, { url: server.url(`loop${count}`), folder: server.folder });
  }
  return costs;
}

async function measureOne(task: LoopTask, signal: AbortSignal): Promise<LoopCost> {
  const child = fork(program, [JSON.stringify(task)], { signal, stdio: ['ignore', 2, 2, 'ipc'] });
  const ended = once(child, 'exit').then(([code]): never => {
    throw new Error(`The process with ${task.deployments} deployments ended with code ${code}.`);
  });
  const [cost] = await Promise.race([once(child, 'message'), ended]);
  await ended.catch(() => {});
  return cost as LoopCost;
}
