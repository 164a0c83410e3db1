/** PURE. Numbers as the kernel writes them into the files of control groups and of processes. */

/** Infinity for `max`. */
export function parseAmount(text: string): number {
  const word = text.trim();
  return word === 'max' ? Number.POSITIVE_INFINITY : Number(word);
}

/**
 * Computes the memory that a group holds from its use and `memory.stat`, without the file cache that the kernel can
 * drop at any time.
 */
export function heldBytes(version: 1 | 2, used: string, stat: string): number {
  const prefix = version === 1 ? 'total_' : '';
  const files = fieldOf(stat, `${prefix}inactive_file`) + fieldOf(stat, `${prefix}active_file`);
  return Math.max(0, parseAmount(used) - files);
}

/** Milliseconds that a group has computed: of version 1 from `cpuacct.usage`, of version 2 from `cpu.stat`. */
export function computedMs(version: 1 | 2, text: string): number {
  return version === 1 ? Number(text) / 1e6 : fieldOf(text, 'usage_usec') / 1e3;
}

/** Bytes through the network devices of `/proc/<pid>/net/dev`, without the loopback. */
export function networkBytes(text: string): { receivedBytes: number; sentBytes: number } {
  let [receivedBytes, sentBytes] = [0, 0];
  for (const line of text.split('\n')) {
    const [, device, counters] = /^\s*([^:\s]+):\s*(.*)$/.exec(line) ?? [];
    if (device === undefined || counters === undefined || device === 'lo') continue;
    const fields = counters.split(/\s+/);
    receivedBytes += Number(fields[0]);
    sentBytes += Number(fields[8]);
  }
  return { receivedBytes, sentBytes };
}

/** The value of a key in lines `key value`; 0 if the key is missing. */
function fieldOf(lines: string, key: string): number {
  const at = `\n${lines}`.indexOf(`\n${key} `);
  return at === -1 ? 0 : Number.parseInt(lines.slice(at + key.length + 1), 10);
}
