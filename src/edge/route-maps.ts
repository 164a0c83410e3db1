/** Routes: converts sites to the maps in which HAProxy looks up a request. Pure. */
import { hash } from 'node:crypto';
import { isIPv4 } from 'node:net';
import { segmentsOf } from '../config/spec/spec.ts';
import type { Endpoint, Site } from '../deployment/site.ts';
import { normalHost } from './canonical-host.ts';

/** HAProxy reads map files in lines of 16 KiB and would parse the rest of a longer one as another entry. */
const longestPath = 2048;

/** A site or endpoint without a route, and the reason. All others are published. */
export type Refused = { host: string; path?: string; because: string };

/**
 * The route of a host as map entries `key value`, in an order that depends only on the content. All keys begin with the
 * ID, a hash of the host and its target. So an entry never changes its meaning, and one entry switches a host to other
 * addresses. A request uses either the old or the new route, never another tenant's.
 */
export type HostRoutes = {
  /**
   * The id of a host's routes. For a host with a redirect, it contains the target: `308:<host>:<hash>`. The id of a
   * host whose deployment sleeps is `asleep:<hash>`; it has no routes.
   */
  id: string;
  /** `<id><path>/` → `<number of the route>:<number of its endpoints>[:sticky]`; the longest matching prefix wins. */
  routes: readonly string[];
  /** `<id>/<number of the route>/<number>` → `<address>:<port>[:<number of segments to remove>]`. */
  endpoints: readonly string[];
};

/** No other ids have a colon. */
export const sentOn = '308:';
export const asleepSite = 'asleep:';

/** Routes by host. Undefined for a host without reachable endpoints. */
export type HostTable = Map<string, HostRoutes | undefined>;

/**
 * Returns the routes of the hosts of these sites. A duplicate host belongs to its first site, because merging both
 * would send one tenant's requests to another.
 */
export function hostsOf(sites: Iterable<Site>): { hosts: HostTable; refused: Refused[] } {
  const hosts: HostTable = new Map();
  const refused: Refused[] = [];
  for (const site of sites) {
    const host = routedHost(site.host);
    if (!host || hosts.has(host))
      refused.push({ host: site.host, because: host ? 'host already taken' : 'not a host name' });
    else hosts.set(host, hostRoutes(host, site, refused));
  }
  return { hosts, refused };
}

/** Returns the host in the form of the lookup. Undefined for an invalid host. */
function routedHost(host: string): string | undefined {
  const normal = normalHost(host);
  return normal?.startsWith('[') ? undefined : normal;
}

function hostRoutes(host: string, site: Site, refused: Refused[]): HostRoutes | undefined {
  const target = site.redirectTo === undefined ? undefined : routedHost(site.redirectTo);
  if (target === undefined && site.endpoints.some(({ isAsleep }) => isAsleep))
    return { id: `${asleepSite}${hash('sha256', host, 'base64url').slice(0, 16)}`, routes: [], endpoints: [] };
  const paths = [...byPath(site, refused)].sort(([a], [b]) => (a < b ? -1 : 1));
  if (paths.length === 0) return undefined;
  const content = hash('sha256', JSON.stringify([host, paths]), 'base64url').slice(0, 16);
  // Its routes stay, because visitors get them while the target has no certificate.
  const id = target === undefined ? content : `${sentOn}${target}:${content}`;
  return {
    id,
    routes: paths.map(
      ([path, { targets, isSticky }], number) =>
        `${routeKey(id, path)} ${number}:${targets.length}${isSticky ? ':sticky' : ''}`,
    ),
    endpoints: paths.flatMap(([, { targets }], number) =>
      targets.map((target, index) => `${id}/${number}/${index} ${target}`),
    ),
  };
}

/** Keys end in `/` and are compared with `<id><path>/`, so that `/api` matches `/api/v1` and not `/apiary`. */
function routeKey(id: string, path: string): string {
  return path === '/' ? `${id}/` : `${id}${path}/`;
}

/** Returns whether a normalized request matches a route with this path. */
export function matchesPath(routePath: string, requestPath: string): boolean {
  const path = canonicalPath(routePath);
  return path !== undefined && `${requestPath}/`.startsWith(routeKey('', path));
}

/**
 * Returns a path in the form of a normalized request: percent-encoded only where required, with upper-case hexadecimal
 * digits, and without a trailing slash. `%2F` stays and does not separate segments. @returns undefined for a path that
 * no normalized request can have.
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

/** `targets`: values of the map of endpoints. */
type Route = { targets: string[]; isSticky: boolean };

