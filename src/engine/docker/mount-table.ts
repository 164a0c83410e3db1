/** What is mounted where in this process's view of the host. */
import { readFile } from 'node:fs/promises';

/** By mount point, the device that is mounted there; the last of several that lie on one another. */
export async function readMounts(): Promise<Map<string, string>> {
  return parseMounts(await readFile('/proc/self/mountinfo', 'utf8'));
}

/** PURE. `proc_pid_mountinfo(5)`: the mount point is the fifth field, the device the second after a lone dash. */
export function parseMounts(text: string): Map<string, string> {
  const mounts = new Map<string, string>();
  for (const line of text.split('\n')) {
    const fields = line.split(' ');
    const dash = fields.indexOf('-');
    const [mountPoint, device] = [fields[4], fields[dash + 2]];
    if (dash !== -1 && mountPoint && device) mounts.set(unescaped(mountPoint), unescaped(device));
  }
  return mounts;
}

/** Blanks and the like are written as `\040`. */
function unescaped(text: string): string {
  return text.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
