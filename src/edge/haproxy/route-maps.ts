/**
 * The maps for HAProxy's route lookups. They are updated in the running process and in the files that it starts from.
 */
import { join } from 'node:path';
import { newId } from '../../lib/ids.ts';
import { replaceFile } from '../../lib/replace-file.ts';
import type { EdgePaths } from '../edge-paths.ts';
import {
  changeOf,
  compareMaps,
  type HostRoutes,
  type HostTable,
  type Maps,
  mapsOf,
  type RouteChange,
  type Turn,
  versionKey,
} from '../route-maps.ts';
import { endpointsMap, routesMap, sitesMap } from './haproxy-configuration.ts';
import { addEntries, commandAll, mapValue, readMap, replaceMap } from './runtime-socket.ts';

/** HAProxy searches linearly for an entry to change. Above this number, replacing the whole map is faster. */
const maxTurns = 200;

/** Rewriting the whole map pays off if it has this many more unused entries than hosts. */
const maxUnused = 1_000;

export type RouteMaps = {
  /** Sets the routes of these hosts. HAProxy must still be updated. */
  want(hosts: HostTable): RouteChange;
  /** As `want`, but removes all other hosts. */
  wantOnly(hosts: HostTable): RouteChange;
  /**
   * Makes HAProxy serve the wanted routes. Sends only the change if HAProxy has the previous ones. @throws if HAProxy
   * does not accept it. Until another attempt succeeds, it may serve the old or the new routes.
   */
  put(change: RouteChange): Promise<void>;
  /** Writes the files of the wanted routes. Call the result after HAProxy has started from them. */
  writeFiles(): Promise<() => void>;
  /** Returns whether HAProxy has the wanted routes, and repairs them if not. Always removes unused entries. */
  mend(): Promise<boolean>;
  /** Returns whether the number of unused entries makes `mend` worthwhile. */
  isLittered(): boolean;
};

export function createRouteMaps(paths: EdgePaths): RouteMaps {
  const socket = paths.adminSocket;
  const table = new Map<string, HostRoutes>();
  const life = newId();
  let versions = 0;
  /** The version that HAProxy has; undefined while that is not known. */
  let served: string | undefined;
  /** The entries of the last change. A request may have read them just before it. */
  let lately: string[] = [];
  let unused = 0;

  const nextVersion = () => `${life}.${++versions}`;

  function want(hosts: HostTable): RouteChange {
    const change = changeOf(table, hosts);
    for (const [host, routes] of hosts) {
      if (routes) table.set(host, routes);
      else table.delete(host);
    }
    return change;
  }

  async function put(change: RouteChange): Promise<void> {
    const before = served;
    if (before !== undefined && change.turns.length === 0) return;
    served = undefined;
    const isSmall = before !== undefined && change.turns.length <= maxTurns;
    if (isSmall && (await putChange(change, before))) return;
    await replace(await readMaps());
  }

  /** False when HAProxy did not have the version that the change begins with. */
  async function putChange({ added, turns, left }: RouteChange, before: string): Promise<boolean> {
    const [found] = await Promise.all([
      mapValue(socket, sitesMap, versionKey),
      addEntries(socket, endpointsMap, added.endpoints),
      addEntries(socket, routesMap, added.routes),
    ]);
    if (found !== before) return false;
    const version = nextVersion();
    await commandAll(socket, [...turns.map(commandOf), `set map ${sitesMap} ${versionKey} ${version}`]);
    served = version;
    lately = left.map(({ id }) => id);
    unused += left.reduce((sum, { routes, endpoints }) => sum + routes.length + endpoints.length, 0);
    return true;
  }

  /** Endpoints and routes are added first, so that they exist before a host leads to them. */
  async function replace(found: Maps): Promise<void> {
    served = undefined;
    const version = nextVersion();
    const { replacement } = compareMaps(found, { table, version, lately });
    await replaceMap(socket, endpointsMap, replacement.endpoints);
    await replaceMap(socket, routesMap, replacement.routes);
    await replaceMap(socket, sitesMap, replacement.sites);
    served = version;
    lately = [];
    unused = 0;
  }

  async function readMaps(): Promise<Maps> {
    const [sites, routes, endpoints] = await Promise.all(
      [sitesMap, routesMap, endpointsMap].map((map) => readMap(socket, map)),
    );
    return { sites: sites!, routes: routes!, endpoints: endpoints! };
  }

  return {
    want,
    wantOnly: (hosts) => want(new Map([...Array.from(table.keys(), (host) => [host, undefined] as const), ...hosts])),
    put,

    async writeFiles() {
      const version = nextVersion();
      const { sites, routes, endpoints } = mapsOf(table, version);
      served = undefined;
      await Promise.all(
        (
          [
            [sitesMap, sites],
            [routesMap, routes],
            [endpointsMap, endpoints],
          ] as const
        ).map(([map, entries]) => replaceFile(join(paths.edge, map), entries.map((entry) => `${entry}\n`).join(''))),
      );
      return () => {
        served = version;
        unused = 0;
      };
    },

    async mend() {
      const found = await readMaps();
      const { isRight, unused: left } = compareMaps(found, { table, version: served ?? '', lately });
      unused = 0;
      if (!isRight || left > 0) await replace(found);
      return isRight;
    },

    isLittered: () => unused > maxUnused + table.size,
  };
}

/** Hosts and IDs contain no special characters of HAProxy's command line. */
function commandOf(turn: Turn): string {
  return turn.kind === 'del'
    ? `del map ${sitesMap} ${turn.host}`
    : `${turn.kind} map ${sitesMap} ${turn.host} ${turn.id}`;
}
