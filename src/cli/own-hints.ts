/** PURE. Hints on refusals that name commands instead of API requests. */
import type { Problem } from '../client/request.ts';
import type { ProblemCode } from '../lib/problem.ts';

/** Hints by the error code. A code that no service returns does not compile. */
const ownHints: { [code in ProblemCode]?: string } = {
  application_exists: '"berth update FILE" changes it, and "berth deploy FILE --new" starts another one.',
  application_stopped: '"berth start" starts the whole application.',
  domain_needs_claim: 'Claim it first: "berth claim" makes a link for that.',
  pod_not_running: '"berth status" shows its status.',
  session_not_found: '"berth status" says whether it can be restored; "berth deploy FILE" starts another one.',
  share_not_found: '"berth share" makes one.',
  snapshot_needs_claim: 'Claim it first: "berth claim" makes a link for that.',
  snapshot_not_found: '"berth snapshots" lists them.',
  snapshot_under_way: '"berth snapshots" says when it is done.',
  template_not_found: '"berth templates" lists them.',
};

export function hintOf({ code, hint }: Pick<Problem, 'code' | 'hint'>): string | undefined {
  return Object.hasOwn(ownHints, code) ? ownHints[code as ProblemCode] : hint;
}
