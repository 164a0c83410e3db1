/** Reservations: the deployments of a session as it lists them, and holds on them. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { type Deployment, isActive } from '../../deployment/deployment.ts';
import type { EventOf } from '../../deployment/event/event.ts';
import { refuseSuspended } from '../../deployment/suspension.ts';
import { type Result, refuse, succeed } from '../../lib/problem.ts';
import { deploymentById } from '../../store/deployments.ts';
import { intend } from '../../store/intents.ts';
import { write } from '../../store/transaction.ts';
import { planOfDeployment } from '../admission/plans.ts';
import type { Service } from '../api-service.ts';
import { refusalsOfApplications } from '../description/refusals.ts';
import {
  ApplicationFields,
  ApplicationQuery,
  findApplication,
  findRestorable,
  mayHaveEnded,
  requireCaller,
  TokenBody,
  TokenQuery,
} from '../requests/callers.ts';
import { orRefuse } from '../requests/errors.ts';
import { parameterWarnings } from '../requests/query-parameters.ts';
import { printInstant, reservationRecord } from './deployment-records.ts';
import { ErrorRecord, MessageRecord, ReservationRecord, RestorableUntil, Warnings } from './deployment-schemas.ts';

const ReservationsRecord = Type.Object(
  { reservedDeployments: Type.Array(ReservationRecord), warnings: Warnings },
  { description: 'The active deployments of the session.' },
);

const Forget = Type.Optional(
  Type.Union([Type.Boolean(), Type.Enum(['true', 'false'])], {
    description: 'Whether to delete the data immediately. The deployment cannot be restored.',
  }),
);
const RemovalFields = Type.Object({ ...ApplicationFields.properties, forget: Forget });

const RemovalRecord = Type.Object(
  { ...MessageRecord.properties, restorableUntil: RestorableUntil },
  { description: 'A sentence that describes the result and until when it can be undone.' },
);

const removal = { kind: 'intent', intent: 'remove', because: 'asked' } as const;

export function reservationEndpoints(service: Service): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/getReservations',
      {
        schema: {
          operationId: 'listDeployments',
          summary: 'List reservations',
          tags: ['reservations'],
          description: 'Returns the active deployments of the session, or of all sessions of the account.',
          access: 'caller',
          querystring: TokenQuery,
          response: { 200: ReservationsRecord, '4xx': ErrorRecord },
        },
      },
      async (request) => {
        const caller = orRefuse(await requireCaller(service, request, request.query));
        return {
          reservedDeployments: caller.deployments.map((deployment) =>
            reservationRecord(deployment, service.urlOf(deployment.label), service.now()),
          ),
          ...parameterWarnings(request),
        };
      },
    );

    app.post(
      '/addDeploymentReservation',
      {
        schema: {
          operationId: 'addDeploymentReservation',
          summary: 'Add a reservation (paid plan)',
          tags: ['reservations'],
          description: 'Keeps the deployment running past its time limit. The plan must allow reservations.',
          access: 'caller in body',
          refusals: [...refusalsOfApplications, 'plan_does_not_allow_reservations'],
          querystring: ApplicationQuery,
          body: ApplicationFields,
          response: { 200: MessageRecord, '4xx': ErrorRecord, 500: ErrorRecord },
        },
      },
      async (request) => {
        const found = orRefuse(await findApplication(service, request, request.body));
        orRefuse(await hold(service, found));
        const message = `Application ${found.applicationName} reservation has been added.`;
        return { message };
      },
    );

    app.post(
      '/releaseDeployment',
      {
        schema: {
          operationId: 'releaseDeployment',
          summary: 'End the hold of a deployment, which keeps running until its time limit',
          tags: ['reservations'],
          description: 'Ends the hold of one deployment. The deployment is removed after its time limit.',
          access: 'caller in body',
          refusals: refusalsOfApplications,
          querystring: ApplicationQuery,
          body: ApplicationFields,
          response: { 200: MessageRecord, '4xx': ErrorRecord },
        },
      },
      async (request) => {
        const {
          id,
          applicationName: name,
          heldAt,
          expiresAt,
        } = orRefuse(await findApplication(service, request, request.body));
        if (heldAt !== null) await endHold(service, id, { heldAt: null }, { kind: 'intent', intent: 'end-hold' });
        const isLate = expiresAt !== null && expiresAt <= service.now();
        const rest =
          expiresAt === null
            ? 'It has no time limit.'
            : isLate
              ? 'Its time limit has passed: it is being removed.'
              : `It keeps running until ${printInstant(expiresAt)}.`;
        const message = `Application ${name} ${heldAt === null ? 'was not held' : 'is no longer held'}. ${rest}`;
        return { message };
      },
    );

    app.post(
      '/removeDeploymentReservation',
      {
        schema: {
          operationId: 'removeDeploymentReservation',
          summary: 'Remove a reservation and its site',
          tags: ['reservations'],
          description:
            'Removes the deployment with its site. Its volumes are kept until `restorableUntil`, unless `forget` is set.',
          access: 'caller in body',
          refusals: [...refusalsOfApplications, 'application_suspended'],
          querystring: Type.Object({ ...ApplicationQuery.properties, forget: Forget }),
          body: RemovalFields,
          response: { 200: RemovalRecord, '4xx': ErrorRecord },
        },
      },
      async (request) => {
        const { applicationName: name, forget } = request.body;
        const isForgotten = forget === true || forget === 'true';
        const active = await findApplication(service, request, request.body);
        // The owner may remove the retained data of an ended deployment.
        const kept =
          isForgotten && mayHaveEnded(active) ? await findRestorable(service, request, request.body) : undefined;
        const found = orRefuse(kept ?? active);
        orRefuse(refuseSuspended(found));
        const now = service.now();
        const { graceMs } = service.settings;
        const restorableUntil = kept || isForgotten || graceMs === 0 ? null : now + graceMs;
        await endHold(service, found.id, { removedAt: now, heldAt: null, restorableUntil }, removal);
        return {
          message:
            `Application ${name} reservation has been removed. ` +
            `Application site will be removed within the next 10 minutes.${afterwards(restorableUntil)}`,
          ...(restorableUntil !== null && { restorableUntil: printInstant(restorableUntil) }),
        };
      },
    );

    app.post(
      '/removeReservations',
      {
        schema: {
          operationId: 'removeReservations',
          summary: 'End the holds of all deployments of the session; deployments within their time limit keep running',
          tags: ['reservations'],
          description:
            'Ends the holds of all deployments and removes those past their time limit. The response names the others.',
          access: 'caller in body',
          querystring: TokenQuery,
          body: TokenBody,
          response: { 200: Type.String({ description: 'A sentence that says so.' }), '4xx': ErrorRecord },
        },
      },
      async (request, reply) => {
        const caller = orRefuse(await requireCaller(service, request, request.body));
        // Without a hold, a deployment lives until its time limit. A deployment past its limit ends now.
        for (const { id } of caller.deployments.filter(({ heldAt }) => heldAt !== null)) {
          await endHold(service, id, { heldAt: null }, { kind: 'intent', intent: 'end-hold' });
        }
        const now = service.now();
        const staying = caller.deployments.filter((deployment) => isActive({ ...deployment, heldAt: null }, now));
        const sentence =
          'Application reservations have been removed. If deployments have reached their time limits, ' +
          `application sites will be removed within 10 minutes.${stayingSentence(staying)}`;
        return reply.type('application/json').send(JSON.stringify(sentence));
      },
    );
  };
}

function afterwards(restorableUntil: number | null): string {
  if (restorableUntil === null) return '';
  return ` Its data is kept until ${printInstant(restorableUntil)}: POST /restoreDeployment brings it back.`;
}

/**
 * Users may read "remove reservations" as "remove everything", so the answer states what keeps running and which
 * request ends it.
 */
