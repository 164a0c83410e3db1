/** Stopping an application, starting it again, and restarting one of its pods. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { AppSpec } from '../../config/spec/spec.ts';
import { type Deployment, isActive } from '../../deployment/deployment.ts';
import { wantedRevision } from '../../deployment/desired.ts';
import type { EventOf } from '../../deployment/event/event.ts';
import { restartPod, startAgain, stop } from '../../deployment/stops.ts';
import { refuseSuspended } from '../../deployment/suspension.ts';
import { type Result, refuse, succeed } from '../../lib/problem.ts';
import type { Database } from '../../store/database.ts';
import { deploymentById } from '../../store/deployments.ts';
import { intend } from '../../store/intents.ts';
import { revisionOf } from '../../store/revisions.ts';
import { accountOfSession } from '../../store/sessions.ts';
import { write } from '../../store/transaction.ts';
import { originOf, refuseBanned } from '../admission/caller-admission.ts';
import type { Service } from '../api-service.ts';
import { refusalsOfApplications } from '../description/refusals.ts';
import { ApplicationFields, ApplicationQuery, findApplication } from '../requests/callers.ts';
import { orRefuse } from '../requests/errors.ts';
import { statusRecord } from './deployment-records.ts';
import { ErrorRecord, MessageRecord, StatusRecord } from './deployment-schemas.ts';

export const RunRecord = Type.Object(
  { ...MessageRecord.properties, status: StatusRecord },
  { description: 'Confirms the request.' },
);

const RestartBody = Type.Object({
  ...ApplicationFields.properties,
  pod: Type.String({ minLength: 1, maxLength: 64, description: 'Its name in the configuration.' }),
});

/** The change of a request, or undefined if the state is already as requested. */
type Change = ReturnType<typeof stop>;
type RunContext = { latest: Deployment; spec: AppSpec; db: Database };
type Order = { change: Change; event: EventOf<'intent'> };

export function runEndpoints(service: Service): FastifyPluginAsyncTypebox {
  return async (app) => {
    const response = { 200: RunRecord, '4xx': ErrorRecord };
    const common = { querystring: ApplicationQuery, response };

    app.post(
      '/stopApplication',
      {
        schema: {
          operationId: 'stopApplication',
          summary: 'Stop all pods of an application, which keeps its address and its data',
          tags: ['deployments'],
          description:
            'Removes the containers of all pods. The URL, volumes, time limit, and use of limits stay. An update starts the application again.',
          access: 'caller in body',
          refusals: [...refusalsOfApplications, 'application_suspended'],
          ...common,
          body: ApplicationFields,
        },
      },
      async (request) => {
        const found = orRefuse(await findApplication(service, request, request.body));
        const stopped = orRefuse(
          await requestRun(service, found, async ({ latest }) =>
            succeed({ change: stop(latest, service.now()), event: { kind: 'intent', intent: 'stop-application' } }),
          ),
        );
        const name = stopped.applicationName;
        return {
          message: `Application ${name} is stopped. It keeps its address and its data; POST /startApplication starts it again.`,
          ...statusFields(service, stopped),
        };
      },
    );

    app.post(
      '/startApplication',
      {
        schema: {
          operationId: 'startApplication',
          summary: 'Start an application that is stopped',
          tags: ['deployments'],
          description:
            'Starts the pods of a stopped application with their volumes. Has no effect on a running application.',
          access: 'caller in body',
          refusals: [...refusalsOfApplications, 'application_suspended', 'banned', 'image_banned'],
          ...common,
          body: ApplicationFields,
        },
      },
      async (request) => {
        const found = orRefuse(await findApplication(service, request, request.body));
        const wasStopped = found.stoppedAt !== null;
        const origin = originOf(request, service.settings);
        const started = orRefuse(
          await requestRun(service, found, async ({ db, latest, spec }) => {
            const accountId = await accountOfSession(db, latest.sessionId);
            const unbanned = await refuseBanned(db, origin, { spec, accountId });
            if (!unbanned.ok) return unbanned;
            const event = { kind: 'intent', intent: 'start-application', revision: wantedRevision(latest) } as const;
            return succeed({ change: startAgain(latest, service.now()), event });
          }),
        );
        const name = started.applicationName;
        return {
          message: wasStopped
            ? `Application ${name} is starting again, at the same address and with its data.`
            : `Application ${name} is not stopped.`,
          ...statusFields(service, started),
        };
      },
    );

    app.post(
      '/restartPod',
      {
        schema: {
          operationId: 'restartPod',
          summary: 'Restart a pod',
          tags: ['deployments'],
          description:
            'Restarts a pod from the same image and configuration. The new pod is ready before the old pod is removed; a pod with volumes stops first.',
          access: 'caller in body',
          refusals: [...refusalsOfApplications, 'application_stopped', 'application_suspended', 'invalid_request'],
          ...common,
          body: RestartBody,
        },
      },
      async (request) => {
        const found = orRefuse(await findApplication(service, request, request.body));
        const { pod } = request.body;
        const restarted = orRefuse(
          await requestRun(service, found, async ({ latest, spec }) => {
            const change = restartPod(latest, { pod, pods: spec.pods.map(({ name }) => name) }, service.now());
            if (!change.ok) return change;
            const event = { kind: 'intent', intent: 'restart-pod', revision: wantedRevision(latest), pod } as const;
            return succeed({ change: change.value, event });
          }),
        );
        return {
          message: `Pod ${pod} of application ${restarted.applicationName} is being restarted.`,
          ...statusFields(service, restarted),
        };
      },
    );
  };
}

/** Reads the row again in the same transaction, so that it sees all earlier changes. */
async function requestRun(
  service: Service,
  { id }: Deployment,
  decide: (requested: RunContext) => Promise<Result<Order>>,
): Promise<Result<Deployment>> {
  const done = await write(service.db, { deploymentId: id }, async (db): Promise<Result<Deployment>> => {
    const latest = await deploymentById(db, id);
    if (!latest || !isActive(latest, service.now()))
      return refuse('application_not_found', 'The application has just ended.', 'Start it again.');
    const free = refuseSuspended(latest);
    if (!free.ok) return free;
    const { spec } = await revisionOf(db, service.seal, id, wantedRevision(latest));
    const order = await decide({ latest, spec, db });
    if (!order.ok) return order;
    const { change, event } = order.value;
    if (!change) return succeed(latest);
    const { pods, lastLines, restarts, ...fields } = change;
    const intent = {
      ...fields,
      ...(pods && { pods: JSON.stringify(pods) }),
      ...(lastLines && { lastLines: JSON.stringify(lastLines) }),
      ...(restarts && { restarts: JSON.stringify(restarts) }),
    };
    await intend(db, id, intent, { event, now: service.now() });
    return succeed({ ...latest, ...change });
  });
  if (done.ok) service.wake(id);
  return done;
}

function statusFields(service: Service, deployment: Deployment) {
  return { status: statusRecord(deployment, service.now()) };
}
