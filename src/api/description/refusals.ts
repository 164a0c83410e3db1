/** PURE. The error codes that each kind of request can return. */
import type { ProblemCode } from '../../lib/problem.ts';

/** The required credentials. `optional`: credentials may be missing, but must be valid if given. */
export type Access = 'public' | 'optional' | 'caller' | 'caller in body' | 'account' | 'sign-in';

const unknownCaller = ['session_not_found', 'invalid_api_key'] as const;
const knownCaller = ['missing_token', ...unknownCaller] as const;

export const refusalsOfAccess = {
  public: [],
  optional: unknownCaller,
  caller: knownCaller,
  'caller in body': knownCaller,
  account: ['not_signed_in', 'invalid_api_key'],
  'sign-in': ['not_signed_in'],
} as const satisfies Record<Access, readonly ProblemCode[]>;

/**
 * Every request may exceed a rate limit, have an unsupported format, or meet a failure of the service or its database.
 */
export const refusalsOfAll = [
  'rate_limited',
  'invalid_request',
  'store_unreachable',
  'storage_full',
  'internal',
] as const satisfies readonly ProblemCode[];

/** Other sites must not make changes with the cookie of a signed-in user. */
export const refusalsOfChanges = ['cross_site_request'] as const satisfies readonly ProblemCode[];

/** Refusals of a path with a placeholder. If the value is empty or too long, no route matches. */
export const refusalsOfPlaces = ['not_found', 'method_not_allowed'] as const satisfies readonly ProblemCode[];

export const refusalsOfBodies = [
  'payload_too_large',
  'unsupported_media_type',
] as const satisfies readonly ProblemCode[];

export const refusalsOfDocuments = [
  'unparsable_yaml',
  'invalid_configuration',
  'capacity_exhausted',
] as const satisfies readonly ProblemCode[];

export const refusalsOfApplications = [
  'application_not_found',
  'ambiguous_application',
] as const satisfies readonly ProblemCode[];

/** Refusals of deployments: plans, limits without a plan, bans, and capacity as reported by the engine. */
export const refusalsOfAdmission = [
  'plan_limit_reached',
  'client_limit_reached',
  'banned',
  'image_banned',
  'capacity_exhausted',
  'engine_unreachable',
] as const satisfies readonly ProblemCode[];

export const refusalsOfStarts = [
  ...refusalsOfDocuments,
  ...refusalsOfAdmission,
  'application_exists',
  'idempotency_key_reused',
  'proof_of_work_required',
] as const satisfies readonly ProblemCode[];

export const refusalsOfUpdates = [
  ...refusalsOfDocuments,
  ...refusalsOfAdmission,
  ...refusalsOfApplications,
  'application_suspended',
] as const satisfies readonly ProblemCode[];

/** Refusals of updates that may take a snapshot first: with `snapshot=true`, or because of the owner's preference. */
export const refusalsOfFirstSnapshots = [
  'snapshots_not_offered',
  'snapshot_needs_claim',
  'snapshot_under_way',
  'volume_not_found',
] as const satisfies readonly ProblemCode[];

export const refusalsOfSnapshots = [
  ...refusalsOfApplications,
  'snapshots_not_offered',
] as const satisfies readonly ProblemCode[];

export const refusalsOfDomains = [
  'invalid_domain',
  'domain_taken',
  'domain_needs_claim',
  'domains_not_offered',
] as const satisfies readonly ProblemCode[];

/** Errors of every request, and of every request with its access, method or form. */
export const usualCodes: ReadonlySet<string> = new Set([
  ...refusalsOfAll,
  ...refusalsOfAccess.caller.filter((code) => code !== 'session_not_found'),
  ...refusalsOfAccess.account,
  ...refusalsOfChanges,
  ...refusalsOfBodies,
  'method_not_allowed',
]);
