/** Claim links: what a link would claim, and attaching a deployment with its whole session to an account. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { type Deployment, isActive } from '../deployment/deployment.ts';
import { statusAt } from '../deployment/health.ts';
import { limitAt, planFits } from '../deployment/tier.ts';
import { type Result, refuse, succeed } from '../lib/problem.ts';
import { usageOf } from '../store/accounts.ts';
import { claimOfToken } from '../store/claims.ts';
import type { Database } from '../store/database.ts';
import { activeDeployments, deploymentById } from '../store/deployments.ts';
import { intend } from '../store/intents.ts';
import type { Origin } from '../store/origins.ts';
import { accountOfSession, attachSession } from '../store/sessions.ts';
import { usageOfDeployments } from '../store/usage.ts';
import { findSignedIn, requireSignedIn } from './callers.ts';
import { sendProblem } from './errors.ts';
import { planOf } from './plans.ts';
import { ErrorRecord, reservationRecord } from './records.ts';
import type { Service } from './service.ts';
import { originOf, refuseBanned } from './standing.ts';

const ClaimParams = Type.Object({ token: Type.String({ maxLength: 200 }) });

export const ClaimViewRecord = Type.Object({
  applicationName: Type.String(),
  environment: Type.String(),
  url: Type.String({ format: 'uri' }),
  pods: Type.Array(Type.Object({ name: Type.String(), state: Type.String() })),
  expiresAt: Type.Optional(Type.String({ format: 'date-time', description: 'Absent when it does not expire.' })),
  alsoAttached: Type.Array(Type.String(), {
    description: 'Names of the other deployments of its session, which the claim attaches too.',
  }),
  isYours: Type.Boolean({ description: 'Whether it belongs already to the account that is signed in.' }),
});

export const ClaimedRecord = Type.Object({
  message: Type.String(),
  applicationName: Type.String(),
  environment: Type.String(),
  url: Type.String({ format: 'uri' }),
  attached: Type.Array(
    Type.Object({
      applicationName: Type.String(),
      environment: Type.String(),
      url: Type.String({ format: 'uri' }),
    }),
    { description: 'Every deployment of the session: all of them are the account’s from now on.' },
  ),
});

export function claimEndpoints(service: Service): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/claims/:token',
      {
        schema: {
          operationId: 'getClaim',
          summary: 'What a claim link would claim',
          params: ClaimParams,
          response: { 200: ClaimViewRecord, '4xx': ErrorRecord },
        },
      },
      async (request, reply) => {
        const accountId = await findSignedIn(service, request);
        if (!accountId.ok) return sendProblem(reply, accountId.problem);
        const found = await findClaim(service.db, request.params.token, accountId.value, service.now());
        if (!found.ok) return sendProblem(reply, found.problem);
        const { deployment, isYours } = found.value;
        const { applicationName, environment, url, expiresAt } = reservationRecord(
          deployment,
          service.urlOf(deployment.label),
          service.now(),
        );
        const pods = statusAt(deployment, service.now()).pods.map(({ name, state }) => ({ name, state }));
        const session = await activeDeployments(service.db, deployment.sessionId, service.now());
        const alsoAttached = session.filter(({ id }) => id !== deployment.id).map((other) => other.applicationName);
        return { applicationName, environment, url, pods, ...(expiresAt && { expiresAt }), alsoAttached, isYours };
      },
    );

    app.post(
      '/claim/:token',
      {
        schema: {
          operationId: 'confirmClaim',
          summary: 'Attach the deployment of a claim link, and its session, to the account that is signed in',
          params: ClaimParams,
          response: { 200: ClaimedRecord, '4xx': ErrorRecord },
        },
      },
      async (request, reply) => {
        const accountId = await requireSignedIn(service, request);
        if (!accountId.ok) return sendProblem(reply, accountId.problem);
        const claimed = await claim(
          service,
          request.params.token,
          accountId.value,
          originOf(request, service.settings),
        );
        if (!claimed.ok) return sendProblem(reply, claimed.problem);
        const { deployment, attached } = claimed.value;
        const nameOf = ({ applicationName, environment, label }: Deployment) => {
          return { applicationName, environment, url: service.urlOf(label).origin };
        };
        const others = attached.filter(({ id }) => id !== deployment.id).map(({ applicationName }) => applicationName);
        const also = others.length > 0 ? ` So is what was started with its token: ${others.join(', ')}.` : '';
        return {
          message: `Application ${deployment.applicationName} is yours.${also}`,
          ...nameOf(deployment),
          attached: attached.map(nameOf),
        };
      },
    );
  };
}

/**
 * The deployment of a claim link, for the account that is signed in, if one is. A link that was used says so for good,
 * also when it is too old by now.
 */
export async function findClaim(
  db: Database,
  token: string,
  accountId: string | undefined,
  now: number,
): Promise<Result<{ deployment: Deployment; isYours: boolean }>> {
  const claim = await claimOfToken(db, token);
  const deployment = claim && (await deploymentById(db, claim.deploymentId));
  if (!claim || !deployment) {
    return refuse('claim_not_found', 'There is no such claim link.', 'Ask for a new one with POST /claimDeployment.');
  }
  const owner = await accountOfSession(db, deployment.sessionId);
  if (owner !== null && owner !== accountId) {
    return refuse(
      'already_claimed',
      'This link was used: the application belongs to an account.',
      'If it is yours, sign in to that account.',
    );
  }
  if (!isActive(deployment, now)) {
    return refuse('claim_expired', 'The application of this link has ended.', 'Start a new deployment.');
  }
  if (owner === null && claim.expiresAt <= now) {
    return refuse('claim_expired', 'This claim link has expired.', 'Ask for a new one with POST /claimDeployment.');
  }
  return succeed({ deployment, isYours: owner !== null });
}

/**
 * Makes the whole session the account's: every active deployment of it stops expiring, as the account's plan says.
 * Nothing is deployed again. A second time by the same account changes nothing.
 */
async function claim(
  service: Service,
  token: string,
  accountId: string,
  origin: Origin,
): Promise<Result<{ deployment: Deployment; attached: Deployment[] }>> {
  const now = service.now();
  const claimed = await service.db.transaction().execute(async (db) => {
    const found = await findClaim(db, token, accountId, now);
    if (!found.ok) return found;
    const { deployment, isYours } = found.value;
    const attached = await activeDeployments(db, deployment.sessionId, now);
    if (isYours) return succeed({ deployment, attached, isNew: false });
    const unbanned = await refuseBanned(db, origin, { accountId });
    if (!unbanned.ok) return unbanned;
    const plan = await planOf(db, service.settings.tiers, accountId);
    if (!plan) throw new Error('an account is signed in that does not exist');
    const { tier } = plan;
    const added = await usageOfDeployments(
      db,
      attached.map(({ id }) => id),
    );
    const fit = planFits(tier, await usageOf(db, accountId, now), added);
    if (!fit.ok) return fit;
    if (!(await attachSession(db, deployment.sessionId, accountId))) {
      return refuse('already_claimed', 'Another account has claimed this application just now.');
    }
    for (const { id, expiresAt } of attached) {
      const intent = { claimedAt: now, expiresAt: limitAt(tier, now, expiresAt) };
      await intend(db, id, intent, { event: { kind: 'intent', intent: 'claim' }, now });
    }
    return succeed({ deployment, attached, isNew: true });
  });
  if (!claimed.ok) return claimed;
  if (claimed.value.isNew) for (const { id } of claimed.value.attached) service.wake(id);
  return claimed;
}
