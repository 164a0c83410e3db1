/** Accounts: who claims. The sign-in library writes them; their tier is written here. */

import type { Instant } from '../deployment/deployment.ts';
import type { Usage } from '../deployment/limits/plan-tier.ts';
import type { Database } from './database.ts';
import { claimedDeploymentsOfAccount } from './deployments.ts';
import { usageOfDeployments } from './usage.ts';

export type Account = {
  id: string;
  name: string;
  email: string;
  isEmailVerified: boolean;
  /** The tier as it was set. Null: the first tier of the settings applies. */
  tier: string | null;
  createdAt: string;
};

export async function accountById(db: Database, id: string): Promise<Account | undefined> {
  const row = await accounts(db).where('id', '=', id).executeTakeFirst();
  return row && fromRow(row);
}

/** Addresses are stored in lower case. */
export async function accountByEmail(db: Database, email: string): Promise<Account | undefined> {
  const row = await accounts(db).where('email', '=', email.toLowerCase()).executeTakeFirst();
  return row && fromRow(row);
}

/** Returns the accounts in the order of their sign-up. */
export async function allAccounts(db: Database): Promise<Account[]> {
  const rows = await accounts(db).orderBy('createdAt').orderBy('id').execute();
  return rows.map(fromRow);
}

export async function setTier(db: Database, id: string, tier: string): Promise<void> {
  await db.updateTable('accounts').set({ tier }).where('id', '=', id).execute();
}

export async function releaseSessions(db: Database, accountId: string): Promise<void> {
  await db.updateTable('sessions').set({ accountId: null }).where('accountId', '=', accountId).execute();
}

/** The total usage of the account's active deployments that count toward its plan. */
export async function usageOf(db: Database, accountId: string, now: Instant): Promise<Usage> {
  const deployments = await claimedDeploymentsOfAccount(db, accountId, now);
  return await usageOfDeployments(
    db,
    deployments.map(({ id }) => id),
  );
}

/** Returns whether the account has a password. */
export async function hasPassword(db: Database, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('credentials')
    .select('id')
    .where('userId', '=', id)
    .where('password', 'is not', null)
    .executeTakeFirst();
  return row !== undefined;
}

function accounts(db: Database) {
  return db.selectFrom('accounts').select(['id', 'name', 'email', 'emailVerified', 'tier', 'createdAt']);
}

type Row = Awaited<ReturnType<ReturnType<typeof accounts>['executeTakeFirstOrThrow']>>;

function fromRow({ emailVerified, createdAt, ...fields }: Row): Account {
  return { ...fields, isEmailVerified: Boolean(emailVerified), createdAt: new Date(createdAt).toISOString() };
}
