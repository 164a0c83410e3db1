/** PURE. What each error code means, and which of them the kinds of requests can be answered. */
import type { ProblemCode } from '../../lib/problem.ts';

/** In the description, beside the status. What happened in one case is in `error`, what to do in `hint`. */
export const meaningOf = {
  invalid_configuration: 'the configuration has errors; `errors` lists them all with line and column',
  unparsable_yaml: 'the body is no YAML',
  invalid_request: 'a parameter, a field or the body is missing or has another form',
  session_not_found: 'no session has this token, its owner has ended it, or nothing of it is active any more',
  application_not_found: 'the caller has no active application of this name',
  application_exists: 'the session runs an application of this name already; update it',
  extension_limit_reached: 'no extension is left',
  already_claimed: 'it belongs to an account',
  ambiguous_application: 'the account has several applications of this name; `environment` tells them apart',
  claim_not_found: 'there is no such claim link',
  claim_expired: 'the claim link, or its application, has ended',
  claim_changed: 'the claim would attach something that was not shown',
  missing_token: 'the request says nothing of who asks',
  not_signed_in: 'nobody is signed in',
  invalid_api_key: 'no account has this API key',
  api_key_not_found: 'the account has no such API key',
  token_not_found: 'the account has no session of this id',
  cross_site_request: 'a page of another site has sent it',
  plan_limit_reached: "the account's plan allows no more",
  client_limit_reached: 'who has no account may have no more from this address or in this session',
  banned: 'the operator takes nothing from this address or account',
  image_banned: 'the operator does not run this image',
  idempotency_key_reused: 'the key was used with another body',
  plan_does_not_allow_reservations: 'the plan has to be upgraded',
  rate_limited: 'too many requests; `Retry-After` says how long to wait',
  proof_of_work_required: 'the server is busy and asks for a proof of work: solve `challenge`',
  capacity_exhausted:
    'it does not fit on the server now, or too many large configurations are being read; `Retry-After` says when to ask again',
  engine_unreachable: 'the container engine does not answer; `Retry-After` says when to ask again',
  payload_too_large: 'the body is too large',
  unsupported_media_type: 'the body has a content type that is not read here',
  not_found: 'there is nothing at this path',
  method_not_allowed: 'the path takes other methods',
  internal: 'a failure of the service; the reference in `error` is also in its log',
} as const satisfies Record<ProblemCode, string>;

/** Who may ask. `optional`: nobody has to say who asks, and whoever does has to be known. */
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

/** Every request can be one too many, in a form that nobody reads, or meet a failure of the service. */
export const refusalsOfAll = ['rate_limited', 'invalid_request', 'internal'] as const satisfies readonly ProblemCode[];

/** Whoever is signed in by a cookie must not be made to change something by another site. */
export const refusalsOfChanges = ['cross_site_request'] as const satisfies readonly ProblemCode[];

/** Of a path with a place for a value: without a value, or with one that is too long, it is another path. */
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

/** Of what is deployed: plans, limits without a plan, bans, room, which the engine tells. */
export const refusalsOfAdmission = [
  'plan_limit_reached',
  'client_limit_reached',
  'banned',
  'image_banned',
  'capacity_exhausted',
  'engine_unreachable',
] as const satisfies readonly ProblemCode[];
