/** Refusals are values. Faults (bugs, a broken disk) throw and end at the API's boundary or in the control loop. */

/** `error`: what is wrong. `hint`: what to do next. `errors`: the individual problems of a configuration. */
export type Problem = {
  code: ProblemCode;
  error: string;
  hint?: string;
  errors?: string[];
  /** The same problems as values, with warnings. */
  diagnostics?: readonly object[];
  /** The time after which a retry may succeed. */
  retryAfterSeconds?: number;
  /** The challenge that the caller must solve first. */
  challenge?: unknown;
};

export type Result<T> = { ok: true; value: T } | { ok: false; problem: Problem };

export function succeed<T>(value: T): Result<T> {
  return { ok: true, value };
}

export function refuse(code: ProblemCode, error: string, hint?: string): { ok: false; problem: Problem } {
  return { ok: false, problem: { code, error, ...(hint && { hint }) } };
}

/**
 * Every reason for which a request is refused: the HTTP status, and its meaning in the description of the API. The
 * `error` of a problem describes the single case, and the `hint` what to do.
 */
export const problemCodes = {
  invalid_configuration: {
    status: 400,
    meaning: 'the configuration has errors; `errors` lists them all with line and column',
  },
  unparsable_yaml: { status: 400, meaning: 'the body is not valid YAML' },
  invalid_request: { status: 400, meaning: 'a parameter, a field, or the body is missing or invalid' },
  session_not_found: {
    status: 404,
    meaning: 'the session token is unknown or was ended, or the session has no active deployments',
  },
  revision_not_found: {
    status: 404,
    meaning: 'the deployment no longer has this revision, or has no earlier one to go back to',
  },
  application_not_found: { status: 404, meaning: 'the caller has no active application of this name' },
  application_exists: { status: 409, meaning: 'the session already runs an application of this name; update it' },
  application_stopped: { status: 409, meaning: 'the application is stopped; start it first' },
  application_suspended: { status: 403, meaning: 'the operator has suspended the application' },
  exec_not_allowed: { status: 403, meaning: 'no commands may be run in the pods of this deployment' },
  pod_not_running: { status: 409, meaning: 'no container of the pod runs now' },
  command_not_started: { status: 409, meaning: 'the command cannot be run in the pod' },
  extension_limit_reached: { status: 409, meaning: 'no extension is left' },
  already_claimed: { status: 409, meaning: 'the deployment already belongs to an account' },
  ambiguous_application: {
    status: 409,
    meaning: 'the account has several applications of this name; set `environment`',
  },
  claim_not_found: { status: 404, meaning: 'the claim link does not exist' },
  claim_expired: { status: 410, meaning: 'the claim link, or its application, has ended' },
  claim_changed: { status: 409, meaning: 'the claim would attach deployments that were not shown' },
  share_not_found: { status: 404, meaning: 'the share link does not exist or was revoked' },
  missing_token: { status: 401, meaning: 'the request has no token' },
  not_signed_in: { status: 401, meaning: 'the caller is not signed in' },
  invalid_api_key: { status: 401, meaning: 'no account has this API key' },
  api_key_not_found: { status: 404, meaning: 'the account has no such API key' },
  webhook_not_found: { status: 404, meaning: 'the account has no webhook, or it was switched off' },
  sign_in_not_found: { status: 404, meaning: 'the account has no such sign-in' },
  // The next four as RFC 8628 and 6749 name them.
  authorization_pending: { status: 400, meaning: 'the login is not confirmed yet; try again' },
  slow_down: {
    status: 400,
    meaning: 'the client polls too often; `Retry-After` is the new interval',
  },
  access_denied: { status: 400, meaning: 'the user refused the login' },
  expired_token: { status: 400, meaning: 'the login has expired or does not exist' },
  login_not_found: { status: 404, meaning: 'no login waits with this code' },
  invalid_domain: { status: 400, meaning: 'this name cannot be a custom domain' },
  domain_taken: { status: 409, meaning: 'another account has this name, or lost it within the last seven days' },
  domain_not_found: { status: 404, meaning: 'the deployment has no such custom domain' },
  domain_needs_claim: { status: 409, meaning: 'only a claimed deployment can have custom domains' },
  domains_not_offered: { status: 409, meaning: 'this service has no certificates for custom domains' },
  snapshots_not_offered: { status: 409, meaning: 'this service takes no snapshots' },
  snapshot_needs_claim: { status: 409, meaning: 'only a claimed deployment, or one with a hold, has snapshots' },
  snapshot_not_found: { status: 404, meaning: 'the deployment has no such snapshot that can be restored' },
  snapshot_under_way: { status: 409, meaning: 'a snapshot of the deployment is being taken or restored' },
  volume_not_found: { status: 404, meaning: 'the deployment, or the snapshot, has no such volume' },
  template_not_found: { status: 404, meaning: 'no template has this name' },
  document_unavailable: {
    status: 502,
    meaning: 'the address did not return a text that could be a configuration, or is not a reachable Git repository',
  },
  token_not_found: { status: 404, meaning: 'the account has no session of this id' },
  cross_site_request: { status: 403, meaning: 'the request came from a page of another site' },
  plan_limit_reached: { status: 403, meaning: "the account's plan allows no more" },
  client_limit_reached: {
    status: 403,
    meaning: 'the limit of this address or session for users without an account is reached',
  },
  banned: { status: 403, meaning: 'the operator has banned this address or account' },
  image_banned: { status: 403, meaning: 'the operator has banned this image' },
  idempotency_key_reused: { status: 409, meaning: 'the key was used with another body' },
  // The interface's own status for a plan that must be upgraded.
  plan_does_not_allow_reservations: { status: 500, meaning: 'the plan must be upgraded' },
  rate_limited: { status: 429, meaning: 'too many requests; `Retry-After` says how long to wait' },
  proof_of_work_required: {
    status: 429,
    meaning: 'the server is busy and requires a proof of work: solve `challenge`',
  },
  capacity_exhausted: {
    status: 503,
    meaning:
      'the server lacks free capacity, or is reading too many large configurations; `Retry-After` says when to try again',
  },
  engine_unreachable: {
    status: 503,
    meaning: 'the container engine does not respond; `Retry-After` says when to try again',
  },
  store_unreachable: {
    status: 503,
    meaning:
      'the database does not respond or is too busy; `error` says whether the request may have been completed, `Retry-After` when to try again',
  },
  storage_full: {
    status: 503,
    meaning: 'the disk of the service is full, and nothing was changed; `Retry-After` says when to try again',
  },
  certificate_late: {
    status: 503,
    meaning: 'a certificate of the service is missing, or expires within a week and was not renewed',
  },
  payload_too_large: { status: 413, meaning: 'the body is too large' },
  unsupported_media_type: { status: 415, meaning: 'the content type of the body is not supported' },
  not_found: { status: 404, meaning: 'this path does not exist' },
  method_not_allowed: { status: 405, meaning: 'the path does not support this method' },
  internal: { status: 500, meaning: 'an internal error; the reference in `error` is also in the log of the service' },
} as const satisfies Record<string, { status: number; meaning: string }>;

export type ProblemCode = keyof typeof problemCodes;
