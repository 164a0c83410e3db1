/**
 * The control group of an installation's containers. Its limit is below the machine's memory, so what tenants do never
 * makes the machine itself run out of memory.
 */
import { hostname, release } from 'node:os';
import type Docker from 'dockerode';
import { runProgram } from '../../../lib/run-program.ts';
import { EngineFault } from '../../engine.ts';
import { isLocal } from '../host/host-facts.ts';
import { type Kernel, openKernel } from './kernel.ts';
import { type GroupDriver, installationGroup, usualLimit } from './layout.ts';

export type TenantsGroup = {
  /** `CgroupParent` of the containers. */
  readonly parent: string;
  readonly limitBytes: number;
  /** Afterwards the group has its limit, which a restart of the machine may have taken. Throws EngineFault. */
  ensure(): Promise<void>;
  /** Succeeds also if the group does not exist or still has containers. */
  remove(): Promise<void>;
};

/** The memory limit of all deployments; absent: a default that leaves enough to the machine. */
export type TenantsMemory = { share: number } | { bytes: number } | undefined;

export type FoundGroup = { group: TenantsGroup; obstacle?: undefined } | { group?: undefined; obstacle: string };

/** The fields of `docker info` that decide where containers run. */
type Info = { CgroupDriver?: string; KernelVersion?: string; Name?: string; MemTotal: number };

/** Opens and tries the group. `obstacle`: why the group is missing, for the operator. */
export async function openTenantsGroup(docker: Docker, owner: string, memory?: TenantsMemory): Promise<FoundGroup> {
  if (!isLocal(docker)) return { obstacle: 'the container engine is on another machine' };
  if (process.getuid?.() !== 0) return { obstacle: 'the service does not run as root' };
  const info = (await docker.info()) as Info;
  if (info.KernelVersion !== release() || info.Name !== hostname())
    return { obstacle: 'the container engine runs in a machine of its own' };
  const driver = info.CgroupDriver;
  if (driver !== 'cgroupfs' && driver !== 'systemd')
    return { obstacle: `the container engine keeps no control groups (${driver})` };
  const kernel = await openKernel();
  if (!kernel) return { obstacle: 'the kernel shows no control groups of memory at /sys/fs/cgroup' };
  const group = createTenantsGroup({ owner, driver, kernel, limitBytes: limitOf(memory, info.MemTotal) });
  try {
    // If the kernel's folders cannot be written to, as in a container, each start would fail.
    await group.ensure();
  } catch (error) {
    const { message, cause } = error as Error;
    return { obstacle: `it cannot be made on this machine (${cause instanceof Error ? cause.message : message})` };
  }
  return { group };
}

export type TenantsGroupOptions = {
  owner: string;
  driver: GroupDriver;
  kernel: Kernel;
  limitBytes: number;
  /** Runs `systemctl`. */
  run?: (argv: readonly [string, ...string[]]) => Promise<unknown>;
};

/** For the owner of the deployment. */
const hint = "the operator can find the cause in the service's log";

export function createTenantsGroup({
  owner,
  driver,
  kernel,
  limitBytes,
  run = runProgram,
}: TenantsGroupOptions): TenantsGroup {
  const { parent, path } = installationGroup(driver, owner);

  async function ensure(): Promise<void> {
    if (driver === 'cgroupfs') {
      await kernel.make(path);
      return await kernel.setLimit(path, limitBytes);
    }
    const found = await kernel.limitOf(path).catch(unlessAbsent);
    // The kernel counts in pages.
    if (found !== undefined && Math.abs(found - limitBytes) < 4096) return;
    // systemd takes back what others write into its groups.
    await run(['systemctl', 'set-property', '--runtime', parent, `MemoryMax=${limitBytes}`]);
  }

  return {
    parent,
    limitBytes,
    ensure: () =>
      ensure().catch((cause: unknown) => {
        throw new EngineFault('unavailable', 'its control group cannot be made on this machine.', { cause, hint });
      }),
    async remove() {
      if (driver === 'cgroupfs') return await kernel.remove(path);
      // Stopping a slice ends the containers in it.
      if (await kernel.isUsed(path)) return;
      await run(['systemctl', 'stop', parent]).catch(unlessUnknown);
      await run(['systemctl', 'revert', parent]).catch(unlessUnknown);
    },
  };
}

function limitOf(wanted: TenantsMemory, machineBytes: number): number {
  if (!wanted) return usualLimit(machineBytes);
  return 'bytes' in wanted ? wanted.bytes : Math.floor(machineBytes * wanted.share);
}

function unlessUnknown(error: Error): void {
  if (!/not loaded|not found/i.test(error.message)) throw error;
}

function unlessAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
