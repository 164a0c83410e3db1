/**
 * The dashboard's hints for refusals. The service's own hints name API requests, which dashboard users do not send.
 * Pure.
 */

/** Hints by the code of the problem. */
export const ownHints: ReadonlyMap<string, string> = new Map(
  Object.entries({
    api_key_not_found: 'It may have been deleted in the meantime: load the page again.',
    application_stopped: 'Start it again first.',
    domain_needs_claim: 'Claim it first: a domain belongs to an account.',
    not_signed_in: 'Sign in again.',
    pod_not_running: 'The overview shows its status.',
    share_not_found: 'Ask the sender for another link.',
    sign_in_not_found: 'It may have ended in the meantime: load the page again.',
    snapshot_needs_claim: 'Claim it first.',
    snapshot_not_found: 'It may have been deleted in the meantime: load the page again.',
    snapshot_under_way: 'The list of snapshots says when it is done.',
    template_not_found: 'The page of templates lists all templates.',
    token_not_found: 'It may have ended in the meantime: load the page again.',
    webhook_not_found: 'Save its address once more.',
  }),
);

export function withOwnHint<T extends { code: string; hint?: string }>(problem: T): T {
  const hint = ownHints.get(problem.code);
  return hint === undefined ? problem : { ...problem, hint };
}
