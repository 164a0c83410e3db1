/** PURE. The names of pods as lines of a container's hosts file. */
import { podAddressesOf } from '../../../deployment/workload/pod-addresses.ts';
import type { Neighbour, Workload } from '../../../deployment/workload/workload.ts';

/**
 * Maps each name to its pod address. A name of this container alone maps to its own address, because programs listen on
 * the address of their own name. A name that replicas share is left to the engine's DNS, which returns all of them.
 */
export function hostsOf(
  { pod, replica, aliases }: Pick<Workload, 'pod' | 'replica' | 'aliases'>,
  neighbours: readonly Neighbour[],
  address: string,
): Map<string, string> {
  const others = neighbours.filter((each) => each.pod !== pod || each.replica !== replica);
  const shared = new Set(others.flatMap((each) => each.aliases));
  const hosts = podAddressesOf(neighbours);
  for (const name of aliases) {
    if (shared.has(name)) hosts.delete(name);
    else hosts.set(name, address);
  }
  return hosts;
}
