/**
 * Proof of work for starts: always, or under high load, a client must pay for each start with processor time.
 * Challenges are not stored: they are signed, contain their client and expiry, and are accepted once.
 */

import { createChallenge, verifySolution } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import type { Challenge } from 'altcha-lib/types';
import type { FastifyRequest } from 'fastify';
import { hashToken } from '../../lib/ids.ts';
import type { Problem } from '../../lib/problem.ts';
import { decodeProof, type ProofSettings, proofHeader } from '../../lib/proof-of-work.ts';
import { committedInAll } from '../../store/commitments.ts';
import { countByState } from '../../store/deployments.ts';
import { spendProof } from '../../store/spent-proofs.ts';
import type { Service } from '../api-service.ts';
import { clientKey } from '../requests/client-address.ts';

/** How long a client has to find and send a solution. */
const livesMs = 5 * 60_000;
/** One byte: 256 attempts on average. */
const keyPrefix = '00';
/** The host starts some 6 containers a second (measured): more deploys than this under way are a queue. */
const busyDeploys = 20;
/** The used share of the budget above which the host counts as busy. */
const busyShare = 0.8;
/** A proof of eight times the work takes a client some 4 seconds. */
const maxTimes = 8;
/** For clients that cannot solve it: the load may be over by then. */
const retryAfterSeconds = 60;

export type Load = { deploying: number; committedShare: number };

/** Returns the amount of work that a start requires now, in rounds. 0 for none. */
export function costOf({ mode, cost }: ProofSettings, { deploying, committedShare }: Load): number {
  if (mode === 'off') return 0;
  const times = Math.min(maxTimes, Math.floor(deploying / busyDeploys));
  const isBusy = times > 0 || committedShare >= busyShare;
  return mode === 'auto' && !isBusy ? 0 : cost * Math.max(1, times);
}

export type Proofs = {
  /** Returns undefined if the request may start a deployment. Otherwise returns an error with a challenge. */
  refuse(request: FastifyRequest): Promise<Problem | undefined>;
};

export function createProofs({ db, seal, budget, now, settings }: Service): Proofs {
  // Derived each time, so that challenges signed with a leaked, replaced key are invalid.
  const secretNow = () => Buffer.from(seal.derive('proof of work')).toString('hex');

  const challengeFor = (client: string, cost: number): Promise<Challenge> =>
    createChallenge({
      algorithm: 'PBKDF2/SHA-256',
      cost,
      keyPrefix,
      deriveKey,
      hmacSignatureSecret: secretNow(),
      data: { client, until: now() + livesMs },
    });

  const isProof = async (header: string, client: string): Promise<boolean> => {
    const proof = decodeProof(header);
    const { data } = proof?.challenge.parameters ?? {};
    if (!proof || data?.client !== client || !(Number(data.until) > now())) return false;
    const { challenge, solution } = proof;
    // The library throws for fields of other types. Here they count as a wrong solution.
    const proven = { challenge, solution, deriveKey, hmacSignatureSecret: secretNow() };
    const { verified } = await verifySolution(proven).catch(() => ({ verified: false }));
    return verified && (await spendProof(db, challenge.signature!, Number(data.until)));
  };

  return {
    async refuse(request) {
      const cost = costOf(settings.proofOfWork, settings.proofOfWork.mode === 'off' ? idle : await loadOf(db, budget));
      if (cost === 0) return undefined;
      const client = hashToken(`${secretNow()} ${clientKey(request, settings.networkPool)}`).slice(0, 32);
      const header = request.headers[proofHeader.toLowerCase()];
      const isGiven = typeof header === 'string';
      if (isGiven && (await isProof(header, client))) return undefined;
      return {
        code: 'proof_of_work_required',
        error: isGiven
          ? 'The proof of work is not valid, has expired, or was used before.'
          : 'This server requires a proof of work for each start.',
        hint: `Solve the challenge and send the start again with ${proofHeader}, or try again in ${retryAfterSeconds} seconds.`,
        retryAfterSeconds,
        challenge: await challengeFor(client, cost),
      };
    },
  };
}

const idle: Load = { deploying: 0, committedShare: 0 };

async function loadOf(db: Service['db'], budget: Service['budget']): Promise<Load> {
  const [counts, committed, most] = await Promise.all([countByState(db), committedInAll(db), budget()]);
  const shares = (['memoryBytes', 'cpuMillis'] as const).map((resource) => committed[resource] / most[resource]);
  return { deploying: counts.get('deploying') ?? 0, committedShare: Math.max(...shares) };
}
