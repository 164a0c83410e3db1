/** Extending, claiming and restoring. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import {
  type Deployment,
  extend,
  extensionsRemaining,
  type Instant,
  isActive,
  type Limits,
} from '../../deployment/deployment.ts';
import { keptUntil, restore } from '../../deployment/grace.ts';
import { domainsOf } from '../../deployment/limits/plan-tier.ts';
import { nextState } from '../../deployment/status/lifecycle.ts';
import { newToken } from '../../lib/ids.ts';
import { type Result, refuse, succeed } from '../../lib/problem.ts';
import { addClaim } from '../../store/claims.ts';
import { activeDeployments, deploymentById } from '../../store/deployments.ts';
import { restoreDomains } from '../../store/domains.ts';
import { endPastLimit, intend } from '../../store/intents.ts';
import { moveOrigin, type Origin, originOfDeployment } from '../../store/origins.ts';
import { revisionOf } from '../../store/revisions.ts';
import { accountOfSession, sessionOfToken } from '../../store/sessions.ts';
import { transact, write } from '../../store/transaction.ts';
import { admit } from '../admission/admission.ts';
import { originOf, refuseBanned } from '../admission/caller-admission.ts';
import { planOfDeployment } from '../admission/plans.ts';
import type { Service } from '../api-service.ts';
import { refusalsOfAdmission, refusalsOfApplications } from '../description/refusals.ts';
import {
  ApplicationFields,
  ApplicationQuery,
  findApplication,
  findRestorable,
  sessionNotFound,
  sessionTokenOf,
} from '../requests/callers.ts';
import { orRefuse, RefusedRequest } from '../requests/errors.ts';
import { deploymentRecord } from './deployment-records.ts';
import { DeploymentRecord, ErrorRecord } from './deployment-schemas.ts';

const RestoredRecord = Type.Object(
  { message: Type.String(), ...DeploymentRecord.properties },
  { description: 'The deployment, which is being started back to the same address.' },
);

const claimLinkMs = 24 * 60 * 60_000;

const ClaimRecord = Type.Object(
  { message: Type.String(), claimUrl: Type.String({ format: 'uri' }), claimToken: Type.String() },
  { description: 'A link, valid for 24 hours, at which an account claims the deployment.' },
);

export function lifetimeEndpoints(service: Service): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/extendDeployment',
      {
        schema: {
          operationId: 'extendDeployment',
          summary: "Extend a free deployment's lifetime",
          tags: ['deployments'],
          description: 'Extends the time limit of a free deployment. The number of extensions is limited.',
          access: 'caller in body',
          refusals: [...refusalsOfApplications, 'extension_limit_reached', 'already_claimed'],
          querystring: ApplicationQuery,
          body: ApplicationFields,
          response: {
            200: Type.String({ description: 'A sentence: the minutes left, the extensions left.' }),
            '4xx': ErrorRecord,
          },
        },
      },
      async (request, reply) => {
        const { applicationName: name } = request.body;
        const found = orRefuse(await findApplication(service, request, request.body));
        const extended = orRefuse(await extendNow(service, found.id));

        const minutes = Math.ceil((extended.expiresAt - service.now()) / 60_000);
        const sentence =
          `Application ${name} has been extended. Environment will expire in ${minutes} minutes. ` +
          `${extended.remaining} extension(s) remaining.`;
        return reply.type('application/json').send(JSON.stringify(sentence));
      },
    );

    app.post(
      '/restoreDeployment',
      {
        // Costs as much as a start.
        config: { limit: 'start' },
        schema: {
          operationId: 'restoreDeployment',
          summary: 'Bring back a deployment that has expired or was removed',
          tags: ['deployments'],
          description:
            'Restores an ended deployment with its volumes, URL, and token until `restorableUntil`. It gets its remaining time, at least 10 minutes. The restore uses an extension; without one left, one restore is possible.',
          access: 'caller in body',
          refusals: [
            ...refusalsOfApplications,
            ...refusalsOfAdmission,
            'application_exists',
            'extension_limit_reached',
            'invalid_configuration',
          ],
          querystring: ApplicationQuery,
          body: ApplicationFields,
          response: { 200: RestoredRecord, '4xx': ErrorRecord },
        },
      },
      async (request) => {
        const active = await findApplication(service, request, request.body);
        const found = orRefuse((await findRestorable(service, request, request.body)) ?? nothingToRestore(active));
        const caller = { token: sessionTokenOf(request, request.body), origin: originOf(request, service.settings) };
        const restored = orRefuse(await restoreNow(service, found, caller));
        const now = service.now();
        const { limits, graceMs } = service.settings;
        const { applicationName: name, expiresAt, label } = restored;
        const time = expiresAt === null ? '' : timeInWords(restored, limits, now);
        return {
          message: `Application ${name} is being restored, at the same address and with its data.${time}`,
          ...deploymentRecord(restored, service.urlOf(label), { limits, graceMs, now }),
        };
      },
    );

    app.post(
      '/claimDeployment',
      {
        schema: {
          operationId: 'claimDeployment',
          summary: 'Claim a deployment',
          tags: ['deployments'],
          description:
            'Creates a link at which a user with an account claims the deployment. A claimed deployment does not expire.',
          access: 'caller in body',
          refusals: [...refusalsOfApplications, 'already_claimed'],
          querystring: ApplicationQuery,
          body: ApplicationFields,
          response: { 200: ClaimRecord, '4xx': ErrorRecord },
        },
      },
      async (request) => {
        const deployment = orRefuse(await findApplication(service, request, request.body));
        if (deployment.claimedAt !== null) {
          const { problem } = refuse(
            'already_claimed',
            `Application ${deployment.applicationName} is already claimed.`,
          );
          throw new RefusedRequest(problem);
        }
        const claimToken = newToken('claim');
        const createdAt = service.now();
        const expiresAt = createdAt + claimLinkMs;
        await addClaim(service.db, { token: claimToken, deploymentId: deployment.id, createdAt, expiresAt });
        const claimUrl = new URL(`/claim/${claimToken}`, service.settings.baseUrl).href;
        const message = `You're almost there! Visit ${claimUrl} to finalize your deployment.`;
        return { message, claimUrl, claimToken };
      },
    );
  };
}

/** Returns the sentence on the time of a restored deployment, and on the extension that the restore has used. */
function timeInWords(restored: Deployment, limits: Limits, now: Instant): string {
  const minutes = Math.ceil(((restored.expiresAt ?? now) - now) / 60_000);
  const left = extensionsRemaining(restored, limits);
  return ` It expires in ${minutes} minutes. The restore counts as an extension: ${left} extension(s) remaining.`;
}

