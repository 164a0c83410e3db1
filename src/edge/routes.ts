/** Routes: which sites there are, as the two tables that HAProxy looks a request up in. Pure. */
import { hash } from 'node:crypto';
import { isIPv4 } from 'node:net';
import type { Endpoint, Site } from '../deployment/site.ts';
import { normalHost } from './canonical-host.ts';

/** HAProxy reads map files in lines of 16 KiB and would take the rest of a longer one for another entry. */
const longestPath = 2048;

/** A site or an endpoint that got no route, and why. Everything else is published regardless. */
export type Refused = { host: string; path?: string; because: string };

/** Map entries, one `key value` a line, in an order that depends on the content alone. */
export type RouteTables = {
  /** `<host><path>/` → `<route id>:<number of endpoints>`; the longest matching prefix wins. */
  routes: string[];
  /** `<route id>/<number>` → `<address>:<port>`. */
  endpoints: string[];
  refused: Refused[];
};

/**
 * The tables of these sites. A host that appears twice belongs to its first site: merging the two would send one
 * tenant's requests to another.
 */
export function routeTables(sites: Site[]): RouteTables {
  const routes = new Map<string, string>();
  const endpoints = new Map<string, string>();
  const refused: Refused[] = [];
  const taken = new Set<string>();

  for (const site of sites) {
    const host = normalHost(site.host);
    const because = !host || host.startsWith('[') ? 'not a host name' : taken.has(host) ? 'host already taken' : '';
    if (!host || because) {
      refused.push({ host: site.host, because });
      continue;
    }
    taken.add(host);
    for (const [path, addresses] of byPath(site, refused)) {
      const id = routeId(addresses);
      routes.set(routeKey(host, path), `${id}:${addresses.length}`);
      for (const [index, address] of addresses.entries()) endpoints.set(`${id}/${index}`, address);
    }
  }
  return { routes: asLines(routes), endpoints: asLines(endpoints), refused };
}

/** Keys end in `/` and are compared with `<host><path>/`, so that `/api` matches `/api/v1` and not `/apiary`. */
function routeKey(host: string, path: string): string {
  return path === '/' ? `${host}/` : `${host}${path}/`;
}

/** Whether a route of this path leads a normalised request there. */
export function leads(routePath: string, requestPath: string): boolean {
  const path = canonicalPath(routePath);
  return path !== undefined && `${requestPath}/`.startsWith(routeKey('', path));
}

/**
 * A route's path as a normalised request spells it: percent-encoded where a URL must be, unreserved characters never
 * encoded, hexadecimal digits in upper case, no trailing slash. `%2F` stays what it is and never separates segments.
 * @returns nothing for a path that no normalised request can have.
 */
export function canonicalPath(path: string): string | undefined {
  if (!path.startsWith('/') || path.startsWith('//')) return undefined;
  const encoded = path
    .replace(/%([0-9a-fA-F]{2})/g, (sequence, hex: string) => {
      const character = String.fromCharCode(Number.parseInt(hex, 16));
      return /[A-Za-z0-9._~-]/.test(character) ? character : sequence.toUpperCase();
    })
    .replace(/%(?![0-9A-F]{2})|[^A-Za-z0-9._~!$&'()*+,;=:@/%-]/gu, percentEncoded)
    .replace(/(?<!\/)\/+$/, '');
  if (encoded.length > longestPath || /\/\.{1,2}(\/|$)/.test(encoded)) return undefined;
  return encoded || '/';
}

function percentEncoded(character: string): string {
  return Array.from(Buffer.from(character), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
}

function byPath(site: Site, refused: Refused[]): Map<string, string[]> {
  const paths = new Map<string, Set<string>>();
  for (const endpoint of site.endpoints) {
    const path = canonicalPath(endpoint.path);
    if (!path || !isReachable(endpoint)) {
      const because = path ? 'not an address and port' : 'not a path';
      refused.push({ host: site.host, path: endpoint.path, because });
      continue;
    }
    const addresses = paths.get(path) ?? new Set();
    paths.set(path, addresses.add(`${endpoint.address}:${endpoint.port}`));
  }
  return new Map(Array.from(paths, ([path, addresses]) => [path, [...addresses].sort()]));
}

/** 0.0.0.0/8 is "this host": Linux connects it to loopback, where services of the machine itself listen. */
function isReachable({ address, port }: Endpoint): boolean {
  return isIPv4(address) && !address.startsWith('0.') && Number.isInteger(port) && port > 0 && port < 65536;
}

/**
 * A route's id is a hash of where it leads. So an entry of the second table never changes its meaning: a request that
 * took its id from the table of a moment ago finds that id's own endpoint or none, never another tenant's.
 */
function routeId(addresses: string[]): string {
  return hash('sha256', addresses.join(' '), 'base64url').slice(0, 16);
}

function asLines(entries: Map<string, string>): string[] {
  return Array.from(entries, ([key, value]) => `${key} ${value}`).sort();
}
