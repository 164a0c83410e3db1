/** Networks as settings name them: an address, or an address and how many bits of it count (`10.0.0.0/8`). Pure. */
import { BlockList, isIPv4 } from 'node:net';

/** All of IPv4 in IPv6 notation. Trusting it means trusting every client. */
export const everyIPv4 = '::ffff:0.0.0.0/96';

/**
 * Returns whether the networks share an address. IPv4 within IPv6 (`::ffff:10.0.0.1`) counts as the IPv4 address, as in
 * HAProxy.
 */
export function overlap(one: string, other: string): boolean {
  const [left, right] = [parse(one), parse(other)];
  const list = new BlockList();
  list.addSubnet(left.address, Math.min(left.bits, right.bits), 'ipv6');
  return list.check(right.address, 'ipv6');
}

/** Returns whether the network contains each address of the other one. */
export function contains(network: string, other: string): boolean {
  return parse(network).bits <= parse(other).bits && overlap(network, other);
}

/** Returns an IPv4 network without another one, as the minimum number of networks. */
export function without(network: string, taken: string): string[] {
  if (!overlap(network, taken)) return [network];
  if (contains(taken, network)) return [];
  return halves(network).flatMap((half) => without(half, taken));
}

/** Both as IPv6. */
function parse(network: string): { address: string; bits: number } {
  const [address = '', bits] = network.split('/');
  const isMapped = isIPv4(address);
  const max = isMapped ? 32 : 128;
  return { address: isMapped ? `::ffff:${address}` : address, bits: Number(bits ?? max) + (isMapped ? 96 : 0) };
}

function halves(network: string): string[] {
  const [address = '', length = '32'] = network.split('/');
  const bits = Number(length);
  const number = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  const first = number - (number % 2 ** (32 - bits));
  return [first, first + 2 ** (31 - bits)].map((start) => `${dotted(start)}/${bits + 1}`);
}

function dotted(number: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.');
}

/** The network that identifies one IPv6 client, because every household has 2^64 addresses. */

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

/**
 * Returns whether an IPv6 address is another spelling of an IPv4 address. Its network of 64 bits would contain all of
 * IPv4.
 */
export function isMappedIpv4(address: string): boolean {
  return mapped.check(address, 'ipv6');
}
