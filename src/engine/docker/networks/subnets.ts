/** PURE. Which subnet a new network gets, and which address of it a new container. */

/** 126 hosts: the most pods and replicas a deployment may have, twice over for an update. */
const subnetPrefixLength = 25;

/**
 * Returns the lowest /25 of `pool` (CIDR) that does not overlap any of `taken` (CIDRs, other sizes and IPv6 allowed),
 * or undefined if the pool is used up. A /13 contains 4,096 of them.
 */
export function lowestFreeSubnet(pool: string, taken: Iterable<string>): string | undefined {
  const { first, last } = rangeOf(pool)!;
  const size = 2 ** (32 - subnetPrefixLength);
  const ranges = [...taken].flatMap((cidr) => rangeOf(cidr) ?? []).sort((a, b) => a.first - b.first);
  let start = first;
  for (const range of ranges) {
    if (range.last < start) continue;
    if (range.first >= start + size) break;
    start = Math.ceil((range.last + 1) / size) * size;
  }
  return start + size - 1 <= last ? `${formatAddress(start)}/${subnetPrefixLength}` : undefined;
}

/** The last host address of `subnet`. Only builders have it, so that a firewall rule can match them. */
export function builderAddress(subnet: string): string {
  return formatAddress(rangeOf(subnet)!.last - 1);
}

/** Matches the addresses of all builders, in the language of `nft`. */
export const fromBuilder = (() => {
  const size = 2 ** (32 - subnetPrefixLength);
  return `ip saddr & ${formatAddress(size - 1)} == ${formatAddress(size - 2)}`;
})();

/**
 * Returns the lowest address of `subnet` for a pod that is not in `taken`. The first address is the gateway's, the last
 * a builder's.
 */
export function lowestFreeAddress(subnet: string, taken: Iterable<string>): string | undefined {
  const { first, last } = rangeOf(subnet)!;
  const used = new Set(taken);
  for (let address = first + 2; address < last - 1; address++) {
    const text = formatAddress(address);
    if (!used.has(text)) return text;
  }
  return undefined;
}

/** Addresses as numbers, both ends included; undefined for what is not IPv4. */
function rangeOf(cidr: string): { first: number; last: number } | undefined {
  const match = /^(\d+)\.(\d+)\.(\d+)\.(\d+)\/(\d+)$/.exec(cidr);
  if (!match) return undefined;
  const [a, b, c, d, length] = match.slice(1).map(Number) as [number, number, number, number, number];
  const size = 2 ** (32 - length);
  const address = ((a * 256 + b) * 256 + c) * 256 + d;
  const first = Math.floor(address / size) * size;
  return { first, last: first + size - 1 };
}

function formatAddress(address: number): string {
  return [24, 16, 8, 0].map((bits) => Math.floor(address / 2 ** bits) % 256).join('.');
}
