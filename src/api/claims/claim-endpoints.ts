/** Claim links: what a link would claim, and attaching a deployment with its whole session to an account. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { type Deployment, isActive } from '../../deployment/deployment.ts';
import { limitAt, planFits } from '../../deployment/limits/plan-tier.ts';
import { statusAt } from '../../deployment/status/deployment-health.ts';
import { type Result, refuse, succeed } from '../../lib/problem.ts';
import { usageOf } from '../../store/accounts.ts';
import { claimOfToken } from '../../store/claims.ts';
import type { Database } from '../../store/database.ts';
import { activeDeployments, deploymentById } from '../../store/deployments.ts';
import { intend } from '../../store/intents.ts';
import type { Origin } from '../../store/origins.ts';
import { revisionIfKept } from '../../store/revisions.ts';
import { endToken, hasEnded } from '../../store/session-tokens.ts';
import { accountOfSession, attachSession } from '../../store/sessions.ts';
import { write } from '../../store/transaction.ts';
import { usageOfDeployments } from '../../store/usage.ts';
import { originOf, refuseBanned } from '../admission/caller-admission.ts';
import { planOf } from '../admission/plans.ts';
import type { Service } from '../api-service.ts';
import { addNamedDomains } from '../custom-domains/named-domains.ts';
import { reservationRecord } from '../deployments/deployment-records.ts';
import { ErrorRecord } from '../deployments/deployment-schemas.ts';
import { findSignedIn, requireSignedIn } from '../requests/callers.ts';
import { orRefuse } from '../requests/errors.ts';

const AttachedRecord = Type.Object({
  applicationName: Type.String(),
  environment: Type.String(),
  url: Type.String({ format: 'uri' }),
});

const ClaimParams = Type.Object({ token: Type.String({ maxLength: 200 }) });

const ClaimBody = Type.Object({
  endToken: Type.Optional(
    Type.Boolean({
      description: 'Whether the claim ends the session token. Otherwise, the token stays valid for all its holders.',
    }),
  ),
  urls: Type.Optional(
    Type.Array(Type.String({ maxLength: 300 }), {
      maxItems: 1000,
      description:
        'The list `attached` that the user has seen. The service refuses a claim that would attach other deployments.',
    }),
  ),
});

export const ClaimViewRecord = Type.Object({
  applicationName: Type.String(),
  environment: Type.String(),
  url: Type.String({ format: 'uri' }),
  pods: Type.Array(Type.Object({ name: Type.String(), state: Type.String() })),
  expiresAt: Type.Optional(Type.String({ format: 'date-time', description: 'Absent when it does not expire.' })),
  alsoAttached: Type.Array(Type.String(), {
    description: 'Names of the other deployments of the session. The claim attaches these too.',
  }),
  attached: Type.Array(
    Type.Object({
      ...AttachedRecord.properties,
      createdAt: Type.String({ format: 'date-time' }),
      expiresAt: Type.Optional(Type.String({ format: 'date-time', description: 'Absent when it does not expire.' })),
      pods: Type.Array(Type.Object({ name: Type.String(), state: Type.String() })),
    }),
    { description: 'Everything that the claim attaches, the deployment of the link first.' },
  ),
  isYours: Type.Boolean({ description: 'Whether the deployment already belongs to the signed-in account.' }),
});

export const ClaimedRecord = Type.Object({
  message: Type.String(),
  applicationName: Type.String(),
  environment: Type.String(),
  url: Type.String({ format: 'uri' }),
  attached: Type.Array(AttachedRecord, {
    description: 'Every deployment of the session. All of these now belong to the account.',
  }),
  tokenEnded: Type.Boolean({
    description: 'Whether the session token has ended. Otherwise, all its holders can still manage these deployments.',
  }),
});

export function claimEndpoints(service: Service): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/claims/:token',
      {
        schema: {
          operationId: 'getClaim',
          summary: 'Get the deployments that a claim link would claim',
          tags: ['accounts'],
          description: 'For the page on which a user confirms the claim.',
          access: 'public',
          refusals: ['claim_not_found', 'claim_expired', 'already_claimed'],
          params: ClaimParams,
          response: { 200: ClaimViewRecord, '4xx': ErrorRecord },
        },
      },
      async (request) => {
        const accountId = orRefuse(await findSignedIn(service, request));
        const found = orRefuse(await findClaim(service.db, request.params.token, accountId, service.now()));
        const { deployment, isYours } = found;
        const { applicationName, environment, url, expiresAt } = reservationRecord(
          deployment,
          service.urlOf(deployment.label),
          service.now(),
        );
        const attached = (await attachedBy(service.db, found, service.now())).map(showAttached);
        return {
          applicationName,
          environment,
          url,
          ...(expiresAt && { expiresAt }),
          pods: attached[0]!.pods,
          alsoAttached: attached.slice(1).map((other) => other.applicationName),
          attached,
          isYours,
        };
      },
    );

    app.post(
      '/claim/:token',
      {
        schema: {
          operationId: 'confirmClaim',
          summary: 'Attach the deployment of a claim link, and its session, to the account that is signed in',
          tags: ['accounts'],
          description:
            'Claims the deployment. The session token stays valid unless `endToken` is set. A repeated claim by the same account changes nothing.',
          access: 'sign-in',
          refusals: [
            'claim_not_found',
            'claim_expired',
            'claim_changed',
            'already_claimed',
            'plan_limit_reached',
            'banned',
          ],
          params: ClaimParams,
          body: ClaimBody,
          response: { 200: ClaimedRecord, '4xx': ErrorRecord },
        },
        // Nothing has to be said.
        preValidation: async (request) => {
          request.body ??= {};
        },
      },
      async (request) => {
        const accountId = orRefuse(await requireSignedIn(service, request));
        const { endToken = false, urls } = request.body;
        const { deployment, attached } = orRefuse(
          await claim(service, request.params.token, {
            accountId,
            origin: originOf(request, service.settings),
            endToken,
            urls,
          }),
        );
        for (const each of attached) await addNamed(each);
        const others = attached.filter(({ id }) => id !== deployment.id).map(({ applicationName }) => applicationName);
        const also = others.length > 0 ? ` So is what was started with its token: ${others.join(', ')}.` : '';
        const ended = endToken ? ' The session token has ended.' : '';
        return {
          message: `Application ${deployment.applicationName} is yours.${also}${ended}`,
          ...nameOf(deployment),
          attached: attached.map(nameOf),
          tokenEnded: await hasEnded(service.db, deployment.sessionId),
        };
      },
    );
  };

  /** What its configuration names was none before there was an account to have it. */
  async function addNamed({ id, revision }: Deployment): Promise<void> {
    const latest = await deploymentById(service.db, id);
    const kept = await revisionIfKept(service.db, service.seal, id, revision);
    if (latest && kept) await addNamedDomains(service, latest, kept.spec);
  }

  function nameOf({ applicationName, environment, label }: Deployment) {
    return { applicationName, environment, url: service.urlOf(label).origin };
  }

  function showAttached(deployment: Deployment) {
    const now = service.now();
    const { createdAt, expiresAt } = reservationRecord(deployment, service.urlOf(deployment.label), now);
    const pods = statusAt(deployment, now).pods.map(({ name, state }) => ({ name, state }));
    return { ...nameOf(deployment), createdAt, ...(expiresAt && { expiresAt }), pods };
  }
}

