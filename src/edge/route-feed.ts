/** Updates an edge from the store's routes: sends the changes since its version. */
import { createSemaphore } from '../lib/concurrency.ts';
import { latestOnly } from '../lib/latest-only.ts';
import type { Database } from '../store/database.ts';
import { routesAfter, routesSince, type StoredRoutes } from '../store/routes.ts';
import type { EdgeLog } from './edge-settings.ts';
import type { Edge } from './haproxy/haproxy.ts';
import { sitesOf } from './served-sites.ts';

/** Rows to a comparison: 2 ms. */
const comparedAtOnce = 500;

export type RouteFeed = {
  /** Makes exactly the sites of the store reachable. Resolves when a table at least as new is live. */
  refresh(): Promise<void>;
  /** The minimum version of the route table that the edge serves. Undefined before the first table. */
  version(): number | undefined;
  /** Compares the next part of the table, in turn, and sends missed changes to the edge. */
  compare(): Promise<void>;
};

/** Called when the edge has new routes. */
export type RouteListener = {
  /** Sets the endpoints of these deployments. Others are not changed. */
  addRoutes(routes: readonly Pick<StoredRoutes, 'id' | 'endpoints'>[]): void;
  /** As `addRoutes`, but removes all other deployments. */
  replaceRoutes(routes: readonly Pick<StoredRoutes, 'id' | 'endpoints'>[]): void;
};

/** `version`: the version that the edge has. Undefined if unknown. `listeners` are notified of all changes. */
export type RouteFeedOptions = {
  appsDomain: string;
  log: EdgeLog;
  version?: number;
  listeners?: readonly RouteListener[];
};

export function createRouteFeed(
  db: Database,
  edge: Pick<Edge, 'publish' | 'change'>,
  { appsDomain, log, version, listeners = [] }: RouteFeedOptions,
): RouteFeed {
  const inTurn = createSemaphore(1);
  let taken = version;
  let comparedTo = '';
  const sites = (routes: readonly StoredRoutes[]) => sitesOf(routes, appsDomain);

  return {
    refresh: latestOnly<void>(() =>
      inTurn(async () => {
        const news = await routesSince(db, taken);
        // Called without changes, too, so that an edge that failed to apply the last change does so now.
        await (news.isWhole ? edge.publish(sites(news.changed)) : edge.change(sites(news.changed)));
        for (const listener of listeners) listener[news.isWhole ? 'replaceRoutes' : 'addRoutes'](news.changed);
        taken = news.version;
      }),
    ),

    version: () => taken,

    compare: () =>
      inTurn(async () => {
        const page = await routesAfter(db, comparedTo, comparedAtOnce);
        comparedTo = page.length < comparedAtOnce ? '' : page.at(-1)!.id;
        // Newer changes are on their way.
        const due = page.filter(({ version }) => taken !== undefined && version <= taken);
        const missed = await edge.change(sites(due));
        if (missed.length > 0) log.warn({ missed: missed.slice(0, 20) }, 'the edge had missed changes of routes');
      }),
  };
}

/** The owner of each address that the edge sends requests to. */

type AddressOwners = RouteListener & {
  /** The deployment that has the address. */
  ownerOf(address: string): string | undefined;
};

export function createAddressOwners(): AddressOwners {
  const owners = new Map<string, string>();
  const addresses = new Map<string, string[]>();

  function addRoutes(routes: Parameters<AddressOwners['addRoutes']>[0]): void {
    // Old addresses are removed first, because an address may move between these deployments.
    for (const { id } of routes) {
      for (const address of addresses.get(id) ?? []) if (owners.get(address) === id) owners.delete(address);
      addresses.delete(id);
    }
    for (const { id, endpoints } of routes) {
      if (endpoints.length === 0) continue;
      const own = [...new Set(endpoints.map(({ address }) => address))];
      addresses.set(id, own);
      for (const address of own) owners.set(address, id);
    }
  }

  return {
    addRoutes,
    replaceRoutes(routes) {
      owners.clear();
      addresses.clear();
      addRoutes(routes);
    },
    ownerOf: (address) => owners.get(address),
  };
}
