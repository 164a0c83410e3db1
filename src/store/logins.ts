/**
 * Logins: a command line requests an API key, and a user confirms it in a browser (RFC 8628). The command line has the
 * device code, the user the user code. Only hashes of both are stored, and the key is created when it is fetched.
 */
import type { Instant } from '../deployment/deployment.ts';
import { hashToken } from '../lib/ids.ts';
import type { Database } from './database.ts';
import type { Origin } from './origins.ts';
import type { Tables } from './rows.ts';

/** The details shown to the user who confirms the login. */
export type Login = Pick<Tables['logins'], 'machine' | 'address' | 'client' | 'createdAt' | 'expiresAt'>;

export type LoginDecision = 'approved' | 'denied';

type NewLogin = { deviceCode: string; userCode: string; machine: string; origin: Origin } & Pick<
  Login,
  'createdAt' | 'expiresAt'
> & { intervalMs: number };

/** Returns false if another login currently has the same user code. */
export async function addLogin(
  db: Database,
  { deviceCode, userCode, origin: { address, client }, ...fields }: NewLogin,
): Promise<boolean> {
  const result = await db
    .insertInto('logins')
    .values({
      ...fields,
      address,
      client,
      accountId: null,
      decision: null,
      nextPollAt: nextPoll(fields.createdAt, fields.intervalMs),
      deviceHash: hashToken(deviceCode),
      userHash: hashToken(userCode),
    })
    .onConflict((conflict) => conflict.column('userHash').doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** A login that is still undecided. */
export async function waitingLogin(db: Database, userCode: string, now: Instant): Promise<Login | undefined> {
  return await db
    .selectFrom('logins')
    .select(['machine', 'address', 'client', 'createdAt', 'expiresAt'])
    .where('userHash', '=', hashToken(userCode))
    .where('decision', 'is', null)
    .where('expiresAt', '>', now)
    .executeTakeFirst();
}

/** The first decision counts. Returns false if no login waits for a decision. */
export async function decideLogin(
  db: Database,
  userCode: string,
  { accountId, decision, now }: { accountId: string; decision: LoginDecision; now: Instant },
): Promise<boolean> {
  const result = await db
    .updateTable('logins')
    .set({ accountId, decision })
    .where('userHash', '=', hashToken(userCode))
    .where('decision', 'is', null)
    .where('expiresAt', '>', now)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** RFC 8628, section 3.5: a client that polls too soon waits this much longer from then on, each time. */
const slowDownMs = 5_000;
/** Requests can be delayed, so two polls may arrive closer together than they were sent. */
const toleranceMs = 500;

export type Polled =
  | { state: 'unknown' }
  | { state: 'too-soon'; intervalMs: number }
  | { state: 'waiting'; intervalMs: number }
  | { state: 'denied' }
  | { state: 'approved'; accountId: string; machine: string };

/** The state of a login. A decision is returned once and then deleted. Within a transaction. */
export async function pollLogin(db: Database, deviceCode: string, now: Instant): Promise<Polled> {
  const deviceHash = hashToken(deviceCode);
  const login = await db
    .selectFrom('logins')
    .select(['machine', 'nextPollAt', 'intervalMs', 'accountId', 'decision'])
    .where('deviceHash', '=', deviceHash)
    .where('expiresAt', '>', now)
    .executeTakeFirst();
  if (!login) return { state: 'unknown' };
  const isTooSoon = now < login.nextPollAt;
  const intervalMs = login.intervalMs + (isTooSoon ? slowDownMs : 0);
  if (isTooSoon || login.decision === null || login.accountId === null) {
    const next = { nextPollAt: nextPoll(now, intervalMs), intervalMs };
    await db.updateTable('logins').set(next).where('deviceHash', '=', deviceHash).execute();
    return { state: isTooSoon ? 'too-soon' : 'waiting', intervalMs };
  }
  await db.deleteFrom('logins').where('deviceHash', '=', deviceHash).execute();
  const { accountId, machine, decision } = login;
  return decision === 'approved' ? { state: 'approved', accountId, machine } : { state: 'denied' };
}

function nextPoll(now: Instant, intervalMs: number): Instant {
  return now + intervalMs - toleranceMs;
}

export async function deleteOldLogins(db: Database, now: Instant): Promise<void> {
  await db.deleteFrom('logins').where('expiresAt', '<=', now).execute();
}
