/** Routes: what the store says that the edge serves, and that the edge really does. */
import type { Deployment } from '../deployment/deployment.ts';
import type { Operation } from '../deployment/plan/operation.ts';
import type { Endpoint } from '../deployment/site.ts';
import type { Database } from '../store/database.ts';
import { type Observation, servedAddresses, servedEndpoints } from '../store/deployments.ts';

/** What this process knows of the edge, by deployment. */
export type Routed = Map<string, { taken: string } | InDoubt>;

/** On the way to the edge, or not taken: it may send requests to any of these addresses. */
type InDoubt = { taken?: undefined; addresses: string[] };

/** What a process has its edge take before it begins to work. */
export async function storedRoutes(db: Database): Promise<Routed> {
  return new Map((await servedEndpoints(db)).map(({ id, endpoints }) => [id, { taken: print(endpoints) }]));
}

/**
 * Where the edge sends requests to, or may: what a row says no more before the edge knows of it is nobody else's yet,
 * though somebody has removed it behind our back.
 */
export async function heldAddresses(db: Database, routed: Routed): Promise<string[]> {
  const inDoubt = [...routed.values()].flatMap((known) => (known.taken === undefined ? known.addresses : []));
  return [...(await servedAddresses(db)), ...inDoubt];
}

export type Router = {
  /** Resolves when the edge serves what the store says. */
  refreshEdge: () => Promise<void>;
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
  const { id, endpoints: before, servingRevision } = deployment;
  const known = routed.get(id);
  const earlier = known && known.taken === undefined ? known.addresses : [];
  routed.set(id, { addresses: [...earlier, ...[...before, ...endpoints].map(({ address }) => address)] });
  if (!(await record({ endpoints, servingRevision: revision ?? servingRevision }))) return;
  try {
    await refreshEdge();
  } catch (error) {
    await record({ endpoints: before, servingRevision });
    throw error;
  }
  deployment.endpoints = [...endpoints];
  routed.set(id, { taken: print(endpoints) });
}

/**
 * Before something is removed, and before it is said that all is well. Whoever wrote the row may have died before the
 * edge knew of it, or could not write that the edge did not take it: nobody relies on what he has not seen.
 */
export async function confirmRoutes(
  { id, endpoints }: Deployment,
  { refreshEdge, routed }: Omit<Router, 'record'>,
): Promise<void> {
  if (routed.get(id)?.taken === print(endpoints)) return;
  await refreshEdge();
  routed.set(id, { taken: print(endpoints) });
}

function print(endpoints: readonly Endpoint[]): string {
  return endpoints.map(({ path, address, port }) => `${path} ${address}:${port}`).join('\n');
}
