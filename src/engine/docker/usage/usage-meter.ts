/**
 * Workload usage, read from four kernel files per container without the engine. The list of running containers is only
 * queried after an event of the engine, and each started container is inspected once.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type Docker from 'dockerode';
import type { Used, WorkloadUse } from '../../../deployment/metrics/use.ts';
import type { UsageMeter } from '../../engine.ts';
import { labelSelector, readWorkloadLabels } from '../../labels.ts';
import type { Events } from '../engine-events.ts';
import { orAbsent } from '../faults.ts';
import { type ControlGroup, findControlGroup, usageFile } from '../groups/container-group.ts';
import { computedMs, heldBytes, networkBytes } from '../groups/kernel-numbers.ts';
import type { LoopVolumes } from '../volumes/loop-volumes.ts';

/** For events that were missed. */
const listEveryMs = 60_000;

/** Number of containers read without yielding to other work: 2 ms (measured). */
const atOnce = 25;

export type UsageMeterOptions = {
  owner: string;
  loops: LoopVolumes | undefined;
  events: Pick<Events, 'mark' | 'hasChangedSince' | 'isListening'>;
  uptime: () => number;
  /** The location of the kernel's groups and processes. Default: the usual one. */
  machine?: { root?: string; processes?: string };
};

/** Facts that are constant during one start of a container. */
type Running = Omit<WorkloadUse, keyof Used> & { pid: number; group: ControlGroup };

export function createUsageMeter(docker: Docker, options: UsageMeterOptions): UsageMeter {
  const { owner, loops, events, uptime, machine = {} } = options;
  const running = new Map<string, Running>();
  let listed: { mark: number; atMs: number } | undefined;
  let isMissingSome = false;

  async function list(): Promise<void> {
    const mark = events.mark();
    const before = listed?.mark ?? -1;
    const isHeard = listed !== undefined && events.isListening();
    if (isHeard && !isMissingSome && before === mark && uptime() - listed!.atMs < listEveryMs) return;
    const containers = await docker.listContainers({ filters: { label: labelSelector(owner), status: ['running'] } });
    const present = new Set(containers.map(({ Id }) => Id));
    for (const id of running.keys()) if (!present.has(id)) running.delete(id);
    for (const { Id: id } of containers) {
      const known = running.get(id);
      if (known && isHeard && !events.hasChangedSince(known.deploymentId, before)) continue;
      const found = await learn(docker, id, machine);
      if (found) running.set(id, found);
      else running.delete(id);
    }
    listed = { mark, atMs: uptime() };
    isMissingSome = false;
  }

  return {
    async workloads() {
      await list();
      const uses: WorkloadUse[] = [];
      const faults: unknown[] = [];
      for (const [index, [id, { pid, group, ...known }]] of [...running].entries()) {
        if (index % atOnce === atOnce - 1) await turn();
        try {
          const used = readUsed(pid, group, machine.processes);
          if (used) uses.push({ ...known, ...used });
          else {
            // The container has ended or was restarted. Its event will follow.
            running.delete(id);
            isMissingSome = true;
          }
        } catch (error) {
          faults.push(error);
        }
      }
      // An unreadable container is skipped and does not affect the others.
      if (uses.length === 0 && faults.length > 0) throw faults[0];
      return uses;
    },

    async volumes() {
      return ((await loops?.usages()) ?? []).map(({ deploymentId, volume, usedBytes, freeBytes }) => ({
        deploymentId,
        volume,
        usedBytes,
        sizeBytes: usedBytes + freeBytes,
      }));
    },
  };
}

/** Undefined if the container has ended, is not a workload, or runs on another machine. */
async function learn(
  docker: Docker,
  id: string,
  machine: NonNullable<UsageMeterOptions['machine']>,
): Promise<Running | undefined> {
  const inspected = await orAbsent(docker.getContainer(id).inspect());
  const labels = inspected && readWorkloadLabels(inspected.Config.Labels);
  if (!labels || inspected.State.Pid === 0) return undefined;
  const { State, HostConfig } = inspected;
  const group = await findControlGroup(State.Pid, id, machine);
  if (!group) return undefined;
  const { deploymentId, pod, revision, replica } = labels;
  const { NanoCpus: nanoCpus = 0, Memory: memoryLimitBytes = 0 } = HostConfig;
  return {
    deploymentId,
    pod,
    revision,
    replica,
    group,
    pid: State.Pid,
    startedAt: Date.parse(State.StartedAt),
    ...(nanoCpus > 0 && { cpuLimitMillis: nanoCpus / 1e6 }),
    ...(memoryLimitBytes > 0 && { memoryLimitBytes }),
  };
}

/**
 * Undefined if the process has ended. Throws if its files cannot be read. Synchronous, because these files are in the
 * kernel's memory and never wait for a disk. Through the thread pool, each would cost four times as much (measured).
 */
function readUsed(pid: number, { accounting, memory, version }: ControlGroup, processes = '/proc'): Used | undefined {
  const read = (...path: [string, ...string[]]) => readFileSync(join(...path), 'latin1');
  try {
    const held = version === 1 ? 'memory.usage_in_bytes' : 'memory.current';
    return {
      cpuMs: computedMs(version, read(accounting, usageFile(version))),
      memoryBytes: heldBytes(version, read(memory, held), read(memory, 'memory.stat')),
      ...networkBytes(read(processes, `${pid}`, 'net', 'dev')),
    };
  } catch (error) {
    if (['ENOENT', 'ENODEV', 'ESRCH', 'EINVAL'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
