/** On which TCP ports a container listens, for the most common of mistakes: another port, or only on localhost. */
import { readFile } from 'node:fs/promises';

export type Listening = { port: number; isLocalOnly: boolean };

/** Addresses as the kernel prints them: bytes of 127.x.x.x in reverse; ::1 in words of four bytes. */
const localAddress = /^([0-9A-F]{6}7F|00000000000000000000000001000000|0000000000000000FFFF0000[0-9A-F]{6}7F)$/;

/** Docker's DNS listens in every container on this address. */
const dockerDns = '0B00007F';

const listenState = '0A';

/**
 * Reads the sockets of the network namespace of process `pid`. Undefined where that cannot be known: the engine is on
 * another host (the process is not the container's), or this user may not look.
 */
export async function readListening(pid: number, containerId: string): Promise<Listening[] | undefined> {
  try {
    const cgroups = await readFile(`/proc/${pid}/cgroup`, 'utf8');
    if (!cgroups.includes(containerId)) return undefined;
    const tables = await Promise.all(['tcp', 'tcp6'].map((table) => readFile(`/proc/${pid}/net/${table}`, 'utf8')));
    return parseListening(tables.join('\n'));
  } catch {
    return undefined;
  }
}

/** Rows of /proc/net/tcp and tcp6: `sl local_address rem_address st …`, the address as `hex:port`. */
export function parseListening(table: string): Listening[] {
  const found = new Map<number, boolean>();
  for (const row of table.split('\n')) {
    const [, local = '', , state] = row.trim().split(/\s+/);
    const [address = '', port = ''] = local.split(':');
    if (state !== listenState || address === dockerDns) continue;
    const number = Number.parseInt(port, 16);
    found.set(number, (found.get(number) ?? true) && localAddress.test(address));
  }
  return [...found].map(([port, isLocalOnly]) => ({ port, isLocalOnly })).sort((a, b) => a.port - b.port);
}

/** What to add to `port N refuses connections`; empty when it tells nothing. */
export function listeningWords(listening: Listening[] | undefined, wanted: number): string {
  if (!listening) return '';
  if (listening.some(({ port, isLocalOnly }) => port === wanted && isLocalOnly))
    return ' (it listens on localhost only; let it listen on 0.0.0.0)';
  const others = listening.filter(({ isLocalOnly }) => !isLocalOnly).map(({ port }) => port);
  if (others.length > 0) return ` (it listens on ${others.slice(0, 5).join(', ')})`;
  return listening.length === 0 ? ' (it listens on no port)' : '';
}
