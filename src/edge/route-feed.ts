/** Brings an edge what the store says of routes: what has changed since the version that it has. */
import { createSemaphore } from '../lib/concurrency.ts';
import { latestOnly } from '../lib/latest-only.ts';
import type { Database } from '../store/database.ts';
import { routesAfter, routesSince, type StoredRoutes } from '../store/routes.ts';
import type { AddressOwners } from './address-owners.ts';
import type { EdgeLog } from './edge-settings.ts';
import type { Edge } from './haproxy/haproxy.ts';
import { sitesOf } from './served-sites.ts';

/** Rows to a comparison: 2 ms. */
const comparedAtOnce = 500;

export type RouteFeed = {
  /** Makes exactly those sites reachable that the store says; resolves when a table at least as new is live. */
  refresh(): Promise<void>;
  /** Of the route table, which the edge has at least; undefined before it has one. */
  version(): number | undefined;
  /** Compares the next part of the table, one after the other, and has the edge take what it has missed. */
  compare(): Promise<void>;
};

/** `version`: what the edge has already; undefined when it may have anything. `owners` hear of what it gets. */
export type RouteFeedOptions = {
  appsDomain: string;
  log: EdgeLog;
  version?: number;
  owners?: Pick<AddressOwners, 'note' | 'noteOnly'>;
};

export function createRouteFeed(
  db: Database,
  edge: Pick<Edge, 'publish' | 'change'>,
  { appsDomain, log, version, owners }: RouteFeedOptions,
): RouteFeed {
  const inTurn = createSemaphore(1);
  let taken = version;
  let comparedTo = '';
  const sites = (routes: readonly StoredRoutes[]) => sitesOf(routes, appsDomain);

  return {
    refresh: latestOnly<void>(() =>
      inTurn(async () => {
        const news = await routesSince(db, taken);
        // Nothing changed, too: an edge that has failed to take the last change does so now.
        await (news.isWhole ? edge.publish(sites(news.changed)) : edge.change(sites(news.changed)));
        if (news.isWhole) owners?.noteOnly(news.changed);
        else owners?.note(news.changed);
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
