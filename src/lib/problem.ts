/** Refusals are values. Faults (bugs, a broken disk) throw and end at the API's boundary or in the control loop. */

export type ProblemCode =
  | 'invalid_configuration'
  | 'unparsable_yaml'
  | 'invalid_request'
  | 'session_not_found'
  | 'application_not_found'
  | 'application_exists'
  | 'extension_limit_reached'
  | 'already_claimed'
  | 'ambiguous_application'
  | 'claim_not_found'
  | 'claim_expired'
  | 'claim_changed'
  | 'missing_token'
  | 'not_signed_in'
  | 'invalid_api_key'
  | 'api_key_not_found'
  | 'token_not_found'
  | 'cross_site_request'
  | 'plan_limit_reached'
  | 'client_limit_reached'
  | 'banned'
  | 'image_banned'
  | 'idempotency_key_reused'
  | 'plan_does_not_allow_reservations'
  | 'rate_limited'
  | 'proof_of_work_required'
  | 'capacity_exhausted'
  | 'engine_unreachable'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'not_found'
  | 'method_not_allowed'
  | 'internal';

/** `error` says what is wrong, `hint` what to do next; `errors` lists the single faults of a configuration. */
export type Problem = {
  code: ProblemCode;
  error: string;
  hint?: string;
  errors?: string[];
  /** The same faults as values, with what is only odd. */
  diagnostics?: readonly object[];
  /** When a second try may go better. */
  retryAfterSeconds?: number;
  /** What the caller has to solve first. */
  challenge?: unknown;
};

export type Result<T> = { ok: true; value: T } | { ok: false; problem: Problem };

export function succeed<T>(value: T): Result<T> {
  return { ok: true, value };
}

export function refuse(code: ProblemCode, error: string, hint?: string): { ok: false; problem: Problem } {
  return { ok: false, problem: { code, error, ...(hint && { hint }) } };
}