/** `isOwned`: whether its session is the account's already; it may have been started after that, and count to no plan. */
type Found = { deployment: Deployment; isYours: boolean; isOwned: boolean };

/**
 * The deployment of a claim link, for the account that is signed in, if one is. A link that was used says so for good,
 * also when it is too old by now.
 */
export async function findClaim(
  db: Database,
  token: string,
  accountId: string | undefined,
  now: number,
): Promise<Result<Found>> {
  const claim = await claimOfToken(db, token);
  const deployment = claim && (await deploymentById(db, claim.deploymentId));
  if (!claim || !deployment) {
    return refuse(
      'claim_not_found',
      'The claim link does not exist.',
      'Request a new link with POST /claimDeployment.',
    );
  }
  const owner = await accountOfSession(db, deployment.sessionId);
  if (owner !== null && owner !== accountId) {
    return refuse(
      'already_claimed',
      'This link has been used: the application belongs to an account.',
      'If it is yours, sign in to that account.',
    );
  }
  if (!isActive(deployment, now)) {
    return refuse('claim_expired', 'The application of this link has ended.', 'Start a new deployment.');
  }
  const isYours = owner !== null && deployment.claimedAt !== null;
  if (!isYours && claim.expiresAt <= now) {
    return refuse('claim_expired', 'This claim link has expired.', 'Request a new link with POST /claimDeployment.');
  }
  return succeed({ deployment, isYours, isOwned: owner !== null });
}

