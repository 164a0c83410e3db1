/** The kernel's control groups as files, of version 1 (a hierarchy for each controller) or 2 (one for all). */
import { lstat, mkdir, readdir, readFile, rmdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAmount } from './kernel-numbers.ts';

/** Where the kernel shows them, on nearly every machine. */
const usualRoot = '/sys/fs/cgroup';

export type Kernel = {
  /** Afterwards the group exists. */
  make(path: string): Promise<void>;
  /** Removes a group and its subgroups everywhere. Ignores groups that are gone or have processes. */
  remove(path: string): Promise<void>;
  /** Whether there are groups in it, which containers have while they run. */
  isUsed(path: string): Promise<boolean>;
  /** How much memory it may hold; at least 2^62 or Infinity without a limit. */
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
    // The engine makes it in the other hierarchies.
    async make(path) {
      // Before Linux 5.11 a limit holds for the groups within only if this was set before there were any.
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
      // A group has the controllers that all above it hand down.
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

/** Each is a folder; other names of some are links. */
async function hierarchiesIn(root: string): Promise<string[]> {
  const found = (await readdir(root)).sort().map(async (name) => {
    const path = join(root, name);
    const isOne = (await lstat(path)).isDirectory() && (await exists(join(path, 'cgroup.procs')));
    return isOne ? [path] : [];
  });
  return (await Promise.all(found)).flat();
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

function pages(bytes: number): number {
  return Math.floor(bytes / 4096) * 4096;
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}
