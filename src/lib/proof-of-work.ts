/**
 * Proof of work for clients: a start with the response `proof_of_work_required` is repeated with the solution of the
 * challenge. Runs in Node and in browsers (Web Crypto).
 */
import { solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/web/pbkdf2';
import type { Challenge, Solution } from 'altcha-lib/types';

export type { Challenge } from 'altcha-lib/types';

/** The header of the request with the solution. */
export const proofHeader = 'Berth-Proof-Of-Work';

export type Proof = { challenge: Challenge; solution: Solution };

/** Never, when the host is busy, or always; with how many rounds of PBKDF2 for each of some 256 attempts. */
export type ProofSettings = { mode: 'off' | 'auto' | 'always'; cost: number };

/** Longest search; on average it takes a second or so. */
const patienceMs = 120_000;

/**
 * Returns the value of the header with the solution. Uses processor time. @throws if it takes too long or is aborted.
 */
export async function solveProof(challenge: Challenge, signal?: AbortSignal): Promise<string> {
  const controller = new AbortController();
  const giveUp = () => controller.abort();
  signal?.addEventListener('abort', giveUp);
  const solution = await solveChallenge({ challenge, deriveKey, controller, timeout: patienceMs }).finally(() =>
    signal?.removeEventListener('abort', giveUp),
  );
  signal?.throwIfAborted();
  if (!solution) throw new Error('The proof of work took longer than two minutes.');
  return encodeProof({ challenge, solution });
}

/**
 * Sends a request. If the response contains a challenge, sends it again with the solution. @param send sends the
 * request with additional headers.
 */
export async function sendWithProof(send: (headers: Record<string, string>) => Promise<Response>): Promise<Response> {
  const response = await send({});
  if (response.status !== 429) return response;
  const { code, challenge } = (await response.clone().json()) as { code?: string; challenge?: Challenge };
  if (code !== 'proof_of_work_required' || !challenge) return response;
  return await send({ [proofHeader]: await solveProof(challenge) });
}

export function encodeProof(proof: Proof): string {
  return btoa(JSON.stringify(proof)).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** @returns undefined if the text does not have the form of a proof. Only the issuer can verify it. */
export function decodeProof(text: string): Proof | undefined {
  try {
    const proof = JSON.parse(atob(text.replaceAll('-', '+').replaceAll('_', '/')));
    const isProof = typeof proof?.challenge?.parameters === 'object' && typeof proof.solution === 'object';
    return isProof && proof.challenge.parameters !== null && proof.solution !== null ? proof : undefined;
  } catch {
    return undefined;
  }
}
