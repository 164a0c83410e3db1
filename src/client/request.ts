/**
 * Sends one request to the service and returns its answer. Refusals and an unreachable service are values. Does not
 * throw. Runs in browsers and in Node.
 */
import { parseJson } from '../lib/json.ts';
import type { Diagnostic } from './service-types.ts';

export type Problem = {
  /** The HTTP status. 0 without a response. */
  status: number;
  code: string;
  error: string;
  hint?: string;
  /** The single faults of a configuration. */
  errors?: string[];
  /** The same problems as values, with warnings. */
  diagnostics?: Diagnostic[];
  /** The required proof of work, if it was not solved. */
  challenge?: unknown;
  /** The time after which a retry is useful. */
  retryAfterSeconds?: number;
};

export type Answer<T> = { ok: true; value: T } | { ok: false; problem: Problem };

export type RequestOptions = {
  method?: string;
  query?: { [name: string]: string | undefined };
  json?: unknown;
  yaml?: string;
  /** A tar file compressed with gzip, or as the type of the Blob says. A Blob may be a file, which is read while it is sent. */
  archive?: Uint8Array<ArrayBuffer> | Blob;
  /** Sent as a header, so that it is not in any URL, history or log. Without a token, the browser's cookie applies. */
  token?: string | undefined;
  headers?: { [name: string]: string };
  signal?: AbortSignal | undefined;
};

/** Where the service is and how it is reached. */
export type ServiceLocation = {
  /** The address of the service, without a slash at the end. Empty for the origin of the page. */
  baseUrl?: string;
  fetch?: typeof fetch;
  /** Whether to solve a required proof of work. Default: yes. */
  solvesProofs?: boolean;
};

export async function request<T>(
  place: ServiceLocation,
  path: string,
  options: RequestOptions = {},
): Promise<Answer<T>> {
  const response = await send(place, path, options);
  if (!response.ok) return response;
  return await readAnswer(place, response.value, options.signal);
}

/** The response itself, for streamed bodies. Solves and sends a required proof of work. */
export async function send(
  place: ServiceLocation,
  path: string,
  options: RequestOptions = {},
): Promise<Answer<Response>> {
  try {
    const response = await sendOnce(place, path, options);
    if (response.status !== 429 || place.solvesProofs === false) return { ok: true, value: response };
    const proof = await proofFor(response, options.signal);
    if (!proof) return { ok: true, value: response };
    const headers = { ...options.headers, ...proof };
    return { ok: true, value: await sendOnce(place, path, { ...options, headers }) };
  } catch {
    // The connection failed, or the caller has aborted.
    return { ok: false, problem: options.signal?.aborted ? aborted : unreachable(place) };
  }
}

async function sendOnce(
  { baseUrl = '', fetch: ours }: ServiceLocation,
  path: string,
  options: RequestOptions,
): Promise<Response> {
  const { json, yaml, archive, token, signal } = options;
  const type = archive
    ? (archive instanceof Blob && archive.type) || 'application/gzip'
    : yaml !== undefined
      ? 'text/x-yaml'
      : json !== undefined
        ? 'application/json'
        : undefined;
  const { method = type ? 'POST' : 'GET' } = options;
  return await (ours ?? fetch)(`${baseUrl}${path}${printQuery(options.query)}`, {
    method,
    headers: {
      ...(type && { 'Content-Type': type }),
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...options.headers,
    },
    ...(type && { body: archive ?? yaml ?? JSON.stringify(json) }),
    ...(signal && { signal }),
    cache: 'no-store',
    referrerPolicy: 'no-referrer',
  });
}

async function readAnswer<T>(
  place: ServiceLocation,
  response: Response,
  signal: AbortSignal | undefined,
): Promise<Answer<T>> {
  const text = await response.text().catch(() => undefined);
  if (text === undefined) return { ok: false, problem: signal?.aborted ? aborted : unreachable(place) };
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  const body: unknown = isJson ? parseJson(text) : text;
  return response.status < 400 ? { ok: true, value: body as T } : { ok: false, problem: problemOf(response, body) };
}

/** The problem in a refusing response; `body` is the part that was read. */
export function problemOf({ status, headers }: Pick<Response, 'status' | 'headers'>, body: unknown): Problem {
  const { error, code, hint, errors, diagnostics, challenge } = (
    typeof body === 'object' && body !== null ? body : {}
  ) as Partial<Problem>;
  const retryAfter = headers.get('retry-after');
  return {
    status,
    code: code ?? 'unknown',
    error: error ?? `The service answered ${status}.`,
    ...(hint !== undefined && { hint }),
    ...(errors && { errors }),
    ...(diagnostics && { diagnostics }),
    ...(challenge !== undefined && { challenge }),
    ...(retryAfter && /^\d+$/.test(retryAfter) && { retryAfterSeconds: Number(retryAfter) }),
  };
}

function unreachable({ baseUrl }: ServiceLocation): Problem {
  return {
    status: 0,
    code: 'unreachable',
    error: `${baseUrl || 'The service'} does not answer.`,
    hint: 'Check your connection, then try again.',
  };
}

const aborted: Problem = { status: 0, code: 'aborted', error: 'The request was cancelled.' };

/** The proof header that a busy service requires. Undefined if it refuses for another reason. */
async function proofFor(response: Response, signal: AbortSignal | undefined) {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  const { code, challenge } = (body ?? {}) as { code?: string; challenge?: unknown };
  if (code !== 'proof_of_work_required' || !challenge) return undefined;
  // Loaded when it is needed: hardly ever.
  const { proofHeader, solveProof } = await import('../lib/proof-of-work.ts');
  try {
    return { [proofHeader]: await solveProof(challenge as Parameters<typeof solveProof>[0], signal) };
  } catch (error) {
    if (signal?.aborted) throw error;
    // The challenge was not solved in time. The original response is returned.
    return undefined;
  }
}

function printQuery(query: RequestOptions['query'] = {}): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}
