/**
 * Commitments: what the deployments that are present have been promised of the host. The sum of all is kept, because
 * every start asks for it: to add it up took 0.5 s with 100,000 deployments (measured).
 */
import { type Expression, expressionBuilder, type Kysely, type SqlBool } from 'kysely';
import { type Amount, amountBy, amountKeys } from '../deployment/limits/pod-resources.ts';
import type { Database } from './database.ts';
import type { Tables } from './rows.ts';
import { write } from './transaction.ts';
import { type Writing, writeAll } from './write-all.ts';

/** The sum over all deployments that may have something on the engine. */
export async function committedInAll(db: Database): Promise<Amount> {
  return toAmount(await db.selectFrom('commitmentTotals').select(amountKeys).executeTakeFirst());
}

/** The same, added up: what the kept sum has to be. */
export async function addUpCommitments(db: Database): Promise<Amount> {
  return toAmount(await sumOf(db, largestOfPresent(db).groupBy('deployments.id')));
}

/**
 * Keeps the sum: call it in the transaction that has changed which revisions of a deployment count, or whether it is
 * there, after that.
 */
export async function recommit(db: Database, deploymentId: string): Promise<void> {
  const known = await db
    .selectFrom('commitments')
    .select(amountKeys)
    .where('deploymentId', '=', deploymentId)
    .executeTakeFirst();
  const before = toAmount(known);
  const present = toAmount(await largestOfPresent(db).where('deployments.id', '=', deploymentId).executeTakeFirst());
  const added = amountBy((key) => present[key] - before[key]);
  if (amountKeys.every((key) => added[key] === 0)) return;
  await writeAll(db, committing(db, deploymentId, { present, added }));
}

/** Keeps the sum where a deployment has become present that has had nothing. */
export function committingFirst(db: Database, deploymentId: string, present: Amount): Writing[] {
  return committing(db, deploymentId, { present, added: present });
}

function committing(db: Database, deploymentId: string, { present, added }: { present: Amount; added: Amount }) {
  return [
    db
      .insertInto('commitments')
      .values({ deploymentId, ...present })
      .onConflict((conflict) => conflict.column('deploymentId').doUpdateSet(present)),
    db
      .insertInto('commitmentTotals')
      .values({ id: 1, ...added })
      .onConflict((conflict) =>
        conflict
          .column('id')
          .doUpdateSet((eb) =>
            Object.fromEntries(amountKeys.map((key) => [key, eb(`commitmentTotals.${key}`, '+', added[key])])),
          ),
      ),
  ];
}

/** When nobody has anything any more. In a transaction. */
export async function forgetCommitments(db: Database): Promise<void> {
  await db.deleteFrom('commitments').execute();
  await db.deleteFrom('commitmentTotals').execute();
}

/** Counts anew where the sum is another one: an earlier release, which keeps none, has written, or still does. */
export async function recountCommitments(db: Kysely<Tables>): Promise<void> {
  if (isSame(await committedInAll(db), await addUpCommitments(db))) return;
  await write(db, 'all', async (db) => {
    await forgetCommitments(db);
    await db
      .insertInto('commitments')
      .columns([...amountKeys, 'deploymentId'])
      .expression(largestOfPresent(db).select('deployments.id').groupBy('deployments.id'))
      .execute();
    await db
      .insertInto('commitmentTotals')
      .values({ id: 1, ...(await addUpCommitments(db)) })
      .execute();
  });
}

function isSame(one: Amount, other: Amount): boolean {
  return amountKeys.every((key) => one[key] === other[key]);
}

function largestOfPresent(db: Database) {
  return largestOf(db).where('deployments.goneAt', 'is', null);
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
    .select((eb) =>
      amountKeys.map((key) =>
        eb.fn
          .coalesce(
            eb.fn.max(
              eb
                .case()
                .when(counts(key))
                .then(eb.ref(`revisions.${key}`))
                .else(0)
                .end(),
            ),
            eb.lit(0),
          )
          .as(key),
      ),
    );
}

/** Of one whose workloads are gone only what its volumes take counts, and that as long as they are kept. */
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