function nothingToRestore(active: Result<Deployment>): Result<Deployment> {
  if (!active.ok) return active;
  const { applicationName: name } = active.value;
  return refuse('application_exists', `Application ${name} has not ended.`, 'There is nothing to restore.');
}

/** Extends in one transaction with a fresh read of the row, so that two concurrent extensions count as two. */
async function extendNow(service: Service, id: string): Promise<Result<{ expiresAt: number; remaining: number }>> {
  const extended = await write(service.db, { deploymentId: id }, async (db) => {
    const deployment = await deploymentById(db, id);
    if (!deployment || !isActive(deployment, service.now()))
      return refuse('application_not_found', 'The application has just ended.', 'Start it again.');
    const extended = extend(deployment, service.settings.limits);
    if (!extended.ok) return extended;
    const { expiresAt } = extended.value;
    const intent = { expiresAt, extensionsUsed: deployment.extensionsUsed + 1 };
    await intend(db, id, intent, { event: { kind: 'intent', intent: 'extend' }, now: service.now() });
    return succeed(extended.value);
  });
  service.wake(id);
  return extended;
}

/** Restores an ended deployment while its data is retained. All writes are in one transaction. */

/** `token`: the session token of the request, if it used one. */
async function restoreNow(
  service: Service,
  { id, applicationName, sessionId }: Deployment,
  { token, origin }: { token: string | undefined; origin: Origin },
): Promise<Result<Deployment>> {
  const { limits, graceMs, strangers, tiers } = service.settings;
  const now = service.now();
  const budget = await service.budget();
  const restored = await transact(service.db, async (db): Promise<Result<Deployment>> => {
    if (token !== undefined && !(await sessionOfToken(db, token))) return sessionNotFound;
    const active = await activeDeployments(db, sessionId, now);
    if (active.some((other) => other.applicationName === applicationName)) return isThere(applicationName);
    await endPastLimit(db, { sessionId, applicationName, now, graceMs });
    const deployment = await deploymentById(db, id);
    if (!deployment || keptUntil(deployment, now, graceMs) === null) return notKept(applicationName);
    const { spec } = await revisionOf(db, service.seal, id, deployment.revision);
    const accountId = await accountOfSession(db, sessionId);
    // For a claimed deployment, its account is responsible, independent of the address it was started from.
    const first = deployment.claimedAt === null ? await originOfDeployment(db, id) : undefined;
    for (const asking of first ? [origin, first] : [origin]) {
      const unbanned = await refuseBanned(db, asking, { spec, accountId });
      if (!unbanned.ok) return unbanned;
    }
    const terms = restore(deployment, limits, now);
    if (!terms.ok) return terms;
    const plan = await planOfDeployment(db, tiers, deployment);
    const requested = { spec, now, sessionId, deploymentId: id, isReturning: true };
    const admitted = await admit(db, { budget, strangers, plan, origin }, requested);
    if (!admitted.ok) return admitted;
    const begun = {
      ...terms.value,
      state: nextState(deployment.state, 'restored'),
      progress: 0,
      explanation: null,
      progressedAt: now,
      removedAt: null,
      stoppedAt: null,
      restorableUntil: null,
      keptAt: null,
    };
    const intent = { ...begun, pods: '[]', lastLines: '[]' };
    const event = { kind: 'intent', intent: 'restore', revision: deployment.revision } as const;
    await moveOrigin(db, id, origin);
    await intend(db, id, intent, { event, now });
    if (plan) await restoreDomains(db, id, { most: domainsOf(plan.tier), now });
    return succeed({ ...deployment, ...begun, pods: [], lastLines: [] });
  });
  if (restored.ok) service.wake(id);
  return restored;
}

function isThere(applicationName: string) {
  return refuse(
    'application_exists',
    `Application ${applicationName} is already running in this session.`,
    'Remove the running application first: a session has one application of each name.',
  );
}

function notKept(applicationName: string) {
  return refuse(
    'application_not_found',
    `Application ${applicationName} has ended, and its data has been deleted.`,
    'Start it as a new deployment.',
  );
}
