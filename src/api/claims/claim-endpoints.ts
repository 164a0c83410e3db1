/** The endpoints of claim links: preview a claim, and claim. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { Deployment } from '../../deployment/deployment.ts';
import { statusAt } from '../../deployment/status/deployment-health.ts';
import { deploymentById } from '../../store/deployments.ts';
import { findStoredRevision } from '../../store/revisions.ts';
import { hasEnded } from '../../store/session-tokens.ts';
import { originOf } from '../admission/caller-admission.ts';
import type { Service } from '../api-service.ts';
import { addNamedDomains } from '../custom-domains/named-domains.ts';
import { reservationRecord } from '../deployments/deployment-records.ts';
import { ErrorRecord } from '../deployments/deployment-schemas.ts';
import { findSignedIn, requireSignedIn } from '../requests/callers.ts';
import { orRefuse } from '../requests/errors.ts';
import { attachedBy, claim, findClaim } from './claim-session.ts';

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
  expiresAt: Type.Optional(
    Type.String({ format: 'date-time', description: 'Absent if the deployment does not expire.' }),
  ),
  alsoAttached: Type.Array(Type.String(), {
    description: 'Names of the other deployments of the session. The claim attaches these too.',
  }),
  attached: Type.Array(
    Type.Object({
      ...AttachedRecord.properties,
      createdAt: Type.String({ format: 'date-time' }),
      expiresAt: Type.Optional(
        Type.String({ format: 'date-time', description: 'Absent if the deployment does not expire.' }),
      ),
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
        // The body may be empty.
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

  /** The domains in its configuration could not be added before it had an account. */
  async function addNamed({ id, revision }: Deployment): Promise<void> {
    const latest = await deploymentById(service.db, id);
    const kept = await findStoredRevision(service.db, service.seal, id, revision);
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
