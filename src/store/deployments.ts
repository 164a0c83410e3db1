/** Deployments. Intents (requests of the API) and observations (results of the loop) are written by different calls. */
import type { Insertable, Selectable } from 'kysely';
import type { Deployment, DeploymentState, Instant, PodStatus } from '../deployment/deployment.ts';
import type { KnownDeployment } from '../deployment/quarantine/quarantine.ts';
import type { Endpoint } from '../deployment/site.ts';
import type { Explanation } from '../deployment/status/reason.ts';
import { isActiveAt, isToExpireAt } from './active.ts';
import { chunksOf } from './chunks.ts';
import type { Database } from './database.ts';
import { nextRoutesVersion } from './routes.ts';
import type { DeploymentRow } from './rows.ts';

/**
 * Returns false, without writing, if the session has another active deployment with the name, or if the label is taken.
 * `cluster`: the target cluster.
 */
export async function addDeployment(
  db: Database,
  deployment: Deployment,
  cluster: string | null = null,
): Promise<boolean> {
  const result = await db
    .insertInto('deployments')
    .values({ ...toRow(deployment), cluster })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export async function deploymentById(db: Database, id: string): Promise<Deployment | undefined> {
  const row = await db.selectFrom('deployments').selectAll().where('id', '=', id).executeTakeFirst();
  return row && deploymentFrom(row);
}

export async function deploymentByLabel(db: Database, label: string): Promise<Deployment | undefined> {
  const row = await db.selectFrom('deployments').selectAll().where('label', '=', label).executeTakeFirst();
  return row && deploymentFrom(row);
}

export async function isLabelTaken(db: Database, label: string): Promise<boolean> {
  const row = await db.selectFrom('deployments').select('id').where('label', '=', label).executeTakeFirst();
  return row !== undefined;
}

/** Returns the deployments of a session that are active at `now`, oldest first. */
export async function activeDeployments(db: Database, sessionId: string, now: Instant): Promise<Deployment[]> {
  const rows = await active(db, now).where('sessionId', '=', sessionId).execute();
  return rows.map(deploymentFrom);
}

/** Returns the active deployments of all sessions of an account at `now`, oldest first. */
export async function activeDeploymentsOfAccount(db: Database, accountId: string, now: Instant): Promise<Deployment[]> {
  const sessions = db.selectFrom('sessions').select('id').where('accountId', '=', accountId);
  const rows = await active(db, now).where('sessionId', 'in', sessions).execute();
  return rows.map(deploymentFrom);
}

/**
 * As `activeDeploymentsOfAccount`, without those that do not count to a plan: started with a token, and not claimed.
 */
export async function claimedDeploymentsOfAccount(db: Database, accountId: string, now: Instant) {
  return (await activeDeploymentsOfAccount(db, accountId, now)).filter(({ claimedAt }) => claimedAt !== null);
}

function active(db: Database, now: Instant) {
  return db.selectFrom('deployments').selectAll().where(isActiveAt(now)).orderBy('createdAt').orderBy('id');
}

/** Returns the names of those that still exist. */
export async function namesOf(
  db: Database,
  ids: readonly string[],
): Promise<Pick<Deployment, 'id' | 'applicationName' | 'environment'>[]> {
  const found = [];
  for (const chunk of chunksOf(ids))
    found.push(
      ...(await db
        .selectFrom('deployments')
        .select(['id', 'applicationName', 'environment'])
        .where('id', 'in', chunk)
        .where('goneAt', 'is', null)
        .execute()),
    );
  return found;
}

/** Returns how many deployments may have objects on the engine, by state. */
export async function countByState(db: Database): Promise<Map<DeploymentState, number>> {
  const rows = await db
    .selectFrom('deployments')
    .select((eb) => ['state', eb.fn.countAll().as('count')])
    .where('goneAt', 'is', null)
    .groupBy('state')
    .execute();
  return new Map(rows.map(({ state, count }) => [state, Number(count)]));
}

/** Ids of all deployments that may have resources on the engine. */
export async function presentDeploymentIds(db: Database): Promise<string[]> {
  const rows = await db.selectFrom('deployments').select('id').where('goneAt', 'is', null).execute();
  return rows.map(({ id }) => id);
}

/** Returns the deployments that have a row. */
export async function existingIdsAmong(db: Database, ids: readonly string[]): Promise<Map<string, KnownDeployment>> {
  const found = new Map<string, KnownDeployment>();
  for (const some of chunksOf(ids)) {
    const rows = await db
      .selectFrom('deployments')
      .select(['id', 'goneAt', 'revision'])
      .where('id', 'in', some)
      .execute();
    for (const { id, ...known } of rows) found.set(id, known);
  }
  return found;
}

/** Deployments that may have objects on the engine, oldest first, each with the address of its account. */
export async function presentDeployments(db: Database) {
  return await db
    .selectFrom('deployments')
    .innerJoin('sessions', 'sessions.id', 'deployments.sessionId')
    .leftJoin('accounts', 'accounts.id', 'sessions.accountId')
    .select(['deployments.id', 'applicationName', 'environment', 'state', 'email'])
    .select(['deployments.createdAt', 'expiresAt', 'heldAt', 'sleep'])
    .where('goneAt', 'is', null)
    .orderBy('deployments.createdAt')
    .orderBy('deployments.id')
    .execute();
}

export type Intent = Partial<
  Pick<
    DeploymentRow,
    | 'revision'
    | 'state'
    | 'progress'
    | 'lastLines'
    | 'pods'
    | 'expiresAt'
    | 'extensionsUsed'
    | 'claimedAt'
    | 'heldAt'
    | 'removedAt'
    | 'stoppedAt'
    | 'suspendedAt'
    | 'suspendedBecause'
    | 'restarts'
    | 'restorableUntil'
    | 'keptAt'
    | 'progressedAt'
  >
> & { explanation?: Explanation | null };

const awake = { sleep: null, asleepAt: null, wakeRequestedAt: null, residentBytes: null };

/**
 * Writes an intent. The generation grows, so that a decision made before the intent is not written after it. Intents
 * that change which workloads run also wake the deployment up.
 */
export async function writeIntent(db: Database, id: string, { explanation, ...intent }: Intent): Promise<void> {
  const reported = explanation === undefined ? {} : { explanation: printExplanation(explanation) };
  const changesWorkloads = 'revision' in intent || 'restarts' in intent || 'stoppedAt' in intent;
  const fields = { ...intent, ...(changesWorkloads && awake) };
  await db
    .updateTable('deployments')
    .set((eb) => ({ ...fields, ...reported, generation: eb('generation', '+', 1) }))
    .where('id', '=', id)
    .execute();
}

export type Observation = Partial<
  Pick<
    Deployment,
    'state' | 'progress' | 'servingRevision' | 'restorableUntil' | 'keptAt' | 'warnedOf' | 'goneAt' | 'progressedAt'
  > &
    Pick<Deployment, 'sleep' | 'asleepAt' | 'wakeRequestedAt' | 'wokeInMs' | 'wakes'>
> & {
  explanation?: Explanation | null;
  pods?: PodStatus[];
  lastLines?: string[];
  endpoints?: readonly Endpoint[];
  ownHosts?: readonly string[];
};

/**
 * Writes an observation of the loop. Returns false if the lease was lost or a newer intent exists. Endpoints change the
 * version of the route table: with them, call it in a transaction.
 */
export async function writeObservation(
  db: Database,
  { id, generation }: Pick<Deployment, 'id' | 'generation'>,
  leaseToken: string,
  { explanation, pods, lastLines, endpoints, ownHosts, ...fields }: Observation,
): Promise<boolean> {
  const result = await db
    .updateTable('deployments')
    .set({
      ...fields,
      ...(explanation !== undefined && { explanation: printExplanation(explanation) }),
      ...(pods && { pods: JSON.stringify(pods) }),
      ...(lastLines && { lastLines: JSON.stringify(lastLines) }),
      ...(endpoints && { endpoints: JSON.stringify(endpoints) }),
      ...(ownHosts && { ownHosts: JSON.stringify(ownHosts) }),
    })
    .where('id', '=', id)
    .where('generation', '=', generation)
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('leases').select('token').where('deploymentId', '=', id).where('token', '=', leaseToken)),
    )
    .executeTakeFirst();
  const isWritten = result.numUpdatedRows > 0n;
  if (isWritten && endpoints) {
    const routesVersion = await nextRoutesVersion(db);
    await db.updateTable('deployments').set({ routesVersion }).where('id', '=', id).execute();
  }
  return isWritten;
}

