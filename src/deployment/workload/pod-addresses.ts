/**
 * PURE. Pod addresses: the names of a pod resolve to one address for the life of the deployment, like the ClusterIP of
 * a Kubernetes Service. A program that resolves a name once, such as nginx with `proxy_pass`, still reaches the pod
 * after an update.
 */
import { createHash } from 'node:crypto';
import type { Neighbour } from './workload.ts';

/** The sorted addresses of the target workloads, by pod address. */
export type PodTargets = Readonly<Record<string, readonly string[]>>;

/**
 * The shared address space of RFC 6598, which applications cannot reach otherwise. The firewall translates an address
 * by the network that a packet comes from, so every deployment can use the whole range.
 */
const range = { first: 0x64_40_00_00, size: 2 ** 22, cidr: '100.64.0.0/10' } as const;
export const podAddressRange = range.cidr;

/**
 * Returns the pod address of each name. All names of a pod share one; names of one replica of a stateful set, such as
 * `db-0`, have their own. An address depends only on the key of its names, so it survives every update. Two keys with
 * the same hash (one in four million) take the next free address in the order of their names.
 */
export function podAddressesOf(neighbours: readonly Neighbour[]): Map<string, string> {
  const keys = new Map(neighbours.flatMap((each) => each.aliases.map((name) => [name, keyOf(name, each)] as const)));
  const taken = new Map<number, string>();
  const addresses = new Map<string, string>();
  for (const key of [...new Set(keys.values())].sort()) {
    let place = createHash('sha256').update(key).digest().readUInt32BE() % range.size;
    while (taken.has(place)) place = (place + 1) % range.size;
    taken.set(place, key);
    addresses.set(key, printAddress(range.first + place));
  }
  return new Map([...keys].map(([name, key]) => [name, addresses.get(key)!]));
}

/** Returns the pod addresses that lead to a workload. */
export function addressesOfPod({ aliases }: Neighbour, addresses: ReadonlyMap<string, string>): string[] {
  return [...new Set(aliases.flatMap((name) => addresses.get(name) ?? []))];
}

/** Returns a text that is equal for equal targets. */
export function printTargets(targets: PodTargets): string {
  const lines = Object.entries(targets).map(([address, leadsTo]) => `${address}→${leadsTo.toSorted().join(',')}`);
  return lines.sort().join(' ');
}

function keyOf(name: string, { pod, replica }: Neighbour): string {
  const ofReplica = `${pod}-${replica}`;
  return name === ofReplica || name === `${ofReplica}.pod` ? ofReplica : pod;
}

function printAddress(address: number): string {
  return [24, 16, 8, 0].map((bits) => Math.floor(address / 2 ** bits) % 256).join('.');
}
