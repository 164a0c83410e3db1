/**
 * The control group of an installation's containers. Its limit is below the machine's memory, so that tenants never
 * make the machine itself run out of memory.
 */

import { lstat, mkdir, readdir, readFile, rmdir, stat, writeFile } from 'node:fs/promises';
import { hostname, release } from 'node:os';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { foldersIn, ifThere } from '../../../lib/missing-files.ts';
import { runProgram } from '../../../lib/run-program.ts';
import { EngineFault } from '../../engine.ts';
import { isLocal } from '../host/host-facts.ts';
import { parseAmount } from './kernel-numbers.ts';
import { type GroupDriver, installationGroup, usualLimit } from './layout.ts';

export type TenantsGroup = {
  /** `CgroupParent` of the containers. */
  readonly parent: string;
  readonly limitBytes: number;
  /** Makes sure that the group has its limit, which a restart of the machine may have removed. Throws EngineFault. */
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
    return { obstacle: 'the container engine runs in a separate machine' };
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
    const found = await ifThere(kernel.limitOf(path));
    // The kernel counts in pages.
    if (found !== undefined && Math.abs(found - limitBytes) < 4096) return;
    // systemd reverts changes of others in its groups.
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

/** The kernel's control groups as files, of version 1 (a hierarchy for each controller) or 2 (one for all). */

/** Where the kernel shows them, on nearly every machine. */
const usualRoot = '/sys/fs/cgroup';

export type Kernel = {
  /** Afterwards the group exists. */
  make(path: string): Promise<void>;
  /** Removes a group and its subgroups everywhere. Ignores groups that are gone or have processes. */
  remove(path: string): Promise<void>;
  /** Returns whether the group contains groups, which running containers have. */
  isUsed(path: string): Promise<boolean>;
  /** Returns the memory limit of the group. At least 2^62 or Infinity without a limit. */
  limitOf(path: string): Promise<number>;
  setLimit(path: string, bytes: number): Promise<void>;
};

/** Undefined if the machine shows no control groups of memory. */
export async function openKernel(root = usualRoot): Promise<Kernel | undefined> {
  if (await exists(join(root, 'cgroup.controllers'))) return version2(root);
  if (await exists(join(root, 'memory', 'cgroup.procs'))) return version1(root);
  return undefined;
}

async function version1(root: string): Promise<Kernel> {
  const hierarchies = await hierarchiesIn(root);
  const memory = (path: string, file: string) => join(root, 'memory', path, file);
  return {
    // The engine creates it in the other hierarchies.
    async make(path) {
      // Before Linux 5.11, a limit applies to child groups only if this was set before there were any.
      if ((await mkdir(join(root, 'memory', path), { recursive: true })) !== undefined)
        await writeFile(memory(path, 'memory.use_hierarchy'), '1').catch(() => {});
    },
    remove: async (path) => {
      for (const hierarchy of hierarchies) await removeFrom(hierarchy, path);
    },
    isUsed: async (path) => (await foldersIn(join(root, 'memory', path))).length > 0,
    limitOf: async (path) => parseAmount(await readFile(memory(path, 'memory.limit_in_bytes'), 'utf8')),
    setLimit: (path, bytes) => writeFile(memory(path, 'memory.limit_in_bytes'), `${pages(bytes)}`),
  };
}

function version2(root: string): Kernel {
  const file = (path: string, name: string) => join(root, path, name);
  return {
    async make(path) {
      await mkdir(join(root, path), { recursive: true });
      // A group can use a controller only if all groups above it delegate it.
      const steps = path.split('/').slice(0, -1);
      for (let count = 0; count <= steps.length; count++)
        await writeFile(file(steps.slice(0, count).join('/'), 'cgroup.subtree_control'), '+memory +cpu');
    },
    remove: (path) => removeFrom(root, path),
    isUsed: async (path) => (await foldersIn(join(root, path))).length > 0,
    limitOf: async (path) => parseAmount(await readFile(file(path, 'memory.max'), 'utf8')),
    setLimit: (path, bytes) => writeFile(file(path, 'memory.max'), `${pages(bytes)}`),
  };
}

/** Each hierarchy is a folder. Some have links as additional names. */
async function hierarchiesIn(root: string): Promise<string[]> {
  const found = (await readdir(root)).sort().map(async (name) => {
    const path = join(root, name);
    const isOne = (await lstat(path)).isDirectory() && (await exists(join(path, 'cgroup.procs')));
    return isOne ? [path] : [];
  });
  return (await Promise.all(found)).flat();
}

async function removeFrom(hierarchy: string, path: string): Promise<void> {
  // A killed engine leaves the groups of its containers.
  for (const folder of await foldersIn(join(hierarchy, path))) await removeFrom(hierarchy, join(path, folder));
  try {
    await rmdir(join(hierarchy, path));
  } catch (error) {
    if (!['ENOENT', 'EBUSY', 'ENOTEMPTY'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

function pages(bytes: number): number {
  return Math.floor(bytes / 4096) * 4096;
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}
