/** The network that stands for one client of IPv6: every household has 2^64 addresses to choose from. */
import { BlockList } from 'node:net';

/** The network of 64 bits that an IPv6 address is in, as CIDR. */
export function ipv6NetworkOf(address: string): string {
  const [head, tail] = address.split('::').map((part) => (part === '' ? [] : part.split(':')));
  // A dotted end stands for two groups.
  const known = head!.length + (tail?.length ?? 0) + (address.includes('.') ? 1 : 0);
  const zeros = tail ? Array.from({ length: 8 - known }, () => '0') : [];
  const groups = [...head!, ...zeros, ...(tail ?? [])].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

const mapped = new BlockList();
mapped.addSubnet('::ffff:0:0', 96, 'ipv6');

/** Whether an IPv6 address is another spelling of an IPv4 one. Its network of 64 bits would contain all of IPv4. */
export function isMappedIpv4(address: string): boolean {
  return mapped.check(address, 'ipv6');
}
