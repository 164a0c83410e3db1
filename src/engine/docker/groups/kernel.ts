/** The kernel's control groups as files, of version 1 (a hierarchy for each controller) or 2 (one for all). */
import { lstat, mkdir, readdir, readFile, rmdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bounded, heldBytes, parseAmount } from './kernel-numbers.ts';

/** Where the kernel shows them, on nearly every machine. */
const usualRoot = '/sys/fs/cgroup';

export type Memory = {
  /** Without what the kernel keeps of files and can drop at any time. */
  heldBytes: number;
  /** What was requested for it; it is the last to lose that. */
  requestedBytes: number;
};

export type Kernel = {
  version: 1 | 2;
  /** Afterwards the group exists. True when it did not before. */
  make(path: string): Promise<boolean>;
  /** Removes it and those in it everywhere; one that is gone, or has processes, is no error. */
  remove(path: string): Promise<void>;
  /** The names of those within a group, in any hierarchy. */
  list(path: string): Promise<string[]>;
  memoryOf(path: string): Promise<Memory>;
  /** Infinity without one. */
  limitOf(path: string): Promise<number>;
  setLimit(path: string, bytes: number): Promise<void>;
  setRequest(path: string, bytes: number): Promise<void>;
  processesOf(path: string): Promise<number[]>;
  /** Relative to 1024, which every group and process has. */
  setShares(path: string, shares: number): Promise<void>;
  isIdle(path: string): Promise<boolean>;
  /** Whether it runs only while no other group beside it wants the processor. */
  setIdle(path: string, isIdle: boolean): Promise<void>;
};

/** Undefined where there are no control groups to be seen. */
export async function openKernel(root = usualRoot): Promise<Kernel | undefined> {
  if (await exists(join(root, 'cgroup.controllers'))) return version2(root);
  if (await exists(join(root, 'memory', 'cgroup.procs'))) return version1(root);
  return undefined;
}

async function version1(root: string): Promise<Kernel> {
  const hierarchies = await hierarchiesIn(root);
  const memory = (path: string, file: string) => join(root, 'memory', path, file);
  const cpu = (path: string, file: string) => join(root, 'cpu', path, file);
  return {
    version: 1,
    // The engine makes it where nothing has to be said of it.
    async make(path) {
      const [top = path] = path.split('/');
      // Before Linux 5.11 a limit holds for those within only where this was said before there were any.
      if (await makeIn(join(root, 'memory'), top))
        await writeFile(memory(top, 'memory.use_hierarchy'), '1').catch(() => {});
      const made = [await makeIn(join(root, 'memory'), path), await makeIn(join(root, 'cpu'), path)];
      return made.includes(true);
    },
    remove: async (path) => {
      for (const hierarchy of hierarchies) await removeFrom(hierarchy, path);
    },
    list: async (path) => [
      ...new Set((await Promise.all(hierarchies.map((hierarchy) => foldersIn(join(hierarchy, path))))).flat()),
    ],
    async memoryOf(path) {
      const used = await readFile(memory(path, 'memory.usage_in_bytes'), 'utf8');
      const requestedBytes = await readNumber(memory(path, 'memory.soft_limit_in_bytes'));
      const held = heldBytes(1, used, await readFile(memory(path, 'memory.stat'), 'utf8'));
      return { heldBytes: held, requestedBytes: bounded(requestedBytes, 0) };
    },
    limitOf: async (path) => bounded(await readNumber(memory(path, 'memory.limit_in_bytes')), Number.POSITIVE_INFINITY),
    setLimit: (path, bytes) => writeFile(memory(path, 'memory.limit_in_bytes'), `${pages(bytes)}`),
    setRequest: (path, bytes) => writeFile(memory(path, 'memory.soft_limit_in_bytes'), `${pages(bytes)}`),
    processesOf: (path) => readProcesses(memory(path, 'cgroup.procs')),
    setShares: (path, shares) => writeFile(cpu(path, 'cpu.shares'), `${shares}`),
    isIdle: async (path) => (await readNumber(cpu(path, 'cpu.idle'))) === 1,
    setIdle: (path, isIdle) => writeFile(cpu(path, 'cpu.idle'), isIdle ? '1' : '0'),
  };
}

async function version2(root: string): Promise<Kernel> {
  const file = (path: string, name: string) => join(root, path, name);
  return {
    version: 2,
    async make(path) {
      const isNew = await makeIn(root, path);
      // A group has the controllers that all above it hand down.
      const steps = path.split('/').slice(0, -1);
      for (let count = 0; count <= steps.length; count++)
        await writeFile(file(steps.slice(0, count).join('/'), 'cgroup.subtree_control'), '+memory +cpu');
      return isNew;
    },
    remove: (path) => removeFrom(root, path),
    list: (path) => foldersIn(join(root, path)),
    async memoryOf(path) {
      const used = await readFile(file(path, 'memory.current'), 'utf8');
      const requestedBytes = await readNumber(file(path, 'memory.low'));
      return { heldBytes: heldBytes(2, used, await readFile(file(path, 'memory.stat'), 'utf8')), requestedBytes };
    },
    limitOf: (path) => readNumber(file(path, 'memory.max')),
    setLimit: (path, bytes) => writeFile(file(path, 'memory.max'), `${pages(bytes)}`),
    setRequest: (path, bytes) => writeFile(file(path, 'memory.low'), `${pages(bytes)}`),
    processesOf: (path) => readProcesses(file(path, 'cgroup.procs')),
    // The kernel's own scale has 100 where shares have 1024.
    setShares: (path, shares) => writeFile(file(path, 'cpu.weight'), `${Math.max(1, Math.round(shares / 10.24))}`),
    isIdle: async (path) => (await readNumber(file(path, 'cpu.idle'))) === 1,
    setIdle: (path, isIdle) => writeFile(file(path, 'cpu.idle'), isIdle ? '1' : '0'),
  };
}

/** Each is a folder; other names of some are links. */
async function hierarchiesIn(root: string): Promise<string[]> {
  const found = (await readdir(root)).sort().map(async (name) => {
    const path = join(root, name);
    const isOne = (await lstat(path)).isDirectory() && (await exists(join(path, 'cgroup.procs')));
    return isOne ? [path] : [];
  });
  return (await Promise.all(found)).flat();
}

async function makeIn(hierarchy: string, path: string): Promise<boolean> {
  return (await mkdir(join(hierarchy, path), { recursive: true })) !== undefined;
}

async function removeFrom(hierarchy: string, path: string): Promise<void> {
  // An engine that was killed leaves those of its containers.
  for (const folder of await foldersIn(join(hierarchy, path))) await removeFrom(hierarchy, join(path, folder));
  try {
    await rmdir(join(hierarchy, path));
  } catch (error) {
    if (!['ENOENT', 'EBUSY', 'ENOTEMPTY'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

async function foldersIn(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

async function readProcesses(path: string): Promise<number[]> {
  return (await readFile(path, 'utf8')).split('\n').filter(Boolean).map(Number);
}

async function readNumber(path: string): Promise<number> {
  return parseAmount(await readFile(path, 'utf8'));
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
