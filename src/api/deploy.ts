/** Starting and updating deployments. Both write intent in one transaction and wake the loop. */
import { randomUUID } from 'node:crypto';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { AppSpec } from '../config/spec.ts';
import { type Deployment, isActive, newDeployment } from '../deployment/deployment.ts';
import { nextState } from '../deployment/lifecycle.ts';
import { hostLabel, newEnvironment } from '../deployment/names.ts';
import { limitAt } from '../deployment/tier.ts';
import { newId, newToken } from '../lib/ids.ts';
import { type Result, refuse, succeed } from '../lib/problem.ts';
import { proofHeader } from '../lib/proof-of-work.ts';
import type { Database } from '../store/database.ts';
import { addDeployment, deploymentById, isLabelTaken, writeIntent } from '../store/deployments.ts';
import { addEvents } from '../store/events.ts';
import { makeDue } from '../store/leases.ts';
import { addOrigin, type Origin } from '../store/origins.ts';
import { addRevision } from '../store/revisions.ts';
import { provideSeed } from '../store/seeds.ts';
import { accountOfSession, addSession } from '../store/sessions.ts';
import { admit } from './admission.ts';
import { applicationOf, type Caller, findCaller, requireCaller, TokenQuery, UpdateQuery } from './callers.ts';
import { readConfiguration, readDocuments } from './documents.ts';
import { sendProblem } from './errors.ts';
import { type IdempotencyKey, readIdempotencyKey, recallAnswer, rememberAnswer } from './idempotency.ts';
import { admitToPlan, planOf } from './plans.ts';
import { createProofs } from './proof-of-work.ts';
import { ErrorRecord, extendRecord, ProofRequiredRecord, StartRecord, statusRecord, UpdateRecord } from './records.ts';
import type { Service } from './service.ts';
import { admitStranger, originOf, refuseBanned } from './standing.ts';

const StartHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 16,
      maxLength: 200,
      description: 'The same key, body and client within 24 hours answer the same deployment.',
    }),
  ),
  [proofHeader.toLowerCase()]: Type.Optional(
    Type.String({ maxLength: 4096, description: 'The solution of a challenge, where the server asks for one.' }),
  ),
});

export function deployEndpoints(service: Service): FastifyPluginAsyncTypebox {
  return async (app) => {
    const proofs = createProofs(service);
    readDocuments(app);

    app.post(
      '/startUserDeployment',
      {
        config: { limit: 'start', isDocument: true },
        schema: {
          operationId: 'startDeployment',
          summary: 'Start a deployment',
          querystring: TokenQuery,
          headers: StartHeaders,
          response: { 200: StartRecord, '4xx': ErrorRecord, 429: ProofRequiredRecord, 503: ErrorRecord },
        },
      },
      async (request, reply) => {
        const configuration = readConfiguration(request.body);
        if (!configuration.ok) return sendProblem(reply, configuration.problem);
        const caller = await findCaller(service, request, request.query);
        if (!caller.ok) return sendProblem(reply, caller.problem);

        const key = readIdempotencyKey(request, caller.value, configuration.value.document);
        const known = key && (await recallAnswer(service, key));
        if (known && !known.ok) return sendProblem(reply, known.problem);
        // The last thing: a proof is spent on a start that nothing else stands in the way of. Accounts have plans instead.
        const isKnown = known !== undefined || (caller.value?.accountId ?? null) !== null;
        const unproven = isKnown ? undefined : await proofs.refuse(request);
        if (unproven) return sendProblem(reply, unproven);
        const started =
          known ??
          (await start(service, configuration.value, {
            caller: caller.value,
            origin: originOf(request, service.settings),
            key,
          }));
        if (!started.ok) return sendProblem(reply, started.problem);

        const { deployment, sessionToken } = started.value;
        const { applicationName, environment } = deployment;
        const { termsUrl } = service.settings;
        if (termsUrl) reply.header('Link', `<${termsUrl.href}>; rel="terms-of-service"`);
        const terms = termsUrl ? ` Its use is subject to ${termsUrl.href}` : '';
        return {
          message: `Application ${applicationName} is being deployed. Its address goes live as soon as it is ready.${terms}`,
          url: service.urlOf(deployment.label).origin,
          sessionToken,
          applicationName,
          environment,
          status: statusRecord(deployment),
          extend: extendRecord(deployment, service.settings.limits),
          claim: { claimed: deployment.claimedAt !== null },
        };
      },
    );

    app.post(
      '/updateUserDeployment',
      {
        config: { isDocument: true },
        schema: {
          operationId: 'updateDeployment',
          summary: 'Update a deployment',
          querystring: UpdateQuery,
          response: { 200: UpdateRecord, '4xx': ErrorRecord, 503: ErrorRecord },
        },
      },
      async (request, reply) => {
        const configuration = readConfiguration(request.body);
        if (!configuration.ok) return sendProblem(reply, configuration.problem);
        const caller = await requireCaller(service, request, request.query);
        if (!caller.ok) return sendProblem(reply, caller.problem);
        const { environment } = request.query;
        const found = applicationOf(caller.value, {
          applicationName: configuration.value.spec.name,
          ...(environment !== undefined && { environment }),
        });
        if (!found.ok) return sendProblem(reply, found.problem);

        const updated = await update(service, found.value, configuration.value, originOf(request, service.settings));
        if (!updated.ok) return sendProblem(reply, updated.problem);
        const deployment = updated.value;
        return {
          message: `Application ${deployment.applicationName} is being updated. Its address stays the same.`,
          url: service.urlOf(deployment.label).origin,
          status: statusRecord(deployment),
        };
      },
    );
  };
}

