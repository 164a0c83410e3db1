/** Problems → HTTP. */
import type { FastifyReply } from 'fastify';
import { nearestName } from '../../config/diagnostics/suggest.ts';
import { EngineFault } from '../../engine/engine.ts';
import { type Problem, type ProblemCode, problemCodes, type Result } from '../../lib/problem.ts';
import type { StoreFault } from '../../store/store-fault.ts';
import { type Part, type Violation, violationProblem } from './schema-refusal.ts';

export const nothingHere: Problem = {
  code: 'not_found',
  error: 'This path does not exist.',
  hint: 'GET /llms.txt explains how to deploy. GET /docs describes all paths.',
};

/** PURE. Suggests the path that was probably meant. `routes`: `GET /docs` and so on. */
export function nothingAt(path: string, routes: ReadonlySet<string>): Problem {
  const named = Array.from(routes).filter((route) => /^(?:GET|POST|DELETE) \/[A-Za-z./-]{3,}$/.test(route));
  const known = new Map(named.map((route) => [route.slice(route.indexOf(' ') + 1), route]));
  const meant = nearestName(path, [...known.keys()]);
  if (meant === undefined) return nothingHere;
  return { ...nothingHere, hint: `Did you mean ${known.get(meant)}? GET /docs describes all paths.` };
}

const notJson: Problem = {
  code: 'unsupported_media_type',
  error: 'The content type of the body is not supported.',
  hint: 'Send Content-Type: application/json.',
};

export const encodedBody: Problem = {
  code: 'unsupported_media_type',
  error: 'Compressed bodies are not supported.',
  hint: 'Send the body uncompressed, without Content-Encoding.',
};

export const incompleteBody: Problem = {
  code: 'invalid_request',
  error: 'The connection was closed before the body was complete.',
  hint: 'Send the request again.',
};

export const engineUnavailable: Problem = {
  code: 'engine_unreachable',
  error: 'The container engine does not respond.',
  hint: 'Running applications keep running. Try again later. If the error persists, contact the operator.',
  retryAfterSeconds: 5,
};

/**
 * Returns whether the error means that the engine could not be queried. Neither the request nor the service caused it.
 */
export function isEngineUnavailable(error: unknown): boolean {
  return error instanceof EngineFault && error.kind === 'unavailable';
}

export const storageFull: Problem = {
  code: 'storage_full',
  error: 'The disk of the service has no space left. Nothing was changed.',
  hint: 'Running applications keep running. Try again later. If the error persists, contact the operator.',
  retryAfterSeconds: 30,
};

/** Returns whether a file could not be written because its disk has no space left. */
export function isDiskFull(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOSPC';
}

/** The answer if the database could not be queried: whether repeating the request is safe. */
export function storeUnavailable({ wasDone, isFull }: StoreFault): Problem {
  if (isFull) return storageFull;
  const retry = { code: 'store_unreachable', retryAfterSeconds: 5 } as const;
  if (wasDone === 'no')
    return {
      ...retry,
      error: 'The database of the service does not respond. Nothing was changed.',
      hint: 'Running applications keep running. Try again later. If the error persists, contact the operator.',
    };
  return {
    ...retry,
    error: 'The database of the service stopped responding. The request may or may not have been completed.',
    hint: 'Check the state before you repeat the request. A start with an Idempotency-Key can be repeated safely.',
  };
}

/** Thrown by an endpoint that refuses; the error boundary answers the problem. */
export class RefusedRequest extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.error);
    this.problem = problem;
  }
}

/** The value of a result; a problem ends the request, which is answered with it. */
export function orRefuse<Value>(result: Result<Value>): Value {
  if (!result.ok) throw new RefusedRequest(result.problem);
  return result.value;
}

export function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  const { code, error, hint, errors, diagnostics, retryAfterSeconds, challenge } = problem;
  if (retryAfterSeconds !== undefined) reply.header('Retry-After', retryAfterSeconds);
  const { status } = problemCodes[code];
  if (status === 401) reply.header('WWW-Authenticate', challengeOf(code));
  return reply.status(status).send({
    error,
    code,
    ...(hint && { hint }),
    ...(errors && { errors }),
    ...(diagnostics && { diagnostics }),
    ...(challenge !== undefined && { challenge }),
  });
}

/** RFC 6750, section 3: without credentials the challenge has only the scheme; an unknown key is called invalid. */
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
  hint: 'GET /docs shows the form of a request.',
};

/** An error of the framework (body too large, unsupported type, …) as a problem. Undefined for a fault. */
export function problemOfFrameworkError(error: FrameworkError): Problem | undefined {
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return {
        code: 'payload_too_large',
        error:
          'The body is too large: a configuration may have 256 KiB, an MCP request 1 MiB, source code 512 MiB, any other body 64 KiB.',
        hint: 'Put large files into an image or download them at start.',
      };
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return notJson;
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return { code: 'invalid_request', error: 'The body is empty.', hint: 'Send a JSON object.' };
    case 'FST_ERR_VALIDATION':
      return violationProblem((error.validation as Violation[])[0]!, error.validationContext as Part);
    case 'FST_ERR_BAD_URL':
      return {
        code: 'invalid_request',
        error: 'The address is not valid.',
        hint: 'Write a percent sign as %25, and percent-encode non-ASCII characters.',
      };
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return nothingHere;
    default:
      return error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500
        ? notReadable
        : undefined;
  }
}
