/** Starts a deployment: all writes are in one transaction. */
import { createHash, randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Source } from '../../builds/sources.ts';
import type { AppSpec } from '../../config/spec/spec.ts';
import { type Deployment, newDeployment } from '../../deployment/deployment.ts';
import { hostLabel, newEnvironment } from '../../deployment/deployment-names.ts';
import { limitAt } from '../../deployment/limits/plan-tier.ts';
import { payingAccount } from '../../deployment/limits/session-starts.ts';
import { newId, newToken } from '../../lib/ids.ts';
import { type Result, refuse, succeed } from '../../lib/problem.ts';
import type { Seal } from '../../lib/seal.ts';
import type { Database } from '../../store/database.ts';
import { addDeployment, deploymentById, isLabelTaken } from '../../store/deployments.ts';
import { addEvents, addingFirstEvent } from '../../store/events.ts';
import { addIdempotency, idempotencyOf } from '../../store/idempotency.ts';
import { endPastLimit } from '../../store/intents.ts';
import { atOnce, makingDue } from '../../store/leases.ts';
import { addingOrigin, type Origin } from '../../store/origins.ts';
import { requestRestore } from '../../store/restores.ts';
import { addingFirstRevision, copyImages } from '../../store/revisions.ts';
import { copySeed, insertSeed } from '../../store/seeds.ts';
import { accountOfSession, addSession, sessionOfToken } from '../../store/sessions.ts';
import { snapshotById } from '../../store/snapshots.ts';
import { transact } from '../../store/transaction.ts';
import { writeAll } from '../../store/write-all.ts';
import { admit } from '../admission/admission.ts';
import { refuseBanned } from '../admission/caller-admission.ts';
import { planOf } from '../admission/plans.ts';
import type { Service } from '../api-service.ts';
import type { Bounds } from '../configuration/reading/read-document.ts';
import { authMethodOf, type Caller, sessionNotFound } from '../requests/callers.ts';
import { clientAddress } from '../requests/client-address.ts';
import { noSnapshot } from '../volume-snapshots/snapshot-requests.ts';
import { findPushed, settlePushed } from './pushed-references.ts';
import { builtFrom, requestBuild, retainSource } from './source-builds.ts';

export type Starting = {
  document: string;
  spec: AppSpec;
  caller: Caller | undefined;
  origin: Origin;
  key: IdempotencyKey | undefined;
  /** The origin of its data, images and generated values. */
  restored?: SnapshotSource;
  /** The source of its images, if any are built. */
  source?: Source | undefined;
  /** Checks whether the start would be accepted, and changes nothing. */
  isTrial: boolean;
  /** Returns an error that names the part of the document that exceeds these bounds. */
  explain: (bounds: Bounds) => Promise<Result<never>>;
};

/**
 * A snapshot of another deployment of the caller. If both have the same name, they cannot be in one session. The new
 * deployment then gets its own session of the same account.
 */
export type SnapshotSource = { deployment: Deployment; snapshotId: string; revision: number; volumes: string[] };

export type Started = { deployment: Deployment; sessionToken: string };

/**
 * Concurrent starts, in any process: with the same key, the second one returns the first one's deployment. With the
 * same name in a session, it is refused. Unique constraints in the database ensure both.
 */
export async function start(service: Service, starting: Starting) {
  const { document, spec, caller, origin, key, restored, source, isTrial, explain } = starting;
  const asking = caller?.kind === 'session' ? caller : undefined;
  const session = restored ? undefined : asking;
  if (session?.deployments.some(({ applicationName }) => applicationName === spec.name)) return alreadyRuns(spec.name);
  const createdAt = service.now();
  const sessionToken = session?.token ?? newToken('berth');
  const deploymentId = newId();
  const budget = await service.budget();
  let exceeded: Bounds | undefined;
  const write = async (db: Database): Promise<Result<Started>> => {
    const known = key && (await rememberAnswer({ ...service, db }, key, { deploymentId, sessionToken }));
    if (known) return known;
    // Read again here, because the session may have been claimed or its token ended since.
    const present = asking && (await sessionOfToken(db, asking.token));
    if (asking && !present) return sessionNotFound;
    if (restored && (await snapshotById(db, restored.snapshotId))?.state !== 'taken')
      return noSnapshot(restored.snapshotId);
    const accountId = present ? present.accountId : caller?.accountId;
    const unbanned = await refuseBanned(db, origin, { spec, accountId });
    if (!unbanned.ok) return unbanned;
    const plan = await planOf(db, service.settings.tiers, present ? payingAccount(present) : accountId);
    const { strangers, graceMs } = service.settings;
    const requested = { spec, now: createdAt, sessionId: session?.sessionId };
    const admitted = await admit(db, { budget, strangers, plan, origin }, requested);
    exceeded = admitted.exceeded;
    if (!admitted.ok) return admitted;
    const sessionId = session?.sessionId ?? randomUUID();
    if (session) await endPastLimit(db, { sessionId, applicationName: spec.name, now: createdAt, graceMs });
    else
      await addSession(db, {
        id: sessionId,
        token: sessionToken,
        createdAt,
        from: origin.address,
        accountId: present ? present.accountId : plan?.accountId,
        ...(present && { starts: present.starts }),
      });
    const owner = restored
      ? await ownerOf(db, restored.deployment)
      : { sessionId: session?.sessionId, accountId: session ? null : caller?.accountId };
    const pushed = await findPushed(db, { spec, owner, baseUrl: service.settings.baseUrl, ...builtFrom(source) });
    if (!pushed.ok) return pushed;
    const fields = {
      id: deploymentId,
      sessionId,
      applicationName: spec.name,
      createdAt,
      // A deployment that an account starts is claimed from the beginning.
      ...(plan
        ? { claimedAt: createdAt, expiresAt: limitAt(plan.tier, createdAt) }
        : { claimedAt: null, expiresAt: createdAt + service.settings.limits.lifetimeMs }),
    };
    const deployment = await addWithFreeHost(db, fields, service.engine.cluster);
    if (!deployment) return alreadyRuns(spec.name);
    const event = { kind: 'intent', intent: 'start', revision: 1 } as const;
    await writeAll(db, [
      addingOrigin(db, deploymentId, origin),
      ...(restored ? [] : [insertSeed(db, service.seal, deploymentId)]),
      addingFirstRevision(db, service.seal, deploymentId, {
        number: 1,
        spec,
        document,
        createdAt,
        askedBy: authMethodOf(caller),
        commit: source?.commit,
      }),
      addingFirstEvent(db, deploymentId, { at: createdAt, event }),
      makingDue(db, deploymentId, atOnce(createdAt)),
    ]);
    if (restored) await giveData(db, deployment, restored);
    if (source) await requestBuild(db, service, { deploymentId, revision: 1, source });
    await settlePushed(db, { deploymentId, revision: 1 }, pushed.value);
    return succeed({ deployment, sessionToken });
  };
  const started = await transact(service.db, write, { isTrial });
  if (exceeded) return await explain(exceeded);
  if (!isTrial && started.ok && started.value.deployment.id === deploymentId) {
    if (source) retainSource(service, source);
    service.wake(deploymentId);
  }
  return started;
}