type Configuration = { document: string; spec: AppSpec };
type Started = { deployment: Deployment; sessionToken: string };

async function start(
  service: Service,
  { document, spec }: Configuration,
  { caller, origin, key }: { caller: Caller | undefined; origin: Origin; key: IdempotencyKey | undefined },
): Promise<Result<Started>> {
  const session = caller?.kind === 'session' ? caller : undefined;
  if (session?.deployments.some(({ applicationName }) => applicationName === spec.name)) {
    return refuse(
      'application_exists',
      `Application ${spec.name} already runs in this session.`,
      'Update it with POST /updateUserDeployment, or start without the sessionToken to get another one.',
    );
  }
  const createdAt = service.now();
  const sessionToken = session?.token ?? newToken('berth');
  const budget = await service.budget();
  const started = await service.db.transaction().execute(async (db): Promise<Result<Started>> => {
    // Read here, not taken from the caller: the session may have been claimed meanwhile.
    const accountId = session ? await accountOfSession(db, session.sessionId) : caller?.accountId;
    const unbanned = await refuseBanned(db, origin, { spec, accountId });
    if (!unbanned.ok) return unbanned;
    const plan = await planOf(db, service.settings.tiers, accountId);
    const asked = { spec, now: createdAt };
    const allowed = plan
      ? await admitToPlan(db, plan, asked)
      : await admitStranger(db, service.settings.strangers, origin, { ...asked, sessionId: session?.sessionId });
    if (!allowed.ok) return allowed;
    const admitted = await admit(db, budget, spec);
    if (!admitted.ok) return admitted;
    const sessionId = session?.sessionId ?? randomUUID();
    if (!session) await addSession(db, { id: sessionId, token: sessionToken, createdAt, accountId: plan?.accountId });
    const environment = await freeEnvironment(db, spec.name);
    const deployment = newDeployment({
      ...{ id: newId(), sessionId, applicationName: spec.name, environment, createdAt },
      label: hostLabel(environment, spec.name),
      // What an account starts is claimed from the beginning.
      ...(plan
        ? { claimedAt: createdAt, expiresAt: limitAt(plan.tier, createdAt) }
        : { claimedAt: null, expiresAt: createdAt + service.settings.limits.lifetimeMs }),
    });
    await addDeployment(db, deployment);
    await addOrigin(db, deployment.id, origin);
    await provideSeed(db, service.seal, deployment.id);
    await addRevision(db, service.seal, deployment.id, { number: 1, spec, document, createdAt });
    await addEvents(db, deployment.id, [{ at: createdAt, kind: 'intent', message: 'started' }]);
    await makeDue(db, deployment.id, createdAt);
    if (key) await rememberAnswer({ ...service, db }, key, { deployment, sessionToken });
    return succeed({ deployment, sessionToken });
  });
  if (started.ok) service.wake(started.value.deployment.id);
  return started;
}

/** Two words whose host nobody has; there are some 20,000 for each application name. */
async function freeEnvironment(db: Database, applicationName: string): Promise<string> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const environment = newEnvironment();
    if (!(await isLabelTaken(db, hostLabel(environment, applicationName)))) return environment;
  }
  throw new Error(`no environment is free for an application name of ${applicationName.length} characters`);
}

async function update(
  service: Service,
  current: Deployment,
  { document, spec }: Configuration,
  origin: Origin,
): Promise<Result<Deployment>> {
  const now = service.now();
  const budget = await service.budget();
  const updated = await service.db.transaction().execute(async (db): Promise<Result<Deployment>> => {
    const accountId = await accountOfSession(db, current.sessionId);
    const unbanned = await refuseBanned(db, origin, { spec, accountId });
    if (!unbanned.ok) return unbanned;
    const plan = await planOf(db, service.settings.tiers, accountId);
    const asked = { spec, now, deploymentId: current.id };
    const allowed = plan
      ? await admitToPlan(db, plan, asked)
      : await admitStranger(db, service.settings.strangers, origin, asked);
    if (!allowed.ok) return allowed;
    const admitted = await admit(db, budget, spec, current.id);
    if (!admitted.ok) return admitted;
    const latest = await deploymentById(db, current.id);
    if (!latest || !isActive(latest, now))
      return refuse('application_not_found', 'The application has ended just now.', 'Start it again.');
    const number = latest.revision + 1;
    await provideSeed(db, service.seal, latest.id);
    await addRevision(db, service.seal, latest.id, { number, spec, document, createdAt: now });
    const state = nextState(latest.state, 'updated');
    await writeIntent(db, latest.id, {
      revision: number,
      state,
      progress: 0,
      message: '',
      lastLines: '[]',
      progressedAt: now,
    });
    await addEvents(db, latest.id, [{ at: now, kind: 'intent', message: `updated to revision ${number}` }]);
    await makeDue(db, latest.id, now);
    return succeed({ ...latest, revision: number, state, progress: 0, message: '', lastLines: [] });
  });
  if (updated.ok) service.wake(current.id);
  return updated;
}
