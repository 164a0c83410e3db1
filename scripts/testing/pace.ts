/**
 * How many test files run at once. Most of their time is spent waiting for containers, and their processor use varies:
 * a fixed number leaves processors idle at one time and overloads them at another.
 */
import { availableParallelism, cpus, freemem } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

export type Pace = {
  /** The minimum number. More slow the engine down while the machine is busy. */
  least: number;
  most: number;
  /** Resolves after some time with whether the machine was idle for a part of it. */
  hasRoom: () => Promise<boolean>;
};

const lookMs = 500;
/** The idle share of all processors together. */
const idleShare = 0.1;
/** More than any test file uses with its services, including Chromium. */
const freeBytes = 2 * 2 ** 30;

export const paceOfMachine: Pace = {
  least: Math.min(8, availableParallelism() * 4),
  most: Math.min(16, availableParallelism() * 8),
  async hasRoom() {
    const before = processorTimes();
    await delay(lookMs);
    const { idle, all } = processorTimes();
    return idle - before.idle > (all - before.all) * idleShare && freemem() > freeBytes;
  },
};

/** Returns all results. The tasks start in their order. */
export async function atPace<T>(works: readonly (() => Promise<T>)[], { least, most, hasRoom }: Pace): Promise<T[]> {
  const answers: Promise<T>[] = [];
  let running = 0;
  for (const work of works) {
    while (running >= least) if ((await hasRoom()) && running < most) break;
    running++;
    answers.push(work().finally(() => running--));
  }
  return await Promise.all(answers);
}

function processorTimes(): { idle: number; all: number } {
  const times = cpus().map(({ times }) => times);
  const idle = times.reduce((sum, { idle }) => sum + idle, 0);
  const all = times.reduce((sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq, 0);
  return { idle, all };
}
