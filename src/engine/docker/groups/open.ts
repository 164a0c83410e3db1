/** Whether the control groups of the engine's containers are ours to keep on this machine. */
import { hostname, release } from 'node:os';
import type Docker from 'dockerode';
import { isLocal } from '../host/host-facts.ts';
import { createGroups, type Groups } from './groups.ts';
import { openKernel } from './kernel.ts';
import { type GroupDriver, usualLimit } from './layout.ts';

export type GroupWishes = {
  owner: string;
  controlGroups: 'auto' | 'off';
  /** What all deployments may hold; absent: as much as leaves the machine enough. */
  memory?: { share: number } | { bytes: number } | undefined;
  shares: number;
  startsIdle: boolean;
};

export type FoundGroups = { groups: Groups; obstacle?: undefined } | { groups?: undefined; obstacle: string };

/** What the engine says of itself, as far as it decides where containers run. */
type Info = { CgroupDriver?: string; KernelVersion?: string; Name?: string; MemTotal: number };

/** The groups, or why there are none, for the operator. */
export async function openGroups(docker: Docker, wishes: GroupWishes): Promise<FoundGroups> {
  if (wishes.controlGroups === 'off') return { obstacle: 'BERTH_CONTROL_GROUPS is off' };
  if (!isLocal(docker)) return { obstacle: 'the container engine is on another machine' };
  if (process.getuid?.() !== 0) return { obstacle: 'the service does not run as root' };
  const info = (await docker.info()) as Info;
  if (info.KernelVersion !== release() || info.Name !== hostname())
    return { obstacle: 'the container engine runs in a machine of its own' };
  const driver = info.CgroupDriver;
  if (!isDriver(driver)) return { obstacle: `the container engine keeps no control groups (${driver})` };
  const kernel = await openKernel();
  if (!kernel) return { obstacle: 'the kernel shows no control groups of memory at /sys/fs/cgroup' };
  const limitBytes = limitOf(wishes.memory, info.MemTotal);
  const { owner, shares, startsIdle } = wishes;
  const groups = createGroups({ owner, driver, kernel, limitBytes, shares, startsIdle });
  try {
    await tryOut(groups, driver);
  } catch (error) {
    const { message, cause } = error as Error;
    return { obstacle: `they cannot be made on this machine (${cause instanceof Error ? cause.message : message})` };
  }
  return { groups };
}

/** No deployment is called this, so the sweep removes what a kill leaves of it. */
const trialId = 'trial';

/** Where the kernel's folders cannot be written to, as in a container, each start would fail. Throws EngineFault. */
async function tryOut(groups: Groups, driver: GroupDriver): Promise<void> {
  await groups.ensure(trialId);
  // With systemd no group is made before its first container.
  if (driver === 'cgroupfs') await groups.remove(trialId);
}

function isDriver(driver: string | undefined): driver is GroupDriver {
  return driver === 'cgroupfs' || driver === 'systemd';
}

function limitOf(wanted: GroupWishes['memory'], machineBytes: number): number {
  if (!wanted) return usualLimit(machineBytes);
  return 'bytes' in wanted ? wanted.bytes : Math.floor(machineBytes * wanted.share);
}
