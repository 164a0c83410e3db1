/** PURE. How starts with a session's token count, after the session was claimed. */

/**
 * `free`: the deployment expires and has a stranger's limits, the default after a claim. `plan`: it is claimed from the
 * beginning and counts to the account's plan, as in sessions that the account has started.
 */
export const sessionStarts = ['free', 'plan'] as const;
export type SessionStarts = (typeof sessionStarts)[number];

/** Returns the account whose plan a start in the session counts to; null if it is free. */
export function payingAccount(session: { accountId: string | null; starts: SessionStarts }): string | null {
  return session.starts === 'plan' ? session.accountId : null;
}