/**
 * Everything that a claim attaches, or has attached, the link's deployment first. Of a session that is the account's
 * already it is that one alone: the others of it that count to no plan have links of their own.
 */
async function attachedBy(db: Database, { deployment, isYours, isOwned }: Found, now: number): Promise<Deployment[]> {
  const session = isYours || !isOwned ? await activeDeployments(db, deployment.sessionId, now) : [];
  const others = session.filter(({ id, claimedAt }) => id !== deployment.id && (!isYours || claimedAt !== null));
  return [deployment, ...others];
}

type Confirming = {
  accountId: string;
  origin: Origin;
  endToken: boolean;
  /** What was shown to whoever confirms, if that is known. */
  urls: readonly string[] | undefined;
};

/**
 * Makes the whole session the account's: every active deployment of it stops expiring, as the account's plan says.
 * Nothing is deployed again. A second time by the same account changes nothing.
 */
async function claim(
  service: Service,
  token: string,
  { accountId, origin, endToken: isTokenEnding, urls }: Confirming,
): Promise<Result<{ deployment: Deployment; attached: Deployment[] }>> {
  const now = service.now();
  const claimed = await write(service.db, 'all', async (db) => {
    const found = await findClaim(db, token, accountId, now);
    if (!found.ok) return found;
    const { deployment, isYours, isOwned } = found.value;
    const attached = await attachedBy(db, found.value, now);
    const unseen = attached.filter(({ label }) => urls && !urls.includes(service.urlOf(label).origin));
    if (!isYours && unseen.length > 0) return changedMeanwhile(unseen);
    const owned = { accountId, sessionId: deployment.sessionId };
    if (isYours && isTokenEnding) await endToken(db, owned, now);
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
    if (!isOwned && !(await attachSession(db, deployment.sessionId, accountId))) {
      return refuse('already_claimed', 'Another account has claimed this application just now.');
    }
    for (const { id, expiresAt } of attached) {
      const intent = { claimedAt: now, expiresAt: limitAt(tier, now, expiresAt) };
      await intend(db, id, intent, { event: { kind: 'intent', intent: 'claim' }, now });
    }
    if (isTokenEnding) await endToken(db, owned, now);
    return succeed({ deployment, attached, isNew: true });
  });
  if (!claimed.ok) return claimed;
  if (claimed.value.isNew) for (const { id } of claimed.value.attached) service.wake(id);
  return claimed;
}

function changedMeanwhile(unseen: readonly Deployment[]) {
  const names = unseen.map(({ applicationName }) => applicationName).join(', ');
  return refuse(
    'claim_changed',
    `The session has new deployments that the claim would attach too: ${names}.`,
    'Request GET /api/claims/{token} again and confirm the deployments that it lists.',
  );
}
