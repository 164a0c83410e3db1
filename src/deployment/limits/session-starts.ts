/** PURE. What a start with a session's token is, once the session belongs to an account. */

/**
 * `free`: it expires and has a stranger's limits, as a claim leaves it; `plan`: it is claimed from the beginning and
 * counts to the account's plan, as in sessions that the account has started itself.
 */
export const sessionStarts = ['free', 'plan'] as const;
export type SessionStarts = (typeof sessionStarts)[number];

/** The account whose plan a start in the session is counted to; null where it is free. */
export function payingAccount(session: { accountId: string | null; starts: SessionStarts }): string | null {
  return session.starts === 'plan' ? session.accountId : null;
}
