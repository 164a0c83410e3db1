/** The status of one deployment, also for clients that wait for a change, and its events as a stream. */
import { Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { withShortNames } from '../../config/values/pushed-image.ts';
import { type Deployment, type Instant, isActive } from '../../deployment/deployment.ts';
import { wantedRevision } from '../../deployment/desired.ts';
import { volumesOf } from '../../deployment/desired-volumes.ts';
import { type DiskWarning, diskWarnings } from '../../deployment/disk/disk-warnings.ts';
import { describeEvent } from '../../deployment/event/event-text.ts';
import { type ShownPod, statusAt } from '../../deployment/status/deployment-health.ts';
import { foldRepetitions } from '../../deployment/status/repeated-lines.ts';
import { EngineFault } from '../../engine/engine.ts';
import { certificateNotice } from '../../lib/certificate-report.ts';
import { type Result, refuse, succeed } from '../../lib/problem.ts';
import { wait } from '../../lib/wait.ts';
import { deploymentById } from '../../store/deployments.ts';
import { eventsAfter, latestOfDisk, type RecordedEvent } from '../../store/events.ts';
import { findStoredRevision } from '../../store/revisions.ts';
import type { Service } from '../api-service.ts';
import { eventStreamSchema } from '../description/event-components.ts';
import { refusalsOfApplications } from '../description/refusals.ts';
import { lastLines } from '../logs/read-logs.ts';
import {
  ApplicationFields,
  findApplication,
  findRestorable,
  mayHaveEnded,
  sessionNotFound,
} from '../requests/callers.ts';
import { orRefuse, RefusedRequest } from '../requests/errors.ts';
import { parameterWarnings } from '../requests/query-parameters.ts';
import { untilRevoked } from '../requests/revocation.ts';
import type { Streams } from '../requests/streams.ts';
import { deploymentRecord } from './deployment-records.ts';
import { DeploymentRecord, ErrorRecord } from './deployment-schemas.ts';
import { hasArrived, longestWaitSeconds, untilArrived } from './waiting.ts';

/** The number of log lines shown from the pod that needs attention, during a start and after a restart. */

const linesShown = 20;
const linesRead = 100;

/** The time during which a pod counts as restarted after it is ready again. */
const afterRestartMs = 10 * 60_000;

/** Returns the lines recorded with a failure. Otherwise reads the current lines, including those of the previous run. */
async function recentLines(service: Service, deployment: Deployment, signal: AbortSignal): Promise<string[]> {
  const now = service.now();
  if (deployment.lastLines.length > 0 || !isActive(deployment, now)) return deployment.lastLines;
  const pod = podToRead(statusAt(deployment, now).pods, now);
  if (!pod) return [];
  const requested = { pod: pod.name, revision: pod.revision, tail: linesRead, isPrevious: false };
  const every = { ...requested, since: undefined, until: undefined, search: undefined, stream: undefined };
  try {
    const { workloads } = await service.engine.observe(deployment.id, []);
    const { lines } = await lastLines(service, deployment, workloads, every, signal);
    const texts = lines.map(({ text }) => text);
    return foldRepetitions(texts, linesShown, texts.length >= linesRead);
  } catch (error) {
    if (error instanceof EngineFault || signal.aborted) return [];
    throw error;
  }
}

/** PURE. Returns the pod in the worst state. Undefined if all are ready and none was restarted in the last minutes. */
export function podToRead(pods: readonly ShownPod[], now: Instant): ShownPod | undefined {
  const hasExited = ({ lastExit }: ShownPod) => lastExit !== undefined && now - lastExit.at < afterRestartMs;
  const isAway = ({ state }: ShownPod) => state !== 'ready' && state !== 'waiting';
  return pods.find((pod) => isAway(pod) && hasExited(pod)) ?? pods.find(isAway) ?? pods.find(hasExited);
}

/** An indexed query of 0.1 ms: cheap enough to see what any process has written, soon enough for a person. */
const lookEveryMs = 250;
/** An ignored line, so that proxies do not time out. */
const keepAliveMs = 15_000;
const eventsAtOnce = 500;

const EventStream = {
  description:
    'Server-sent events. `id` is the number to resume after. `data` is a JSON object with `kind`, the fields of the kind, `message` (the event as a sentence), `number`, `count`, `firstAt` and `at`. A repeated event is sent again with the same `number`.',
  content: { 'text/event-stream': { schema: eventStreamSchema } },
};

const StatusQuery = Type.Object({
  ...ApplicationFields.properties,
  wait: Type.Optional(
    Type.String({
      pattern: '^\\d{1,5}$',
      description: `How many seconds to wait for \`running\`, \`failed\` or \`expired\`, at most ${longestWaitSeconds}.`,
      'x-says': 'must be a number of seconds',
    }),
  ),
});

const EventsQuery = Type.Object({
  ...ApplicationFields.properties,
  follow: Type.Optional(
    Type.Enum(['true', 'false'], {
      default: 'true',
      description: 'Continue with new events until the deployment is gone. `false`: end after the existing events.',
    }),
  ),
});

const clock = () => performance.now();

export function statusEndpoints(service: Service, streams: Streams): FastifyPluginAsyncTypebox {
  return async (app) => {
    const closing = new AbortController();
    app.addHook('preClose', async () => closing.abort());
    service.leaving?.addEventListener('abort', () => closing.abort());

    app.get(
      '/getDeploymentStatus',
      {
        schema: {
          operationId: 'getDeploymentStatus',
          summary: 'Get the status of a deployment',
          tags: ['status'],
          access: 'caller',
          refusals: refusalsOfApplications,
          description:
            'Returns the state of the deployment and of each pod. With `wait`, the response comes when the deployment runs, has failed, or has ended. An ended deployment has a status as long as it can be restored.',
          querystring: StatusQuery,
          response: { 200: DeploymentRecord, '4xx': ErrorRecord },
        },
      },
      async (request, reply) => {
        const active = await findApplication(service, request, request.query);
        const ended = mayHaveEnded(active) ? await findRestorable(service, request, request.query) : undefined;
        const found = orRefuse(ended ?? active);
        const seconds = orRefuse(readWait(request.query.wait));
        const { id, label, sessionId } = found;
        const isArrived = seconds === 0 || hasArrived(found, service.now());
        const tooMany = isArrived ? undefined : streams.open(request, reply, sessionId);
        if (tooMany) throw new RefusedRequest(tooMany);
        const known = isArrived ? undefined : untilRevoked(service, request, reply, request.query);
        const watch = { read: () => deploymentById(service.db, id), now: service.now, clock, wait };
        const stop = AbortSignal.any([...(known ? [known.stop] : []), closing.signal]);
        const deployment = await untilArrived(found, seconds * 1_000, watch, stop);
        if (known && !(await known.isKnown())) throw new RefusedRequest(sessionNotFound.problem);
        const now = service.now();
        const warnings = await warningsOfDisk(service, deployment, now);
        const { limits, graceMs } = service.settings;
        const url = service.urlOf(label);
        const notice = certificateNotice(service.certificates?.(), url.hostname, now);
        const left = new AbortController();
        reply.raw.once('close', () => left.abort());
        const lastLines = await recentLines(service, deployment, AbortSignal.any([left.signal, closing.signal]));
        const record = deploymentRecord({ ...deployment, lastLines }, url, { limits, graceMs, now, warnings, notice });
        return { ...record, ...parameterWarnings(request) };
      },
    );

    app.get(
      '/getDeploymentEvents',
      {
        schema: {
          operationId: 'getDeploymentEvents',
          summary: 'Read and follow the events of a deployment (server-sent events)',
          tags: ['status'],
          description:
            'Returns all events so far, then new events as they happen. The stream resumes after `Last-Event-ID`.',
          access: 'caller',
          refusals: refusalsOfApplications,
          querystring: EventsQuery,
          headers: Type.Object({
            'last-event-id': Type.Optional(
              Type.String({ pattern: '^\\d{1,9}$', 'x-says': 'must be the id of an event' }),
            ),
          }),
          response: { 200: EventStream, '4xx': ErrorRecord },
        },
      },
      async (request, reply) => {
        const found = orRefuse(await findApplication(service, request, request.query));
        const after = Number(request.headers['last-event-id'] ?? 0);
        const send = (events: AsyncIterable<string>) => reply.type('text/event-stream').send(Readable.from(events));
        if (request.query.follow === 'false') return send(eventsSoFar(service, found.id, after));
        const tooMany = streams.open(request, reply, found.sessionId);
        if (tooMany) throw new RefusedRequest(tooMany);
        const { stop } = untilRevoked(service, request, reply, request.query);
        return send(follow(service, found.id, after, AbortSignal.any([stop, closing.signal])));
      },
    );
  };
}

function readWait(text: string | undefined): Result<number> {
  const seconds = Number(text ?? 0);
  if (seconds <= longestWaitSeconds) return succeed(seconds);
  const hint = `Request the status again after wait=${longestWaitSeconds}: a response with the state deploying is not final.`;
  return refuse('invalid_request', `wait can be ${longestWaitSeconds} seconds at most.`, hint);
}

/** A volume that was removed from the configuration gets no further events, so its last level is outdated. */
async function warningsOfDisk({ db, seal }: Service, deployment: Deployment, now: Instant): Promise<DiskWarning[]> {
  const warnings = diskWarnings(await latestOfDisk(db, deployment.id), now);
  if (warnings.every(({ volume }) => volume === undefined)) return warnings;
  const revision = await findStoredRevision(db, seal, deployment.id, wantedRevision(deployment));
  // The deployment has ended during the wait.
  if (!revision) return [];
  const present = new Set(volumesOf(revision.spec).map(({ volume }) => volume));
  return warnings.filter(({ volume }) => volume === undefined || present.has(volume));
}

async function* eventsSoFar({ db }: Service, deploymentId: string, after: number) {
  for (let last = after; ; ) {
    const events = await eventsAfter(db, deploymentId, last, eventsAtOnce);
    if (events.length === 0) return;
    last = events.at(-1)!.sequence;
    yield events.map(printEvent).join('');
  }
}

/** Streams all events after a number, and new events until no more can come. */
async function* follow(service: Service, deploymentId: string, after: number, closing: AbortSignal) {
  let last = after;
  let saidAt = performance.now();
  using subscription = service.notifier.listen(deploymentId);
  while (!closing.aborted) {
    const deployment = await deploymentById(service.db, deploymentId);
    const events = await eventsAfter(service.db, deploymentId, last, eventsAtOnce);
    if (events.length > 0) {
      last = events.at(-1)!.sequence;
      saidAt = performance.now();
      yield events.map(printEvent).join('');
      continue;
    }
    if (!deployment || deployment.goneAt !== null || deployment.keptAt !== null) return;
    if (performance.now() - saidAt > keepAliveMs) {
      saidAt = performance.now();
      yield ': still here\n\n';
    }
    await subscription.next(lookEveryMs, closing);
  }
}

/** Events as the API sends them: the value, how often and when it has happened, and its sentence. */

/** Prints a server-sent event. Its id is the number of the event. A reconnecting client sends it as `Last-Event-ID`. */
function printEvent(event: RecordedEvent): string {
  return `id: ${event.sequence}\nevent: ${event.kind}\ndata: ${JSON.stringify(eventRecord(event))}\n\n`;
}

function eventRecord({ sequence: _, count, firstAt, at, ...event }: RecordedEvent) {
  const reported = withShortNames(event);
  return {
    at: new Date(at).toISOString(),
    ...reported,
    message: withShortNames(describeEvent(event)),
    count,
    firstAt: new Date(firstAt).toISOString(),
  };
}
