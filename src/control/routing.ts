/** Routes: keeps the edge's routes equal to the stored ones. */
import { isDeepStrictEqual } from 'node:util';
import type { Deployment } from '../deployment/deployment.ts';
import { ownHostsOf, type Running } from '../deployment/desired.ts';
import type { Operation } from '../deployment/plan/operation.ts';
import { ownHostsAfter, printEndpoints } from '../deployment/site.ts';
import type { Database } from '../store/database.ts';
import type { Observation } from '../store/deployments.ts';
import { routesSince, servedRoutes } from '../store/routes.ts';

/** The routes that this process knows. */
export type Routed = {
  /** Routes of this edge, by deployment. */
  edge: Map<string, { taken: string } | InDoubt>;
  /** The addresses in the stored routes, by deployment, at a version of the route table. */
  rows: { version: number | undefined; addresses: Map<string, string[]> };
};

/** The edge has not confirmed its new routes: it may send requests to any of these addresses. */
type InDoubt = { taken?: undefined; addresses: string[] };

export function createRouted(): Routed {
  return { edge: new Map(), rows: { version: undefined, addresses: new Map() } };
}

/** Returns the stored routes, which the edge has when the process starts. */
export async function storedRoutes(db: Database): Promise<Routed> {
  const routed = createRouted();
  for (const { id, endpoints } of await servedRoutes(db)) routed.edge.set(id, { taken: printEndpoints(endpoints) });
  return routed;
}

/**
 * Returns all addresses that an edge uses or may use. Until all edges have the new routes, the addresses of the old
 * ones may not be reassigned, even if the workload is gone. Only rows that changed since the last call are read.
 */
export async function heldAddresses(
  db: Database,
  { routed: { edge, rows }, refreshEdge, othersLead, stop }: Omit<Router, 'record' | 'othersServe'>,
): Promise<string[]> {
  // This edge learns of changes by other processes with a delay.
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
  /** Resolves when the edge serves the stored routes. */
  refreshEdge: () => Promise<void>;
  /** Resolves when no other edge uses outdated routes; absent if there is one edge. */
  othersServe?: (stop?: AbortSignal) => Promise<void>;
  /** Returns addresses that edges with older routes may send requests to; absent if there is one edge. */
  othersLead?: (version: number, stop?: AbortSignal) => Promise<string[]>;
  /** Ends the wait for other edges. */
  stop?: AbortSignal;
  routed: Routed;
  /** Writes to the deployment's row. Returns false if the visit may no longer write. */
  record: (observation: Observation) => Promise<boolean>;
};

/**
 * Writes the row before it updates the edge, so that a crash in between is repaired from the row. If the edge fails,
 * the previous routes are written again, so that no address is reassigned too early. The serving revision is written
 * with the routes, so that a concurrent update can fall back to it.
 */
export async function route(
  deployment: Deployment,
  { endpoints, revision }: Extract<Operation, { kind: 'route' }>,
  { record, refreshEdge, routed }: Router,
): Promise<void> {
  // An edge that fails may still have applied the new routes, before or after the row is restored.
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
 * Corrects the custom domains of single pods from the serving revision, because an older release does not update them.
 * Returns false if the visit may no longer write.
 */
export async function repairOwnHosts(
  deployment: Deployment,
  desired: Running,
  { record, refreshEdge }: Pick<Router, 'record' | 'refreshEdge'>,
): Promise<boolean> {
  const { endpoints, servingRevision } = deployment;
  const ownHosts = ownHostsOf(desired);
  if (servingRevision !== desired.revision || isDeepStrictEqual(ownHosts, deployment.ownHosts)) return true;
  // Writing the endpoints too increases the version of the routes.
  if (!(await record({ endpoints, ownHosts }))) return false;
  deployment.ownHosts = ownHosts;
  await refreshEdge();
  return true;
}

/**
 * Makes sure that the edge has the stored routes before the deployment counts as healthy. The process that wrote the
 * row may have died before it updated the edge.
 */
export async function confirmRoutes(
  { id, endpoints }: Deployment,
  { refreshEdge, routed }: Pick<Router, 'refreshEdge' | 'routed'>,
): Promise<void> {
  if (routed.edge.get(id)?.taken === printEndpoints(endpoints)) return;
  await refreshEdge();
  routed.edge.set(id, { taken: printEndpoints(endpoints) });
}

/** Called before the removal of a target of old routes. Resolves when no responding edge uses them. */
export async function confirmEverywhere(deployment: Deployment, router: Omit<Router, 'record'>): Promise<void> {
  const { refreshEdge, othersServe, routed, stop } = router;
  if (!othersServe) return await confirmRoutes(deployment, router);
  // Another process may have changed the routes since the last confirmation.
  await refreshEdge();
  routed.edge.set(deployment.id, { taken: printEndpoints(deployment.endpoints) });
  await othersServe(stop);
}
