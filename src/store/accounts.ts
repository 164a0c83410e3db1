/** Accounts: who claims. The sign-in library writes them; their tier is written here. */

import type { Instant } from '../deployment/deployment.ts';
import type { Usage } from '../deployment/tier.ts';
import { committedToAll } from './commitments.ts';
import type { Database } from './database.ts';
import { activeDeploymentsOfAccount } from './deployments.ts';

export type Account = {
  id: string;
  name: string;
  email: string;
  isEmailVerified: boolean;
  /** As it was set; null: none was, and the first of the settings applies. */
  tier: string | null;
};

export async function accountById(db: Database, id: string): Promise<Account | undefined> {
  const row = await accounts(db).where('id', '=', id).executeTakeFirst();
  return row && fromRow(row);
}

/** What the account's active deployments are in all. */
export async function usageOf(db: Database, accountId: string, now: Instant): Promise<Usage> {
  const deployments = await activeDeploymentsOfAccount(db, accountId, now);
  const ids = deployments.map(({ id }) => id);
  return { deployments: ids.length, memoryBytes: (await committedToAll(db, ids)).memoryBytes };
}

function accounts(db: Database) {
  return db.selectFrom('accounts').select(['id', 'name', 'email', 'emailVerified', 'tier']);
}

type Row = Awaited<ReturnType<ReturnType<typeof accounts>['executeTakeFirstOrThrow']>>;

function fromRow({ emailVerified, ...fields }: Row): Account {
  return { ...fields, isEmailVerified: Boolean(emailVerified) };
}