function stayingSentence(staying: Deployment[]): string {
  if (staying.length === 0) return '';
  const names = staying.map(({ applicationName }) => applicationName).join(', ');
  return (
    ` Nothing else was removed; still running until the time limit, if there is one: ${names}. ` +
    'POST /removeDeploymentReservation removes a deployment with its site and data.'
  );
}

/** The plan is checked in the transaction that writes the hold. A second hold changes nothing. */
async function hold(service: Service, deployment: Deployment): Promise<Result<undefined>> {
  const { id } = deployment;
  const held = await write(service.db, 'all', async (db): Promise<Result<undefined>> => {
    const now = service.now();
    const latest = await deploymentById(db, id);
    const plan = await planOfDeployment(db, service.settings.tiers, latest ?? deployment);
    if (!plan?.tier.allowsReservations) {
      return refuse(
        'plan_does_not_allow_reservations',
        "The user's plan does not allow reservations and must be upgraded.",
        plan
          ? `The plan of this account is "${plan.tier.name}"; the operator can change it.`
          : 'Claim the deployment with an account whose plan allows reservations.',
      );
    }
    if (!latest || !isActive(latest, now)) {
      return refuse('application_not_found', 'The application has just ended.', 'Start it again.');
    }
    if (latest.heldAt !== null) return succeed(undefined);
    await intend(db, id, { heldAt: now }, { event: { kind: 'intent', intent: 'hold' }, now });
    return succeed(undefined);
  });
  if (held.ok) service.wake(id);
  return held;
}

async function endHold(
  service: Service,
  deploymentId: string,
  intent: { removedAt?: number; heldAt: null; restorableUntil?: number | null },
  event: EventOf<'intent'>,
): Promise<void> {
  await write(
    service.db,
    { deploymentId },
    async (db) => await intend(db, deploymentId, intent, { event, now: service.now() }),
  );
  service.wake(deploymentId);
}
