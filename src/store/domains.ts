/**
 * Custom domains: which account owns a name and which deployment it routes to. Each change of a target is a new version
 * of the routes.
 */
import { type Selectable, type SqlBool, sql } from 'kysely';
import type { Instant } from '../deployment/deployment.ts';
import { type Checked, type Domain, quarantineMs, type ReleaseCause } from '../deployment/domain/domain-state.ts';
import { isActiveAt } from './active.ts';
import type { Database } from './database.ts';
import { orderFairly } from './fair-order.ts';
import { nextRoutesVersion } from './routes.ts';
import type { DomainRow } from './rows.ts';

export type DomainKey = Pick<Domain, 'name' | 'accountId'>;

/** The condition of the index on owners, word for word. */
const isOwned = sql<SqlBool>`"verifiedAt" is not null and "releasedAt" is null`;

/** Returns the domains in the order of their addition, including lost ones. */
export async function domainsOfDeployment(db: Database, deploymentId: string): Promise<Domain[]> {
  const rows = await domains(db).where('deploymentId', '=', deploymentId).orderBy('addedAt').orderBy('name').execute();
  return rows.map(fromRow);
}

/** Returns all domains of an account, including lost ones. */
export async function domainsOfAccount(db: Database, accountId: string): Promise<Domain[]> {
  const rows = await domains(db).where('accountId', '=', accountId).orderBy('addedAt').orderBy('name').execute();
  return rows.map(fromRow);
}

export async function domainOfAccount(db: Database, { name, accountId }: DomainKey): Promise<Domain | undefined> {
  const row = await domains(db).where('name', '=', name).where('accountId', '=', accountId).executeTakeFirst();
  return row && fromRow(row);
}

