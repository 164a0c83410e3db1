/**
 * Containers that compute constantly yield the processor to others, see `cpu-priority.ts`. During an attack, the 99th
 * percentile of a neighbor's response times was 1.3 to 4.1 times the idle value without this (three runs), and 1.5 and
 * 1.8 times with it (two runs; two busy processors). Only the kernel stores whether a container yields.
 */
import { cpus } from 'node:os';
import type Docker from 'dockerode';
import { runRounds } from '../../../lib/rounds.ts';
import { labelSelector } from '../../labels.ts';
import { orAbsent } from '../faults.ts';
import { type ControlGroup, findControlGroup, isYielding, setYielding, usedMsOf } from '../groups/container-group.ts';
import { type CpuDemand, mustYield, updateDemand } from './cpu-priority.ts';

/**
 * An attack holds the processor until it is distinguished from a start. This period adds at most one second to that.
 */
const lookEveryMs = 1_000;

/** Below this share of the machine, containers do not delay each other, and the engine is not queried. */
const busyShare = 0.2;

export type ProcessorWatchOptions = {
  owner: string;
  log: { info(fields: object, message: string): void; error(fields: object, message: string): void };
};

/** Measures once a second until the abort. Resolves when the last measurement has ended. */
export async function watchProcessor(docker: Docker, options: ProcessorWatchOptions, stop: AbortSignal): Promise<void> {
  const look = createProcessorCheck(docker, options);
  const isBusy = createBusy();
  /** The previous service may have left yielding containers. */
  let givingWay: number | undefined;
  const { ended } = runRounds({
    name: 'processor',
    everyMs: lookEveryMs,
    signal: stop,
    async work() {
      if (isBusy() || givingWay !== 0) givingWay = await look();
    },
    onFault: (err) => options.log.error({ err }, 'the CPU use cannot be read; trying again'),
  });
  await ended;
}

/** The state of a container that is remembered between looks. */
type Known = { group: ControlGroup; limitMillis: number; appetite?: CpuDemand };

/**
 * Returns a function that makes one measurement, remembers the previous ones, and returns the number of yielding
 * containers.
 */
export function createProcessorCheck(
  docker: Docker,
  { owner, log }: ProcessorWatchOptions,
  uptime = () => performance.now(),
): () => Promise<number> {
  const known = new Map<string, Known>();

  async function learn(id: string): Promise<Known | undefined> {
    const container = await orAbsent(docker.getContainer(id).inspect());
    const group = container && (await findControlGroup(container.State.Pid, id));
    // Containers of ours have a limit, from their first start on.
    return group && { group, limitMillis: (container.HostConfig.NanoCpus ?? 0) / 1e6 };
  }

  /** Returns whether the container yields now. */
  async function follow(one: Known, workload: string | undefined): Promise<boolean> {
    const before = await isYielding(one.group);
    one.appetite = updateDemand(one.appetite, { usedMs: await usedMsOf(one.group), atMs: uptime() }, one.limitMillis);
    const after = mustYield(one.appetite, before);
    if (after === before) return after;
    await setYielding(one.group, after);
    log.info(
      { workload },
      after ? 'workload yields CPU to others because of continuous use' : 'workload has its normal CPU priority again',
    );
    return after;
  }

  return async () => {
    const running = await docker.listContainers({ filters: { label: labelSelector(owner) } });
    const ids = new Set(running.map(({ Id }) => Id));
    for (const id of known.keys()) if (!ids.has(id)) known.delete(id);
    let givingWay = 0;
    for (const { Id, Names } of running) {
      const one = known.get(Id) ?? (await learn(Id));
      if (!one) continue;
      known.set(Id, one);
      try {
        if (await follow(one, Names[0]?.slice(1))) givingWay += 1;
      } catch (error) {
        // The container has ended, or the kernel does not know the policy.
        if (!isGone(error)) throw error;
      }
    }
    return givingWay;
  };
}

function isGone(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENODEV';
}

type Times = { idle: number; all: number };

/** Returns whether the machine was busy since the previous call; true at the first call. */
function createBusy(): () => boolean {
  let before: Times = { idle: 0, all: 0 };
  return () => {
    const now = machineTimes();
    const idleShare = (now.idle - before.idle) / Math.max(now.all - before.all, 1);
    before = now;
    return 1 - idleShare > busyShare;
  };
}

function machineTimes(): Times {
  const times = cpus().map(({ times }) => times);
  const idle = times.reduce((sum, each) => sum + each.idle, 0);
  return { idle, all: times.reduce((sum, { user, nice, sys, irq }) => sum + user + nice + sys + irq, idle) };
}
