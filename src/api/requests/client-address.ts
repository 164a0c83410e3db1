/** The address of the client. */
import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { ipv6NetworkOf } from '../../lib/ip-networks.ts';

/** The edge sets this header on every request and removes one that a client sends. */
export const clientHeader = 'x-berth-client';

type RequestHeaders = { headers: IncomingHttpHeaders };

/** The client's IP address as the edge saw it; `unknown` for a request that did not come through the edge. */
export function clientAddress({ headers }: RequestHeaders): string {
  const address = headers[clientHeader];
  return typeof address === 'string' ? address : 'unknown';
}

/**
 * Returns the key of a client for limits. For IPv6, the key is the /64 network. All of `networkPool` (CIDR), where the
 * applications' containers are, is one client: a deployment that deploys others has one share of this machine.
 */
export function clientKey(requested: RequestHeaders, networkPool: string): string {
  const address = clientAddress(requested).replace(/^::ffff:(?=[\d.]+$)/i, '');
  if (isIPv6(address)) return ipv6NetworkOf(address);
  return isIPv4(address) && isWithin(networkPool, address) ? networkPool : address;
}

function isWithin(cidr: string, address: string): boolean {
  const [network, bits] = cidr.split('/');
  const list = new BlockList();
  list.addSubnet(network!, Number(bits));
  return list.check(address);
}
