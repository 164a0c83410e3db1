/** Who asks. */
import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** The edge sets this header on every request and removes one that a client sends. */
export const clientHeader = 'x-berth-client';

type Asked = { headers: IncomingHttpHeaders };

/** The client's IP address as the edge saw it; `unknown` for a request that did not come through the edge. */
export function clientAddress({ headers }: Asked): string {
  const address = headers[clientHeader];
  return typeof address === 'string' ? address : 'unknown';
}

/**
 * Whom a limit counts: of IPv6 the network of 64 bits, since every household has 2^64 addresses to choose from. All of
 * `networkPool` (CIDR), where the applications' containers are, is one client: a deployment that deploys others, which
 * deploy others, has one share of this machine.
 */
export function clientKey(asked: Asked, networkPool: string): string {
  const address = clientAddress(asked).replace(/^::ffff:(?=[\d.]+$)/i, '');
  if (isIPv6(address)) return `${networkOf(address)}::/64`;
  return isIPv4(address) && isWithin(networkPool, address) ? networkPool : address;
}

function isWithin(cidr: string, address: string): boolean {
  const [network, bits] = cidr.split('/');
  const list = new BlockList();
  list.addSubnet(network!, Number(bits));
  return list.check(address);
}

/** The first four of the eight groups. */
function networkOf(address: string): string {
  const [head, tail] = address.split('::').map((part) => (part === '' ? [] : part.split(':')));
  // A dotted end stands for two groups.
  const known = head!.length + (tail?.length ?? 0) + (address.includes('.') ? 1 : 0);
  const zeros = tail ? Array.from({ length: 8 - known }, () => '0') : [];
  return [...head!, ...zeros, ...(tail ?? [])]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
