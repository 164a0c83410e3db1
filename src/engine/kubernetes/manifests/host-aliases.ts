/** PURE. The names by which pods reach one another: lines of their hosts file, so that no DNS has to be changed. */
import type { V1HostAlias } from '@kubernetes/client-node';

/** Addresses of the deployment's Services, with the names of the pods behind each. */
export type KnownNames = readonly { address: string; aliases: readonly string[] }[];

/** The form that the cluster accepts. Other names, such as those with `_`, are unsupported. */
const hostForm = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;

/** In the order of addresses, so that the same names are the same manifest. */
export function hostAliases(names: KnownNames, extraHosts: Record<string, string> = {}): V1HostAlias[] {
  const byAddress = new Map<string, Set<string>>();
  const enter = (address: string, name: string) => {
    if (!hostForm.test(name)) return;
    byAddress.set(address, (byAddress.get(address) ?? new Set()).add(name));
  };
  for (const [name, address] of Object.entries(extraHosts)) enter(address, name);
  for (const { address, aliases } of names) for (const alias of aliases) enter(address, alias);
  return [...byAddress]
    .map(([ip, hostnames]) => ({ ip, hostnames: [...hostnames].sort() }))
    .sort((a, b) => (a.ip < b.ip ? -1 : 1));
}
