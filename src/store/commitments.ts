/**
 * Commitments: the resources that existing deployments have reserved on the host. Every start computes the sum: 2 ms
 * with 1,000 deployments and 20 ms with 10,000 (measured with SQLite).
 */
import { type Expression, expressionBuilder, type SqlBool } from 'kysely';
import { type Amount, amountBy, amountKeys } from '../deployment/limits/pod-resources.ts';
import type { Database } from './database.ts';
import type { Tables } from './rows.ts';

/**
 * Returns the sum over all deployments that may have objects on the engine. A deployment that sleeps uses no processor
 * and only the memory that it was measured with, so others can have the rest. A wake is never refused for lack of it.
 */
export async function committedInAll(db: Database): Promise<Amount> {
  const present = largestOf(db, usedAsleep).where('deployments.goneAt', 'is', null);
  return toAmount(await sumOf(db, present.groupBy('deployments.id')));
}

export async function committedTo(db: Database, deploymentId: string): Promise<Amount> {
  return toAmount(await largestOf(db).where('deployments.id', '=', deploymentId).executeTakeFirst());
}

/** The total that deployments have been promised. */
export async function committedToAll(db: Database, deploymentIds: readonly string[]): Promise<Amount> {
  if (deploymentIds.length === 0) return toAmount(undefined);
  const perDeployment = largestOf(db).where('deployments.id', 'in', deploymentIds).groupBy('deployments.id');
  return toAmount(await sumOf(db, perDeployment));
}

/** A table of a query, with `deploymentId`, for each deployment with retained data. */
export function committedToRetained(db: Database) {
  const kept = largestOf(db)
    .where('deployments.goneAt', 'is', null)
    .where('deployments.restorableUntil', 'is not', null);
  return kept.select('deployments.id as deploymentId').groupBy('deployments.id');
}

async function sumOf(db: Database, perDeployment: ReturnType<typeof largestOf>) {
  return await db
    .selectFrom(perDeployment.as('perDeployment'))
    .select((eb) => amountKeys.map((key) => eb.fn.sum(key).as(key)))
    .executeTakeFirst();
}

/** The larger of the requested and the serving revision, because a failed update rolls back. */
function largestOf(db: Database, amountOf = requestedAmount) {
  return db
    .selectFrom('deployments')
    .innerJoin('revisions', (join) =>
      join
        .onRef('revisions.deploymentId', '=', 'deployments.id')
        .on((eb) =>
          eb.or([
            eb('revisions.number', '=', eb.ref('deployments.revision')),
            eb('revisions.number', '=', eb.ref('deployments.servingRevision')),
          ]),
        ),
    )
    .select((eb) =>
      amountKeys.map((key) =>
        eb.fn.coalesce(eb.fn.max(eb.case().when(counts(key)).then(amountOf(key)).else(0).end()), eb.lit(0)).as(key),
      ),
    );
}

const joined = expressionBuilder<Tables, 'deployments' | 'revisions'>();

function requestedAmount(key: keyof Amount): Expression<number> {
  return joined.ref(`revisions.${key}`);
}

function usedAsleep(key: keyof Amount): Expression<number> {
  const requested = requestedAmount(key);
  const isAsleep = joined('deployments.sleep', 'is not', null);
  if (key === 'cpuMillis') return joined.case().when(isAsleep).then(0).else(requested).end();
  if (key !== 'memoryBytes') return requested;
  const resident = joined.ref('deployments.residentBytes').$castTo<number>();
  return joined
    .case()
    .when('deployments.sleep', '=', 'stopped')
    .then(0)
    .when(joined.and([isAsleep, joined('deployments.residentBytes', '<', joined.ref('revisions.memoryBytes'))]))
    .then(resident)
    .else(requested)
    .end();
}

/** A deployment without workloads counts only with its volumes, as long as they are retained. */
function counts(key: keyof Amount): Expression<SqlBool> {
  const row = expressionBuilder<Tables, 'deployments'>();
  const hasAll = row('deployments.keptAt', 'is', null);
  return key === 'diskBytes' || key === 'volumes'
    ? row.or([hasAll, row('deployments.restorableUntil', 'is not', null)])
    : hasAll;
}

/** PostgreSQL answers sums of large numbers as text; the sum of no rows is null. */
function toAmount(row: { [K in keyof Amount]?: unknown } | undefined): Amount {
  return amountBy((key) => Number(row?.[key] ?? 0));
}
