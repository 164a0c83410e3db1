/**
 * Changes of routes: how HAProxy's maps get from one table to another, entry by entry, and whether they are what they
 * should be. Pure.
 */
import type { HostRoutes, HostTable } from './route-maps.ts';

/** By host. */
export type RouteTable = ReadonlyMap<string, HostRoutes>;

/** A host is known, leads elsewhere, or is known no more. */
export type Turn = { kind: 'add' | 'set'; host: string; id: string } | { kind: 'del'; host: string };

/** Apply `added` before any of `turns`, so that every request finds a complete table. */
export type RouteChange = {
  /** New entries. Unused ones stay, because a request may have just read their id. */
  added: { routes: string[]; endpoints: string[] };
  turns: Turn[];
  /** Routes of removed hosts. */
  left: HostRoutes[];
};

/** The change that gives these hosts their routes; all others stay as they are. */
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

/** How maps that exist differ from those of a table. */
export type Comparison = {
  /** They lead every request where the table does. */
  isRight: boolean;
  /** Entries of routes and endpoints that no host leads to. */
  unused: number;
  /** The maps that replace them: without unused entries, except for those that requests may just have read. */
  replacement: Maps;
};

/** `lately`: ids that requests may have just read, in addition to those found. */
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
