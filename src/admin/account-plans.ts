/** Accounts as the operator sees them, and their plans. */
import type { Kysely } from 'kysely';
import type { Instant } from '../deployment/deployment.ts';
import { limitAt, type Tier, type Tiers, tierNamed } from '../deployment/limits/plan-tier.ts';
import { accountByEmail, allAccounts, setTier, usageOf } from '../store/accounts.ts';
import { addAuditEntry } from '../store/audit-log.ts';
import { claimedDeploymentsOfAccount } from '../store/deployments.ts';
import { intend } from '../store/intents.ts';
import type { Tables } from '../store/rows.ts';
import { write } from '../store/transaction.ts';

export type AccountLine = {
  email: string;
  name: string;
  isEmailVerified: boolean;
  tier: string;
  deployments: number;
  memoryBytes: number;
  createdAt: string;
};

/** Returns the accounts in the order of their sign-up. */
export async function listAccounts(db: Kysely<Tables>, tiers: Tiers, now: Instant): Promise<AccountLine[]> {
  const lines: AccountLine[] = [];
  for (const { id, email, name, isEmailVerified, tier, createdAt } of await allAccounts(db)) {
    const usage = await usageOf(db, id, now);
    lines.push({ email, name, isEmailVerified, tier: tierNamed(tiers, tier).name, ...usage, createdAt });
  }
  return lines;
}

export type PlanChange =
  | { kind: 'changed'; from: string; to: string; deployments: number; isEmailVerified: boolean }
  | { kind: 'unchanged'; to: string; isEmailVerified: boolean }
  | { kind: 'no-account' }
  | { kind: 'no-tier'; names: string[] };

/**
 * Changes the tier of an account. Its deployments get the lifetime of the new tier from now on. Holds end if the tier
 * does not allow them. Resources above the tier stay: only new or larger ones are refused.
 */
export async function changePlan(
  db: Kysely<Tables>,
  { email, tier: name, tiers, actor, now }: { email: string; tier: string; tiers: Tiers; actor: string; now: Instant },
): Promise<PlanChange> {
  const tier = tiers.find((known) => known.name === name);
  if (!tier) return { kind: 'no-tier', names: tiers.map((known) => known.name) };
  return await write(db, 'all', async (db): Promise<PlanChange> => {
    const account = await accountByEmail(db, email);
    if (!account) return { kind: 'no-account' };
    const { isEmailVerified } = account;
    const from = tierNamed(tiers, account.tier).name;
    await setTier(db, account.id, tier.name);
    if (from === tier.name) return { kind: 'unchanged', to: tier.name, isEmailVerified };
    await addAuditEntry(db, { at: now, actor, action: `plan ${tier.name}`, subject: account.email, reason: '' });
    const deployments = await claimedDeploymentsOfAccount(db, account.id, now);
    for (const { id, heldAt } of deployments) {
      await intend(db, id, termsOf(tier, heldAt, now), {
        event: { kind: 'intent', intent: 'change-plan', plan: tier.name },
        now,
      });
    }
    return { kind: 'changed', from, to: tier.name, deployments: deployments.length, isEmailVerified };
  });
}

function termsOf(tier: Tier, heldAt: Instant | null, now: Instant) {
  return { expiresAt: limitAt(tier, now), heldAt: tier.allowsReservations ? heldAt : null };
}
