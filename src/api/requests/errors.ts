/** Problems → HTTP. A code without a status does not compile. */
import type { FastifyReply } from 'fastify';
import { EngineFault } from '../../engine/engine.ts';
import type { Problem, ProblemCode } from '../../lib/problem.ts';
import { type Part, type Violation, violationProblem } from './schema-refusal.ts';

export const statusOf = {
  invalid_configuration: 400,
  unparsable_yaml: 400,
  invalid_request: 400,
  session_not_found: 404,
  application_not_found: 404,
  application_exists: 409,
  extension_limit_reached: 409,
  already_claimed: 409,
  ambiguous_application: 409,
  claim_not_found: 404,
  claim_expired: 410,
  claim_changed: 409,
  missing_token: 401,
  not_signed_in: 401,
  invalid_api_key: 401,
  api_key_not_found: 404,
  token_not_found: 404,
  cross_site_request: 403,
  plan_limit_reached: 403,
  client_limit_reached: 403,
  banned: 403,
  image_banned: 403,
  idempotency_key_reused: 409,
  // The interface's own status for a plan that must be upgraded.
  plan_does_not_allow_reservations: 500,
  rate_limited: 429,
  proof_of_work_required: 429,
  capacity_exhausted: 503,
  engine_unreachable: 503,
  payload_too_large: 413,
  unsupported_media_type: 415,
  not_found: 404,
  method_not_allowed: 405,
  internal: 500,
} as const satisfies Record<ProblemCode, number>;

export const nothingHere: Problem = {
  code: 'not_found',
  error: 'There is nothing at this path.',
  hint: 'GET /docs describes all paths.',
};

export const engineAway: Problem = {
  code: 'engine_unreachable',
  error: 'The container engine does not answer.',
  hint: 'What runs keeps running. Try again in a while; if it stays, tell the operator.',
  retryAfterSeconds: 5,
};

/** Whether the engine could not be asked: nothing that the request, or we, did wrong. */
export function isEngineAway(error: unknown): boolean {
  return error instanceof EngineFault && error.kind === 'unavailable';
}

/** For where only an error can be thrown; the error boundary answers the problem. */
export class RefusedRequest extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.error);
    this.problem = problem;
  }
}

export function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  const { code, error, hint, errors, diagnostics, retryAfterSeconds, challenge } = problem;
  if (retryAfterSeconds !== undefined) reply.header('Retry-After', retryAfterSeconds);
  if (statusOf[code] === 401) reply.header('WWW-Authenticate', challengeOf(code));
  return reply.status(statusOf[code]).send({
    error,
    code,
    ...(hint && { hint }),
    ...(errors && { errors }),
    ...(diagnostics && { diagnostics }),
    ...(challenge !== undefined && { challenge }),
  });
}

/** RFC 6750, section 3: whoever showed nothing is told the scheme alone, and a key that nobody has is called invalid. */
function challengeOf(code: ProblemCode): string {
  return `Bearer realm="Berth"${code === 'invalid_api_key' ? ', error="invalid_token"' : ''}`;
}

type FrameworkError = {
  code?: string;
  statusCode?: number;
  validation?: unknown;
  validationContext?: string | undefined;
};

const notReadable: Problem = {
  code: 'invalid_request',
  error: 'The request cannot be read.',
  hint: 'GET /docs shows what a request looks like.',
};

/** An error of the framework (a body too large, a type that nobody reads, …) as a problem; undefined for a fault. */
export function problemOfFrameworkError(error: FrameworkError): Problem | undefined {
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return {
        code: 'payload_too_large',
        error: 'The body is too large: a configuration may have 256 KiB, any other body 64 KiB.',
        hint: 'Put large files into an image or download them at start.',
      };
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return {
        code: 'unsupported_media_type',
        error: 'The body has a content type that is not read here.',
        hint: 'Send Content-Type: application/json.',
      };
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return { code: 'invalid_request', error: 'The body is empty.', hint: 'Send a JSON object.' };
    case 'FST_ERR_VALIDATION':
      return violationProblem((error.validation as Violation[])[0]!, error.validationContext as Part);
    case 'FST_ERR_BAD_URL':
      return {
        code: 'invalid_request',
        error: 'The address is not valid.',
        hint: 'Write a percent sign as %25, and percent-encode what is not ASCII.',
      };
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return nothingHere;
    default:
      return error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500
        ? notReadable
        : undefined;
  }
}
