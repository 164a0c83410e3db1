/**
 * The watch on the processor: containers that compute all the time give way to those that answer visitors, see
 * `giving-way.ts`. Whether one does is kept in the kernel alone, where the next service finds it.
 */
import { cpus } from 'node:os';
import type Docker from 'dockerode';
import { runRounds } from '../../../lib/rounds.ts';
import { labelKeys, labelSelector } from '../../labels.ts';
import { orAbsent } from '../faults.ts';
import type { Groups } from '../groups/groups.ts';
import { type ControlGroup, findControlGroup, givesWay, letGiveWay, usedMsOf } from './control-groups.ts';
import { type Appetite, followAppetite, mustGiveWay } from './giving-way.ts';

/** An attack has the processor until it is told apart from a start: the looks add at most one second to that. */
const lookEveryMs = 1_000;

/** Below this share of the machine nobody is in anybody's way, and the engine is not asked what runs. */
const busyShare = 0.2;

/** A deployment that began behind the others has shown by then whether it computes all the time. */
const startMs = 5_000;

export type ProcessorWatchOptions = {
  owner: string;
  /** The control groups of deployments, where they are ours. */
  groups?: Pick<Groups, 'pathOf' | 'kernel'> | undefined;
  /** Told after each look how many containers give way. */
  report: (count: number) => void;
  log: { info(fields: object, message: string): void; error(fields: object, message: string): void };
};

/** Looks once a second until the abort; resolves when the last look has ended. */
export async function watchProcessor(docker: Docker, options: ProcessorWatchOptions, stop: AbortSignal): Promise<void> {
  const { report, log } = options;
  const look = createProcessorLook(docker, options);
  const isBusy = createBusy();
  /** A service before this one may have left some. */
  let givingWay: number | undefined;
  const { ended } = runRounds({
    name: 'processor',
    everyMs: lookEveryMs,
    signal: stop,
    async work() {
      if (!isBusy() && givingWay === 0) return;
      givingWay = await look();
      report(givingWay);
    },
    onFault: (err) => log.error({ err }, 'the use of the processor cannot be read; trying again'),
  });
  await ended;
}

/** What is remembered of a container from one look to the next. */
type Known = { group: ControlGroup; limitMillis: number; seenAtMs: number; appetite?: Appetite };

/** One look, which remembers those before it; how many containers give way after it. */
export function createProcessorLook(
  docker: Docker,
  { owner, groups, log }: Omit<ProcessorWatchOptions, 'report'>,
  uptime = () => performance.now(),
): () => Promise<number> {
  const known = new Map<string, Known>();

  async function learn(id: string): Promise<Known | undefined> {
    const container = await orAbsent(docker.getContainer(id).inspect());
    const group = container && (await findControlGroup(container.State.Pid, id));
    if (!group) return undefined;
    // Containers of ours have a limit, from their first start on.
    return { group, limitMillis: (container.HostConfig.NanoCpus ?? 0) / 1e6, seenAtMs: uptime() };
  }

  /** Whether it gives way now. */
  async function follow(one: Known, workload: string | undefined): Promise<boolean> {
    const before = await givesWay(one.group);
    one.appetite = followAppetite(one.appetite, { usedMs: await usedMsOf(one.group), atMs: uptime() }, one.limitMillis);
    const after = mustGiveWay(one.appetite, before);
    if (after === before) return after;
    await letGiveWay(one.group, after);
    log.info({ workload }, after ? 'workload gives way to others: it computes all the time' : 'workload is calm again');
    return after;
  }

  /** Groups are weighed against those beside them: among deployments, a whole one gives way or does not. */
  async function followDeployment(deploymentId: string, ones: readonly { one: Known; isBehind: boolean }[]) {
    if (!groups) return;
    const path = groups.pathOf(deploymentId);
    // What an earlier release has started is in the engine's group, beside the others.
    const inside = ones.filter(({ one }) => one.group.processor.includes(`/${path}/`));
    if (inside.length === 0) return;
    const before = await groups.kernel.isIdle(path);
    const isStarting = inside.some(({ one }) => uptime() - one.seenAtMs < startMs);
    const after = inside.some(({ isBehind }) => isBehind) || (before && isStarting);
    if (after !== before) await groups.kernel.setIdle(path, after);
  }

  return async () => {
    const running = await docker.listContainers({ filters: { label: labelSelector(owner) } });
    const ids = new Set(running.map(({ Id }) => Id));
    for (const id of known.keys()) if (!ids.has(id)) known.delete(id);
    let givingWay = 0;
    const deployments = new Map<string, { one: Known; isBehind: boolean }[]>();
    for (const { Id, Names, Labels } of running) {
      const one = known.get(Id) ?? (await learn(Id));
      if (!one) continue;
      known.set(Id, one);
      try {
        const isBehind = await follow(one, Names[0]?.slice(1));
        if (isBehind) givingWay += 1;
        const deploymentId = Labels[labelKeys.deployment] ?? '';
        deployments.set(deploymentId, [...(deployments.get(deploymentId) ?? []), { one, isBehind }]);
      } catch (error) {
        // It has ended meanwhile, or the kernel is older than the policy.
        if (!isGone(error)) throw error;
      }
    }
    for (const [deploymentId, ones] of deployments)
      await followDeployment(deploymentId, ones).catch((error: unknown) => {
        if (!isGone(error)) throw error;
      });
    return givingWay;
  };
}

function isGone(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENODEV';
}

type Times = { idle: number; all: number };

/** Tells whether the machine was busy since the call before; the first time it was. */
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