/** Ids of the session's deployments with this name that are past their time limit and not ended yet. */
export async function pastLimitOfName(
  db: Database,
  sessionId: string,
  applicationName: string,
  now: Instant,
): Promise<string[]> {
  const rows = await db
    .selectFrom('deployments')
    .select('id')
    .where('sessionId', '=', sessionId)
    .where('applicationName', '=', applicationName)
    .where(isToExpireAt(now))
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * Ends all deployments without a visit, when all their resources are removed from the engine at once. In a transaction.
 */
export async function endAll(db: Database, now: Instant): Promise<void> {
  await db
    .updateTable('deployments')
    .set((eb) => ({
      state: 'expired',
      removedAt: now,
      restorableUntil: null,
      goneAt: now,
      pods: '[]',
      endpoints: '[]',
      explanation: printExplanation({ kind: 'ended', because: 'removed' }),
      generation: eb('generation', '+', 1),
    }))
    .where('goneAt', 'is', null)
    .execute();
  const routesVersion = await nextRoutesVersion(db);
  await db.updateTable('deployments').set({ routesVersion }).where('goneAt', '=', now).execute();
}

/** Deletes deployments that were removed before `before`, with their revisions, events and claims. */
export async function deleteRemovedDeployments(db: Database, before: Instant): Promise<void> {
  await db.deleteFrom('deployments').where('goneAt', '<', before).execute();
}

function toRow({
  explanation,
  pods,
  lastLines,
  endpoints,
  ownHosts,
  restarts,
  ...fields
}: Deployment): Insertable<DeploymentRow> {
  return {
    ...fields,
    explanation: printExplanation(explanation),
    pods: JSON.stringify(pods),
    lastLines: JSON.stringify(lastLines),
    endpoints: JSON.stringify(endpoints),
    ownHosts: JSON.stringify(ownHosts),
    restarts: JSON.stringify(restarts),
  };
}

function printExplanation(explanation: Explanation | null): string | null {
  return explanation && JSON.stringify(explanation);
}

export function deploymentFrom(row: Selectable<DeploymentRow>): Deployment {
  const { explanation, pods, lastLines, endpoints, ownHosts, restarts, ...own } = row;
  const { routesVersion: _, cluster: __, residentBytes: ___, ...fields } = own;
  return {
    ...fields,
    explanation: explanation === null ? null : JSON.parse(explanation),
    pods: JSON.parse(pods),
    lastLines: JSON.parse(lastLines),
    endpoints: JSON.parse(endpoints),
    ownHosts: JSON.parse(ownHosts),
    restarts: JSON.parse(restarts),
  };
}
