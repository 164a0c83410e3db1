/** PURE. Maps refusals of a cluster to EngineFaults, by the required reaction, in words without internals. */
import { parseObject } from '../../lib/json.ts';
import { EngineFault } from '../engine.ts';

/** The cluster answered and did not do the request. */
export class ClusterRefusal extends Error {
  readonly status: number;
  readonly reason: string;

  /** `body`: a `Status` of the API, or the response of a proxy. */
  constructor(status: number, body: string) {
    const { message, reason } = readStatus(body);
    super(message ?? `HTTP ${status}`);
    this.name = 'ClusterRefusal';
    this.status = status;
    this.reason = reason ?? '';
  }
}

export const clusterUnresponsive = 'The cluster does not respond.';

/** Returns a fault if the cluster caused the error. Other errors are bugs and are returned unchanged. */
export function faultOf(error: unknown, pod?: string): unknown {
  if (error instanceof EngineFault) return error;
  if (isTimeout(error)) return new EngineFault('unavailable', clusterUnresponsive, { cause: error });
  if (!(error instanceof ClusterRefusal)) return error;
  const { kind, words, hint } = explain(error);
  const message = pod === undefined ? words.replace(/^./, (letter) => letter.toUpperCase()) : words;
  const about = pod === undefined ? {} : { pods: [pod] };
  return new EngineFault(kind, message, { cause: error, ...(hint !== undefined && { hint }), ...about });
}

/** Returns whether the connection failed, was cut, or timed out. */
export function isTimeout(error: unknown): boolean {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  return (
    name === 'TimeoutError' ||
    name === 'AbortError' ||
    (typeof code === 'string' && /^(E[A-Z]+|UND_ERR_\w+)$/.test(code))
  );
}

type Explanation = { kind: EngineFault['kind']; words: string; hint?: string };

function explain({ status, message }: ClusterRefusal): Explanation {
  if (/is being terminated|being deleted/i.test(message))
    return { kind: 'unavailable', words: 'the previous resources of the deployment are still being removed.' };
  if (/exceeded quota/i.test(message))
    return {
      kind: 'unavailable',
      words: 'the cluster allows the deployment no more pods.',
      hint: 'the operator may know why',
    };
  if (status === 401 || status === 403)
    return {
      kind: 'unavailable',
      words: 'the cluster does not permit this operation to Berth.',
      hint: 'the operator has to allow it',
    };
  if (status === 400 || status === 422) return { kind: 'bad-request', words: reasonIn(message) };
  // 404: the namespace is gone; 409: another process was faster; 429, 500, 503: temporarily unavailable.
  return { kind: 'unavailable', words: 'the cluster could not do this now.' };
}

/** A refusal is about values of the user, so its text may be shown, without the cluster's own names. */
function reasonIn(text: string): string {
  const reason = text.replace(/^\S+ "[^"]*" is invalid: /, '').trim();
  return `the cluster refuses it: ${reason.length > 300 ? `${reason.slice(0, 300)}…` : reason}`;
}

function readStatus(body: string): { message?: string; reason?: string } {
  const { message, reason } = parseObject(body);
  return { ...(typeof message === 'string' && { message }), ...(typeof reason === 'string' && { reason }) };
}