/** Returns the number of an account's domains, proven or not. */
export async function countDomains(db: Database, accountId: string): Promise<number> {
  const { count } = await db
    .selectFrom('domains')
    .select((eb) => eb.fn.countAll().as('count'))
    .where('accountId', '=', accountId)
    .where('releasedAt', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Returns whether another account has the domain, or lost it so recently that it is still reserved. */
export async function isHeldByOther(db: Database, { name, accountId }: DomainKey, now: Instant): Promise<boolean> {
  const row = await db
    .selectFrom('domains')
    .select('name')
    .where('name', '=', name)
    .where('accountId', '!=', accountId)
    .where((eb) => eb.or([isOwned, eb('heldUntil', '>', now)]))
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns the proven domain with this name. */
export async function domainAt(db: Database, name: string): Promise<Domain | undefined> {
  const row = await domains(db).where('name', '=', name).where(isOwned).executeTakeFirst();
  return row && fromRow(row);
}

/**
 * Adds a domain, or moves one of the account to another deployment. A lost one must be proven again. Call it in a
 * transaction with the right to all rows.
 */
export async function putDomain(
  db: Database,
  put: Pick<Domain, 'name' | 'accountId' | 'deploymentId' | 'redirectTo'> & { now: Instant },
): Promise<void> {
  const { now, ...fields } = put;
  const present = await domainOfAccount(db, put);
  if (present?.releasedAt === null) {
    await setDomain(db, put, { ...fields, nextCheckAt: now });
    await turnRoutes(db, [present.deploymentId, put.deploymentId]);
    return;
  }
  if (present) await forget(db, put);
  const unproven = { verifiedAt: null, failingSince: null, checkedAt: null, finding: null };
  const kept = { releasedAt: null, releasedBecause: null, heldUntil: present?.heldUntil ?? null, told: null };
  await db
    .insertInto('domains')
    .values({ ...fields, ...unproven, ...kept, addedAt: now, nextCheckAt: now })
    .execute();
  await turnRoutes(db, [put.deploymentId, ...(present ? [present.deploymentId] : [])]);
}

/** The first `ofAccount` of each account that are due, at most `limit`: the first of every account before any second. */
export async function dueDomains(
  db: Database,
  now: Instant,
  { ofAccount, limit }: { ofAccount: number; limit: number },
): Promise<Domain[]> {
  const rows = await db
    .with('due', (db) =>
      db
        .selectFrom('domains')
        .selectAll()
        .select(orderFairly('accountId', 'nextCheckAt'))
        .where('releasedAt', 'is', null)
        .where('nextCheckAt', '<=', now),
    )
    .selectFrom('due')
    .selectAll()
    .where('place', '<=', ofAccount)
    .orderBy('place')
    .orderBy('nextCheckAt')
    .limit(limit)
    .execute();
  return rows.map(({ place: _, ...row }) => fromRow(row));
}

export async function makeDomainDue(db: Database, key: DomainKey, now: Instant): Promise<void> {
  await setDomain(db, key, { nextCheckAt: now });
}

/** Stores the result of a check. In a transaction that has everything. */
export async function recordDomainCheck(db: Database, before: Domain, checked: Checked): Promise<void> {
  const { finding, releasedAt, ...fields } = checked;
  await setDomain(db, before, { ...fields, finding: finding && JSON.stringify(finding) });
  if (releasedAt !== null) await releaseDomain(db, before, { because: 'unproven', now: releasedAt });
  else if (before.verifiedAt === null && checked.verifiedAt !== null) await turnRoutes(db, [before.deploymentId]);
}

/**
 * Releases a domain. A proven one stays reserved. A domain that was not proven is removed. Call it in a transaction
 * with the right to all rows.
 */
export async function releaseDomain(
  db: Database,
  { name, accountId }: DomainKey,
  { because, now }: { because: ReleaseCause; now: Instant },
): Promise<void> {
  const domain = await domainOfAccount(db, { name, accountId });
  if (!domain || domain.releasedAt !== null) return;
  const heldUntil = domain.verifiedAt === null ? domain.heldUntil : now + quarantineMs;
  if (because === 'removed' && (heldUntil ?? 0) <= now) await forget(db, domain);
  else await setDomain(db, domain, { releasedAt: now, releasedBecause: because, heldUntil });
  await turnRoutes(db, [domain.deploymentId]);
}

/**
 * Restores the domains that a deployment lost when it ended, unless another account has them now or the account's limit
 * is reached. Call it in a transaction with the right to all rows.
 */
export async function restoreDomains(
  db: Database,
  deploymentId: string,
  { most, now }: { most: number; now: Instant },
): Promise<void> {
  const ended = (await domainsOfDeployment(db, deploymentId)).filter(
    ({ releasedBecause }) => releasedBecause === 'ended',
  );
  for (const domain of ended) {
    if ((await isHeldByOther(db, domain, now)) || (await countDomains(db, domain.accountId)) >= most) continue;
    await setDomain(db, domain, { releasedAt: null, releasedBecause: null, nextCheckAt: now });
  }
  if (ended.length > 0) await turnRoutes(db, [deploymentId]);
}

/** Returns domains whose deployment has ended or no longer belongs to the account. */
export async function strayDomains(db: Database, now: Instant): Promise<Domain[]> {
  const rows = await domains(db)
    .where('releasedAt', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('deployments')
            .innerJoin('sessions', 'sessions.id', 'deployments.sessionId')
            .select('deployments.id')
            .whereRef('deployments.id', '=', 'domains.deploymentId')
            .whereRef('sessions.accountId', '=', 'domains.accountId')
            .where(isActiveAt(now)),
        ),
      ),
    )
    .execute();
  return rows.map(fromRow);
}

/** Domains with a problem that the owner may need to learn of, or with a reported problem that has passed. */
export async function domainsWithProblems(db: Database): Promise<Domain[]> {
  const rows = await domains(db)
    .where('verifiedAt', 'is not', null)
    .where((eb) =>
      eb.or([
        eb('told', 'is not', null),
        eb('failingSince', 'is not', null),
        eb('name', 'in', eb.selectFrom('certificates').select('host').where('failures', '>', 0)),
      ]),
    )
    .orderBy('name')
    .execute();
  return rows.map(fromRow);
}

export async function recordDomainNotice(db: Database, key: DomainKey, reported: Domain['told']): Promise<void> {
  await setDomain(db, key, { told: reported });
}

/** All domains that an account owns. */
export async function ownedDomains(db: Database): Promise<Domain[]> {
  return (await domains(db).where(isOwned).execute()).map(fromRow);
}

/** All verified domains of serving deployments. */
export async function servedDomains(db: Database): Promise<Domain[]> {
  const serving = db.selectFrom('deployments').select('id').where('goneAt', 'is', null).where('endpoints', '!=', '[]');
  const rows = await domains(db).where(isOwned).where('deploymentId', 'in', serving).orderBy('verifiedAt').execute();
  return rows.map(fromRow);
}

/** Deletes obsolete rows. Edges were notified long before. */
export async function deleteReleasedDomains(db: Database, now: Instant): Promise<void> {
  await db
    .deleteFrom('domains')
    .where('releasedAt', '<=', now - quarantineMs)
    .execute();
}

async function forget(db: Database, { name, accountId }: DomainKey): Promise<void> {
  await db.deleteFrom('domains').where('name', '=', name).where('accountId', '=', accountId).execute();
}

async function setDomain(db: Database, { name, accountId }: DomainKey, fields: Partial<DomainRow>): Promise<void> {
  await db.updateTable('domains').set(fields).where('name', '=', name).where('accountId', '=', accountId).execute();
}

/** Edges read these deployments again. */
async function turnRoutes(db: Database, deploymentIds: readonly string[]): Promise<void> {
  const routesVersion = await nextRoutesVersion(db);
  await db.updateTable('deployments').set({ routesVersion }).where('id', 'in', deploymentIds).execute();
}

function domains(db: Database) {
  return db.selectFrom('domains').selectAll();
}

function fromRow({ finding, ...fields }: Selectable<DomainRow>): Domain {
  return { ...fields, finding: finding === null ? null : JSON.parse(finding) };
}
