/**
 * Deleted files that a container still holds open. They occupy the disk, but directory walks do not see them, so
 * hostile workloads can fill a disk this way.
 */
import { readdir, readFile, stat } from 'node:fs/promises';

/** The maximum number of checked files per container. Above it, a random sample is checked to limit the cost. */
const maxFiles = 4_096;

/**
 * Returns the bytes of deleted files that all processes below this one hold open, on the disks of its root and of the
 * directories. 0 if the process has ended. The root of a gVisor process is not the container's, so `directories` must
 * include the container's.
 */
export async function deletedBytes(initPid: number, directories: readonly string[]): Promise<number> {
  const disks = await Promise.all(
    [`/proc/${initPid}/root`, ...directories].map((path) => stat(path).catch(() => undefined)),
  );
  const devices = new Set(disks.flatMap((found) => found?.dev ?? []));
  const handles: string[] = [];
  for (const pid of await processesBelow(initPid)) {
    const numbers = await readdir(`/proc/${pid}/fd`).catch(() => []);
    handles.push(...numbers.map((number) => `/proc/${pid}/fd/${number}`));
  }
  const chosen = handles.length <= maxFiles ? handles : sample(handles, maxFiles);
  const seen = new Map<string, number>();
  for (const handle of chosen) {
    // Follows the kernel's link to the file, which no longer has a name.
    const found = await stat(handle).catch(() => undefined);
    if (found?.isFile() && found.nlink === 0 && devices.has(found.dev))
      seen.set(`${found.dev}:${found.ino}`, found.blocks * 512);
  }
  return [...seen.values()].reduce((sum, bytes) => sum + bytes, 0);
}

/** A container has at most as many as its limit of processes. */
async function processesBelow(root: number): Promise<number[]> {
  const found = [root];
  for (const pid of found) {
    for (const thread of await readdir(`/proc/${pid}/task`).catch(() => [])) {
      const children = await readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => '');
      found.push(...children.split(' ').filter(Boolean).map(Number));
    }
  }
  return found;
}

function sample<T>(all: T[], count: number): T[] {
  const step = all.length / count;
  const offset = Math.random() * step;
  return Array.from({ length: count }, (_, index) => all[Math.floor(offset + index * step)]!);
}
