/**
 * Reads the TCP ports on which a container listens, to explain the most common mistakes: another port, or only
 * localhost.
 *
 * A container on other ports may still be starting (RabbitMQ opens three other ports first, and database images listen
 * on localhost while they initialize). The time therefore begins at the last sign of progress: changed ports, or
 * processor use.
 */
import { open, readFile } from 'node:fs/promises';
import type { Reason } from './attempts.ts';

/** `isIPv6`: only IPv6 sockets listen there. They also accept IPv4, unless they are IPv6-only. */
export type Listening = { port: number; isLocalOnly: boolean; isIPv6?: true };

/** Most applications listen within a second. Before that, other ports are not read. */
export const listeningAfterMs = 1_000;

/** Databases and runtimes start within seconds. Until then, the message does not warn. */
export const startingMs = 10_000;

/** Addresses as the kernel prints them: 127.x.x.x in reverse byte order; ::1 in words of four bytes. */
const localAddress = /^([0-9A-F]{6}7F|00000000000000000000000001000000|0000000000000000FFFF0000[0-9A-F]{6}7F)$/;

/** Docker's DNS server listens on this address in every container. */
const dockerDns = '0B00007F';

/** The length of a hexadecimal IPv6 address. */
const ipv6Digits = 32;

const listenState = '0A';

/**
 * Reads the sockets of the network namespace of process `pid`. Returns undefined if the engine is on another host (the
 * process does not belong to the container), or if this user may not read them.
 */
export async function readListening(pid: number, containerId: string): Promise<Listening[] | undefined> {
  try {
    const cgroups = await readFile(`/proc/${pid}/cgroup`, 'utf8');
    if (!cgroups.includes(containerId)) return undefined;
    const tables = await Promise.all(['tcp', 'tcp6'].map((table) => readBeginning(`/proc/${pid}/net/${table}`)));
    return parseListening(tables.join('\n'));
  } catch {
    return undefined;
  }
}

/** Returns whether a socket on this address accepts connections from outside its container. */
export async function isListening(pid: number, containerId: string, wanted: number): Promise<boolean> {
  const listening = await readListening(pid, containerId);
  return listening?.some(({ port, isLocalOnly }) => port === wanted && !isLocalOnly) ?? false;
}

/** Listening sockets come first in these tables. A container can make the rest arbitrarily long. */
const tableBytes = 64 * 1024;

async function readBeginning(path: string): Promise<string> {
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(tableBytes));
  // A truncated row would contain another port.
  const text = buffer.toString('latin1', 0, bytesRead);
  return text.slice(0, text.lastIndexOf('\n') + 1);
}

/** Rows of /proc/net/tcp and tcp6: `sl local_address rem_address st …`, the address as `hex:port`. */
export function parseListening(table: string): Listening[] {
  const found = new Map<number, { isLocalOnly: boolean; isIPv6: boolean }>();
  for (const row of table.split('\n')) {
    const [, local = '', , state] = row.trim().split(/\s+/);
    const [address = '', port = ''] = local.split(':');
    if (state !== listenState || address === dockerDns) continue;
    const number = Number.parseInt(port, 16);
    const { isLocalOnly, isIPv6 } = found.get(number) ?? { isLocalOnly: true, isIPv6: true };
    found.set(number, {
      isLocalOnly: isLocalOnly && localAddress.test(address),
      isIPv6: isIPv6 && address.length === ipv6Digits,
    });
  }
  return [...found]
    .map(([port, { isLocalOnly, isIPv6 }]) => ({ port, isLocalOnly, ...(isIPv6 && { isIPv6 }) }))
    .sort((a, b) => a.port - b.port);
}

/** The reason for a refused port shortly after the start. */
export function notYet(wanted: number): Reason {
  return { kind: 'refused', words: `does not listen on port ${wanted} yet` };
}

/** Returns the reason for a refused port; undefined if the sockets do not explain it. */
export function listeningReason(listening: Listening[] | undefined, wanted: number): Reason | undefined {
  if (!listening) return undefined;
  const refused = (words: string, hint: string): Reason => ({ kind: 'refused', words, hint });
  if (listening.some(({ port, isLocalOnly }) => port === wanted && isLocalOnly))
    return refused(`listens on 127.0.0.1:${wanted} only`, `make it listen on 0.0.0.0:${wanted}`);
  const own = listening.find(({ port }) => port === wanted);
  if (own?.isIPv6)
    return refused(
      `listens on port ${wanted} for IPv6 only`,
      `make it listen on 0.0.0.0:${wanted}, or on [::]:${wanted} for both`,
    );
  if (own) return undefined;
  if (listening.length === 0)
    return refused(
      `does not listen on port ${wanted}, nor on any other`,
      'its last log lines may show what it waits for',
    );
  const open = listening.filter(({ isLocalOnly }) => !isLocalOnly).map(({ port }) => `${port}`);
  const places = open.length > 0 ? open : listening.map(({ port }) => `127.0.0.1:${port}`);
  return refused(
    `listens on ${places.slice(0, 5).join(', ')}, not on ${wanted}`,
    open.length > 0
      ? `make it listen on ${wanted}, or write ${open.length === 1 ? open[0] : 'the port that it listens on'} in its \`servicePorts\` (Compose: \`ports\` or \`expose\`)`
      : `make it listen on 0.0.0.0:${wanted}`,
  );
}

/** A container that listens on other ports, with its processor time and the time of the observation. */
export type Elsewhere = {
  ports: string;
  /** Ports that accept connections from other containers. */
  open: number[];
  cpuMs: number | undefined;
  atMs: number;
  sinceMs: number;
};

/** An idle server uses well under 1 % of a processor. A starting one uses much more. */
const busyShare = 0.05;

/** In a shorter time, a single request would look like a start. */
const shortestSpanMs = 1_000;

/** `sinceMs`: since when nothing has changed. */
export function followElsewhere(before: Elsewhere | undefined, seen: Omit<Elsewhere, 'sinceMs'>): Elsewhere {
  if (!before || before.ports !== seen.ports) return { ...seen, sinceMs: seen.atMs };
  const spanMs = seen.atMs - before.atMs;
  if (spanMs < shortestSpanMs) return before;
  const isBusy =
    before.cpuMs !== undefined && seen.cpuMs !== undefined && seen.cpuMs - before.cpuMs > busyShare * spanMs;
  return { ...seen, sinceMs: isBusy ? seen.atMs : before.sinceMs };
}
