/** Decides which addresses users may make this machine connect to: public addresses that are not its own. */
import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { reservedIPv4, reservedIPv6 } from '../../lib/reserved-addresses.ts';

// One list for each family, because in a common list, IPv6 networks would match IPv4 addresses as mapped ones.
const reserved = { ipv4: blockList(reservedIPv4, 'ipv4'), ipv6: blockList(reservedIPv6, 'ipv6') };

/**
 * `own`: addresses of this machine, which are reached behind any firewall in front of it. An IPv6 address that contains
 * an IPv4 address (mapped, NAT64, 6to4) is never public here, because such hosts have the IPv4 address, too.
 */
export function isPublic(address: string, own: readonly string[]): boolean {
  if (own.includes(address)) return false;
  if (isIPv4(address)) return !reserved.ipv4.check(address, 'ipv4');
  return isIPv6(address) && !address.includes('%') && !reserved.ipv6.check(address, 'ipv6');
}

/** Returns the current addresses of all interfaces. */
export function addressesOfThisMachine(): string[] {
  return Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));
}

function blockList(networks: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address, bits] = network.split('/');
    list.addSubnet(address!, Number(bits), family);
  }
  return list;
}
