/** The mounts in this process's view of the host. */
import { readFile } from 'node:fs/promises';

export type Mount = {
  device: string;
  /** The kernel stopped writing to the file system after a failed write, with any mount options. */
  isStopped: boolean;
};

/** Reads the mounts by mount point. If several are stacked on one point, the last one is returned. */
export async function readMounts(): Promise<Map<string, Mount>> {
  return parseMounts(await readFile('/proc/self/mountinfo', 'utf8'));
}

/**
 * PURE. `proc_pid_mountinfo(5)`: the mount point is the fifth field, and the device is the second field after a lone
 * dash, followed by the options of the file system. A read-only mount has `ro` in the mount options, the sixth field.
 * Newer kernels print `emergency_ro`.
 */
export function parseMounts(text: string): Map<string, Mount> {
  const mounts = new Map<string, Mount>();
  for (const line of text.split('\n')) {
    const fields = line.split(' ');
    const dash = fields.indexOf('-');
    const [mountPoint, device, options = ''] = [fields[4], fields[dash + 2], fields[dash + 3]];
    if (dash === -1 || !mountPoint || !device) continue;
    const isStopped = options.split(',').some((option) => option === 'ro' || option === 'emergency_ro');
    mounts.set(unescaped(mountPoint), { device: unescaped(device), isStopped });
  }
  return mounts;
}

/** Blanks and the like are written as `\040`. */
function unescaped(text: string): string {
  return text.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
