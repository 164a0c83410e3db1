/**
 * The name servers of the engine. It queries them from inside the containers' networks, so the rules must allow that.
 * Most machines' resolvers have private addresses.
 */
import { readFile } from 'node:fs/promises';
import { isIPv4 } from 'node:net';

const hostFile = '/etc/resolv.conf';
/** If a machine's resolver is on loopback, systemd lists its upstream servers here, and Docker uses them. */
const systemdFile = '/run/systemd/resolve/resolv.conf';
const engineFile = '/etc/docker/daemon.json';

/** IPv4 addresses, sorted. Servers on loopback are queried from outside the containers' networks. */
export async function readResolvers(): Promise<string[]> {
  const [host, systemd, engine] = await Promise.all([hostFile, systemdFile, engineFile].map(readIfThere));
  return resolversIn(host!, systemd!, engine!);
}

/** PURE. From the texts of the files; empty for one that is not there. */
export function resolversIn(host: string, systemd: string, engine: string): string[] {
  const all = [...serversIn(host), ...serversIn(systemd), ...dnsOf(engine)];
  return [...new Set(all)].filter((address) => isIPv4(address) && !address.startsWith('127.')).sort();
}

function serversIn(text: string): string[] {
  return [...text.matchAll(/^\s*nameserver\s+(\S+)/gm)].map(([, address]) => address!);
}

function dnsOf(text: string): string[] {
  try {
    const { dns } = JSON.parse(text) as { dns?: unknown };
    return Array.isArray(dns) ? dns.filter((address) => typeof address === 'string') : [];
  } catch {
    // No such file, or one that Docker does not start with either.
    return [];
  }
}

async function readIfThere(file: string): Promise<string> {
  return await readFile(file, 'utf8').catch(() => '');
}