/** The owner of the pushed images that it may use. */
async function ownerOf(db: Database, { sessionId }: Deployment) {
  return { sessionId, accountId: await accountOfSession(db, sessionId) };
}

/** The workloads do not run until the data has arrived. */
async function giveData(
  db: Database,
  { id: deploymentId, createdAt }: Deployment,
  other: SnapshotSource,
): Promise<void> {
  const { deployment: from, snapshotId, revision, volumes } = other;
  await copySeed(db, from.id, deploymentId);
  await copyImages(db, { deploymentId: from.id, revision }, { deploymentId, revision: 1 });
  await requestRestore(db, { deploymentId, snapshotId, fromDeploymentId: from.id, volumes, now: createdAt });
  const event = { kind: 'intent', intent: 'restore-snapshot', snapshot: snapshotId, volumes } as const;
  await addEvents(db, deploymentId, [{ at: createdAt, event }]);
}

function alreadyRuns(applicationName: string) {
  return refuse(
    'application_exists',
    `Application ${applicationName} is already running in this session.`,
    'Update it with POST /updateUserDeployment, or start without the sessionToken to create another deployment.',
  );
}

/**
 * Adds two words so that the host is free. There are some 20,000 combinations for each application name. Returns
 * undefined if the session already has an application of this name.
 */
async function addWithFreeHost(
  db: Database,
  fields: Omit<Parameters<typeof newDeployment>[0], 'environment' | 'label'>,
  cluster: string | undefined,
): Promise<Deployment | undefined> {
  const { applicationName } = fields;
  for (let attempt = 0; attempt < 100; attempt++) {
    const environment = newEnvironment();
    const label = hostLabel(environment, applicationName);
    const deployment = newDeployment({ ...fields, environment, label });
    if (await addDeployment(db, deployment, cluster)) return deployment;
    if (!(await isLabelTaken(db, label))) return undefined;
  }
  throw new Error(`no environment is free for an application name of ${applicationName.length} characters`);
}

/** `Idempotency-Key` on start: the same key with the same body returns the same deployment for 24 h. */

const rememberForMs = 24 * 60 * 60_000;

/** `isOwn`: only this caller can have sent the key. The caller presented a session token or an API key, or the key is random. */
type IdempotencyKey = { keyHash: string; bodyHash: string; isOwn: boolean };
type Answer = { deployment: Deployment; sessionToken: string };
type StoredAnswer = { db: Database; seal: Seal; now: () => number };

/**
 * The key is bound to the client's address and to the caller. Callers without a session or account must use a random
 * key, which other users behind the same address cannot guess. A key such as `deploy-2026-11-28` is not random.
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

/** Returns the stored answer of the key. Undefined if the key is new. */
export async function storedAnswer(memory: StoredAnswer, key: IdempotencyKey): Promise<Result<Answer> | undefined> {
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
 * Stores the answer, unless the key has one already, which is then returned. Call it first in the transaction that
 * creates the deployment: the second of two overlapping requests waits here for the first.
 */
async function rememberAnswer(
  memory: StoredAnswer,
  key: IdempotencyKey,
  { deploymentId, sessionToken }: { deploymentId: string; sessionToken: string },
): Promise<Result<Answer> | undefined> {
  const now = memory.now();
  const sealed = memory.seal.close(sessionToken);
  const { keyHash, bodyHash } = key;
  const row = { keyHash, bodyHash, deploymentId, sessionToken: sealed, expiresAt: now + rememberForMs };
  return (await addIdempotency(memory.db, row, now)) ? undefined : await storedAnswer(memory, key);
}

/** A UUID of version 4 or 7, a ULID, or at least 128 bits of hexadecimal digits: the usual formats of random keys. */
const randomForms =
  /^(?:[\da-f]{8}-[\da-f]{4}-[47][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}|[\da-f]{32,}|[0-7][\dA-HJKMNP-TV-Z]{25})$/i;

/** PURE. A key with repeated digits was probably typed. */
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
