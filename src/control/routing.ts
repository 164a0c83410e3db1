/** Routes: what the store says that the edge serves, and that the edge really does. */
import { isDeepStrictEqual } from 'node:util';
import type { Deployment } from '../deployment/deployment.ts';
import { ownHostsOf, type Running } from '../deployment/desired.ts';
import type { Operation } from '../deployment/plan/operation.ts';
import { ownHostsAfter, printEndpoints } from '../deployment/site.ts';
import type { Database } from '../store/database.ts';
import type { Observation } from '../store/deployments.ts';
import { routesSince, servedRoutes } from '../store/routes.ts';

/** What this process knows of where requests are sent. */
export type Routed = {
  /** Of the edge, by deployment. */
  edge: Map<string, { taken: string } | InDoubt>;
  /** What the rows say, by deployment, as of a version of the route table. */
  rows: { version: number | undefined; addresses: Map<string, string[]> };
};

/** On the way to the edge, or not taken: it may send requests to any of these addresses. */
type InDoubt = { taken?: undefined; addresses: string[] };

export function createRouted(): Routed {
  return { edge: new Map(), rows: { version: undefined, addresses: new Map() } };
}

/** What a process has its edge take before it begins to work. */
export async function storedRoutes(db: Database): Promise<Routed> {
  const routed = createRouted();
  for (const { id, endpoints } of await servedRoutes(db)) routed.edge.set(id, { taken: printEndpoints(endpoints) });
  return routed;
}

/**
 * Where any edge sends requests to, or may: what a row says no more before all of them know of it is nobody else's yet,
 * though somebody has removed it behind our back. Of the rows only those are read that have changed since the last time.
 */
export async function heldAddresses(
  db: Database,
  { routed: { edge, rows }, refreshEdge, othersLead, stop }: Omit<Router, 'record' | 'othersServe'>,
): Promise<string[]> {
  // Of what another process has changed, our own edge hears a moment later.
  if (othersLead) await refreshEdge();
  const { version, changed, isWhole } = await routesSince(db, rows.version);
  if (isWhole) rows.addresses.clear();
  for (const { id, endpoints } of changed) {
    if (endpoints.length === 0) rows.addresses.delete(id);
    else
      rows.addresses.set(
        id,
        endpoints.map(({ address }) => address),
      );
  }
  rows.version = version;
  const inDoubt = [...edge.values()].flatMap((known) => (known.taken === undefined ? known.addresses : []));
  const elsewhere = (await othersLead?.(version, stop)) ?? [];
  return [...rows.addresses.values(), inDoubt, elsewhere].flat();
}

export type Router = {
  /** Resolves when the edge serves what the store says. */
  refreshEdge: () => Promise<void>;
  /** Resolves when no other edge sends requests where the store says no more; absent where there is one edge. */
  othersServe?: (stop?: AbortSignal) => Promise<void>;
  /** Addresses that other edges may send requests to which have not said that they serve this version; absent likewise. */
  othersLead?: (version: number, stop?: AbortSignal) => Promise<string[]>;
  /** Ends waiting for them. */
  stop?: AbortSignal;
  routed: Routed;
  /** Writes to the deployment's row; false when the visit is no longer the one to write. */
  record: (observation: Observation) => Promise<boolean>;
};

/**
 * The row first: after a crash in between, the edge is given what the row says. An edge that did not take it still
 * serves the old, so the row says that again: nothing goes on, and no address is given away, before it has. Which
 * revision serves is told with them: an update that comes right now must find what it can go back to.
 */
export async function route(
  deployment: Deployment,
  { endpoints, revision }: Extract<Operation, { kind: 'route' }>,
  { record, refreshEdge, routed }: Router,
): Promise<void> {
  // An edge that fails may have taken them all the same, before or after the row says otherwise again.
  const { id, endpoints: before, ownHosts: ownBefore, servingRevision } = deployment;
  const ownHosts = ownHostsAfter(deployment, endpoints, revision !== undefined);
  const known = routed.edge.get(id);
  const earlier = known && known.taken === undefined ? known.addresses : [];
  routed.edge.set(id, { addresses: [...earlier, ...[...before, ...endpoints].map(({ address }) => address)] });
  if (!(await record({ endpoints, ownHosts, servingRevision: revision ?? servingRevision }))) return;
  try {
    await refreshEdge();
  } catch (error) {
    await record({ endpoints: before, ownHosts: ownBefore, servingRevision });
    throw error;
  }
  deployment.endpoints = [...endpoints];
  deployment.ownHosts = ownHosts;
  routed.edge.set(id, { taken: printEndpoints(endpoints) });
}

/**
 * A release that does not know which names are one pod's alone leaves them as they were, whatever it serves: by the revision
 * that serves they are right again. False when the visit is no longer the one to write.
 */
export async function mendOwnHosts(
  deployment: Deployment,
  desired: Running,
  { record, refreshEdge }: Pick<Router, 'record' | 'refreshEdge'>,
): Promise<boolean> {
  const { endpoints, servingRevision } = deployment;
  const ownHosts = ownHostsOf(desired);
  if (servingRevision !== desired.revision || isDeepStrictEqual(ownHosts, deployment.ownHosts)) return true;
  // With them is said that there is something new to serve.
  if (!(await record({ endpoints, ownHosts }))) return false;
  deployment.ownHosts = ownHosts;
  await refreshEdge();
  return true;
}

/**
 * Before it is said that all is well. Whoever wrote the row may have died before the edge knew of it, or could not write
 * that the edge did not take it: nobody relies on what he has not seen.
 */
export async function confirmRoutes(
  { id, endpoints }: Deployment,
  { refreshEdge, routed }: Pick<Router, 'refreshEdge' | 'routed'>,
): Promise<void> {
  if (routed.edge.get(id)?.taken === printEndpoints(endpoints)) return;
  await refreshEdge();
  routed.edge.set(id, { taken: printEndpoints(endpoints) });
}

/** Before something is removed that old routes lead to: no edge serves them, or answers at all. */
export async function confirmEverywhere(deployment: Deployment, router: Omit<Router, 'record'>): Promise<void> {
  const { refreshEdge, othersServe, routed, stop } = router;
  if (!othersServe) return await confirmRoutes(deployment, router);
  // Another process may have led it elsewhere and back since: what was confirmed once says nothing.
  await refreshEdge();
  routed.edge.set(deployment.id, { taken: printEndpoints(deployment.endpoints) });
  await othersServe(stop);
}