function byPath(site: Site, refused: Refused[]): Map<string, Route> {
  const paths = new Map<string, { targets: Set<string>; isSticky: boolean }>();
  for (const endpoint of site.endpoints) {
    const path = canonicalPath(endpoint.path);
    if (!path || !isReachable(endpoint)) {
      const because = path ? 'not an address and port' : 'not a path';
      refused.push({ host: site.host, path: endpoint.path, because });
      continue;
    }
    const { targets, isSticky } = paths.get(path) ?? { targets: new Set(), isSticky: false };
    const removed = endpoint.stripPrefix ? segmentsOf(path) : 0;
    targets.add(`${endpoint.address}:${endpoint.port}${removed > 0 ? `:${removed}` : ''}`);
    paths.set(path, { targets, isSticky: isSticky || endpoint.sticky === true });
  }
  return new Map(
    Array.from(paths, ([path, { targets, isSticky }]) => [path, { targets: [...targets].sort(), isSticky }]),
  );
}

/** 0.0.0.0/8 is "this host": Linux connects it to loopback, where services of the machine itself listen. */
function isReachable({ address, port }: Endpoint): boolean {
  return isIPv4(address) && !address.startsWith('0.') && Number.isInteger(port) && port > 0 && port < 65536;
}

/**
 * Changes of routes: the steps from one table of HAProxy's maps to another, and a comparison with the wanted state.
 * Pure.
 */

/** Routes by host. */
type RouteTable = ReadonlyMap<string, HostRoutes>;

/** A host is added, gets another target, or is removed. */
export type Turn = { kind: 'add' | 'set'; host: string; id: string } | { kind: 'del'; host: string };

/** Apply `added` before all of `turns`, so that every request finds a complete table. */
export type RouteChange = {
  /** New entries. Unused ones stay, because a request may have just read their ID. */
  added: { routes: string[]; endpoints: string[] };
  turns: Turn[];
  /** Routes of removed hosts. */
  left: HostRoutes[];
};

/** Returns the change that sets the routes of these hosts. Others are not changed. */
export function changeOf(table: RouteTable, hosts: Readonly<HostTable>): RouteChange {
  const added: RouteChange['added'] = { routes: [], endpoints: [] };
  const turns: Turn[] = [];
  const left: HostRoutes[] = [];
  for (const [host, next] of hosts) {
    const current = table.get(host);
    if (current?.id === next?.id) continue;
    if (current) left.push(current);
    if (!next) {
      turns.push({ kind: 'del', host });
      continue;
    }
    added.routes.push(...next.routes);
    added.endpoints.push(...next.endpoints);
    turns.push({ kind: current ? 'set' : 'add', host, id: next.id });
  }
  return { added, turns, left };
}

/** A map's entries, `key value` each. */
export type Maps = { sites: string[]; routes: string[]; endpoints: string[] };

/** The entry with the version of the table in the maps. A host cannot have this name. */
export const versionKey = '@version';

/** The maps of a table, in the order of its hosts. */
export function mapsOf(table: RouteTable, version: string): Maps {
  const all = [...table.values()];
  return {
    sites: [`${versionKey} ${version}`, ...Array.from(table, ([host, { id }]) => `${host} ${id}`)],
    routes: all.flatMap(({ routes }) => routes),
    endpoints: all.flatMap(({ endpoints }) => endpoints),
  };
}

/** The difference between existing maps and a table. */
type Comparison = {
  /** Whether they route every request like the table. */
  isRight: boolean;
  /** Entries of routes and endpoints that no host leads to. */
  unused: number;
  /** The maps that replace them: without unused entries, except those that requests may just have read. */
  replacement: Maps;
};

/** `lately`: IDs that requests may have just read, in addition to those in the maps. */
export function compareMaps(
  found: Maps,
  { table, version, lately }: { table: RouteTable; version: string; lately: Iterable<string> },
): Comparison {
  const wanted = mapsOf(table, version);
  const isRight =
    areSame(found.sites, wanted.sites) &&
    includes(found.routes, wanted.routes) &&
    includes(found.endpoints, wanted.endpoints);
  const kept = new Set([...found.sites.map((entry) => entry.slice(entry.indexOf(' ') + 1)), ...lately]);
  const withKept = (entries: string[], before: string[]) => [
    ...new Set([...entries, ...before.filter((entry) => kept.has(entry.slice(0, entry.indexOf('/'))))]),
  ];
  return {
    isRight,
    unused: found.routes.length + found.endpoints.length - wanted.routes.length - wanted.endpoints.length,
    replacement: {
      sites: wanted.sites,
      routes: withKept(wanted.routes, found.routes),
      endpoints: withKept(wanted.endpoints, found.endpoints),
    },
  };
}

function areSame(found: string[], wanted: string[]): boolean {
  return found.length === wanted.length && includes(found, wanted);
}

function includes(found: string[], wanted: string[]): boolean {
  const all = new Set(found);
  return wanted.every((entry) => all.has(entry));
}
