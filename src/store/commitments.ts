/** Commitments: what the deployments that are present have been promised of the host. */
import { type Amount, amountBy, amountKeys } from '../deployment/limits/pod-resources.ts';
import type { Database } from './database.ts';

/** The sum over all deployments that may have something on the engine. */
export async function committedInAll(db: Database): Promise<Amount> {
  return toAmount(await sumOf(db, largestOf(db).where('deployments.goneAt', 'is', null).groupBy('deployments.id')));
}

export async function committedTo(db: Database, deploymentId: string): Promise<Amount> {
  return toAmount(await largestOf(db).where('deployments.id', '=', deploymentId).executeTakeFirst());
}

/** What deployments have been promised together. */
export async function committedToAll(db: Database, deploymentIds: readonly string[]): Promise<Amount> {
  if (deploymentIds.length === 0) return toAmount(undefined);
  const perDeployment = largestOf(db).where('deployments.id', 'in', deploymentIds).groupBy('deployments.id');
  return toAmount(await sumOf(db, perDeployment));
}

async function sumOf(db: Database, perDeployment: ReturnType<typeof largestOf>) {
  return await db
    .selectFrom(perDeployment.as('perDeployment'))
    .select((eb) => amountKeys.map((key) => eb.fn.sum(key).as(key)))
    .executeTakeFirst();
}

/** Of the revision that was asked for and the one that serves, whatever is more: a failed update goes back. */
function largestOf(db: Database) {
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
    .select((eb) => amountKeys.map((key) => eb.fn.max(`revisions.${key}`).as(key)));
}

/** PostgreSQL answers sums of large numbers as text; the sum of no rows is null. */
function toAmount(row: { [K in keyof Amount]?: unknown } | undefined): Amount {
  return amountBy((key) => Number(row?.[key] ?? 0));
}
