/** `Idempotency-Key` on start: the same key with the same body, within 24 h, answers the same deployment. */
import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Deployment } from '../../deployment/deployment.ts';
import { type Result, refuse, succeed } from '../../lib/problem.ts';
import type { Seal } from '../../lib/seal.ts';
import type { Database } from '../../store/database.ts';
import { deploymentById } from '../../store/deployments.ts';
import { addIdempotency, idempotencyOf } from '../../store/idempotency.ts';
import type { Caller } from '../requests/callers.ts';
import { clientAddress } from '../requests/client-address.ts';

const rememberForMs = 24 * 60 * 60_000;

/** `isOwn`: only this caller can have sent the key. The caller presented a session token or an API key, or the key is random. */
export type IdempotencyKey = { keyHash: string; bodyHash: string; isOwn: boolean };
export type Answer = { deployment: Deployment; sessionToken: string };
type Memory = { db: Database; seal: Seal; now: () => number };

/**
 * Bound to the client's address and to the caller. A caller without a session or an account proves itself by a key that
 * strangers behind the same address cannot have: one that is random. A key such as `deploy-2026-11-28` is not.
 */
export function readIdempotencyKey(
  request: FastifyRequest,
  caller: Caller | undefined,
  document: string,
): IdempotencyKey | undefined {
  const key = request.headers['idempotency-key'];
  if (typeof key !== 'string') return undefined;
  const who = caller === undefined ? '' : caller.kind === 'session' ? caller.token : `account ${caller.accountId}`;
  const keyHash = hashOf(clientAddress(request), who, key);
  return { keyHash, bodyHash: hashOf(document), isOwn: caller !== undefined || isRandom(key) };
}

/** The answer that the key had before; undefined when it is new. */
export async function recallAnswer(memory: Memory, key: IdempotencyKey): Promise<Result<Answer> | undefined> {
  const known = await idempotencyOf(memory.db, key.keyHash, memory.now());
  if (!known) return undefined;
  if (known.bodyHash !== key.bodyHash) {
    return refuse(
      'idempotency_key_reused',
      'This Idempotency-Key was used with another body.',
      'Use a new key for a new deployment.',
    );
  }
  if (!key.isOwn) return refuse('idempotency_key_reused', tokenIsShownOnce, useSession);
  const deployment = await deploymentById(memory.db, known.deploymentId);
  return deployment && succeed({ deployment, sessionToken: memory.seal.open(known.sessionToken) });
}

/**
 * Remembers the answer, unless the key has one already: that one is returned. Call it in the transaction that makes what
 * is answered, before anything else: of two that overlap, the second one waits here until the first has ended.
 */
export async function rememberAnswer(
  memory: Memory,
  key: IdempotencyKey,
  { deploymentId, sessionToken }: { deploymentId: string; sessionToken: string },
): Promise<Result<Answer> | undefined> {
  const now = memory.now();
  const sealed = memory.seal.close(sessionToken);
  const { keyHash, bodyHash } = key;
  const row = { keyHash, bodyHash, deploymentId, sessionToken: sealed, expiresAt: now + rememberForMs };
  return (await addIdempotency(memory.db, row, now)) ? undefined : await recallAnswer(memory, key);
}

/** A UUID of version 4 or 7, a ULID, or at least 128 bits of hexadecimal digits: the usual formats of random keys. */
const randomForms =
  /^(?:[\da-f]{8}-[\da-f]{4}-[47][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}|[\da-f]{32,}|[0-7][\dA-HJKMNP-TV-Z]{25})$/i;

/** PURE. Digits that repeat one another were typed. */
function isRandom(key: string): boolean {
  return randomForms.test(key) && new Set(key.toLowerCase()).size >= 8;
}

const tokenIsShownOnce =
  'This Idempotency-Key was used for an earlier start. The session token is not returned again, because another client could have sent this key.';
const useSession =
  'Use a random key for each start, such as a UUID: a repeated request then returns the same deployment.';

function hashOf(...parts: string[]): string {
  return createHash('sha256').update(parts.join('\0')).digest('hex');
}
