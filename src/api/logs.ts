/** What the pods of a deployment write: the last lines of all, or of one, and those that come. */
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { Deployment, Instant } from '../deployment/deployment.ts';
import { desiredAt } from '../deployment/desired.ts';
import { noEgress } from '../deployment/egress.ts';
import { redactorOf } from '../deployment/redact.ts';
import type { ObservedWorkload } from '../deployment/workload.ts';
import { type Result, refuse, succeed } from '../lib/problem.ts';
import { deploymentById } from '../store/deployments.ts';
import { revisionOf } from '../store/revisions.ts';
import { derivationOf } from '../store/seeds.ts';
import { ApplicationQuery, findApplication } from './callers.ts';
import { sendProblem } from './errors.ts';
import { ErrorRecord, StreamedText } from './records.ts';
import type { Service } from './service.ts';
import type { Streams } from './streams.ts';

/** How often a follower looks for workloads that an update or a repair has started. */
const lookEveryMs = 1_000;

const LogsQuery = Type.Object({
  ...ApplicationQuery.properties,
  pod: Type.Optional(Type.String({ maxLength: 64, description: 'Only this pod. Default: all, interleaved.' })),
  tail: Type.Optional(
    Type.String({
      pattern: '^\\d{1,4}$',
      default: '100',
      description: 'So many last lines of each, at most 1000.',
      'x-says': 'must be a number of lines, at most 9999',
    }),
  ),
  since: Type.Optional(
    Type.String({ maxLength: 40, description: 'No older ones: a date-time, or how long ago, e.g. `10m`.' }),
  ),
  follow: Type.Optional(Type.Enum(['true', 'false'], { default: 'false', description: 'Go on with those that come.' })),
});

const LogLines = {
  description: 'The lines, oldest first.',
  content: { 'text/plain': { schema: StreamedText }, 'text/event-stream': { schema: StreamedText } },
};

type Wanted = { pod: string | undefined; tail: number; since: Instant | undefined };
type PodLine = { at: Instant; pod: string; text: string };

export function logEndpoints(service: Service, streams: Streams): FastifyPluginAsyncTypebox {
  return async (app) => {
    const closing = new AbortController();
    app.addHook('preClose', async () => closing.abort());

    app.get(
      '/getDeploymentLogs',
      {
        schema: {
          operationId: 'getDeploymentLogs',
          summary: 'Read or follow what the pods write',
          description: 'Plain lines `<time> <pod> <text>`; with `Accept: text/event-stream` server-sent events.',
          querystring: LogsQuery,
          response: { 200: LogLines, '4xx': ErrorRecord },
        },
      },
      async (request, reply) => {
        const { pod, tail = '100', follow } = request.query;
        const found = await findApplication(service, request, request.query);
        if (!found.ok) return sendProblem(reply, found.problem);
        const since = readSince(request.query.since, service.now());
        if (!since.ok) return sendProblem(reply, since.problem);
        const wanted = { pod, tail: Math.min(Number(tail), 1_000), since: since.value };
        const known = checkPod(found.value, pod);
        if (!known.ok) return sendProblem(reply, known.problem);

        const tooMany = follow === 'true' ? streams.open(request, reply, found.value.sessionId) : undefined;
        if (tooMany) return sendProblem(reply, tooMany);

        const isStream = /\btext\/event-stream\b/.test(request.headers.accept ?? '');
        const print = isStream ? printEvent : printLine;
        reply.type(isStream ? 'text/event-stream' : 'text/plain; charset=utf-8');
        const { lines, until } = await lastLines(service, found.value, wanted);
        const text = lines.map(print).join('');
        if (follow !== 'true') return reply.send(text);

        const out = new PassThrough();
        const gone = new AbortController();
        out.once('close', () => gone.abort());
        out.write(text);
        void follower(
          service,
          found.value.id,
          pod,
          until,
          AbortSignal.any([gone.signal, closing.signal]),
        )((line) => writeInStep(out, print(line), gone.signal)).then(
          () => out.end(),
          (error) => out.destroy(error),
        );
        return reply.send(out);
      },
    );
  };
}

/** A date-time, or how long before `now`. */
function readSince(text: string | undefined, now: Instant): Result<Instant | undefined> {
  if (text === undefined) return succeed(undefined);
  const ago = /^(\d{1,6})(s|m|h|d)$/.exec(text);
  if (ago)
    return succeed(now - Number(ago[1]) * { s: 1e3, m: 6e4, h: 3.6e6, d: 8.64e7 }[ago[2] as 's' | 'm' | 'h' | 'd']);
  const at = Date.parse(text);
  return Number.isNaN(at)
    ? refuse('invalid_request', 'since is neither a date-time nor a span such as 10m.', 'For example since=10m.')
    : succeed(at);
}

function checkPod({ pods }: Deployment, pod: string | undefined): Result<void> {
  if (pod === undefined || pods.some(({ name }) => name === pod)) return succeed(undefined);
  const names = pods.map(({ name }) => name).join(', ');
  return refuse('invalid_request', 'The application has no such pod.', `Its pods are: ${names}.`);
}

/** Interleaved by time. `until` is when they were read: those that come are followed from then on. */
async function lastLines(
  service: Service,
  deployment: Deployment,
  { pod, tail, since }: Wanted,
): Promise<{ lines: PodLine[]; until: Instant }> {
  const { engine, now } = service;
  const { id } = deployment;
  const until = now();
  const { workloads } = await engine.observe(id, []);
  const perWorkload = await Promise.all(
    workloads
      .filter((workload) => pod === undefined || workload.pod === pod)
      .map(async (workload) => {
        const redact = await redactorFor(service, deployment, workload);
        const lines = await engine.logs(workload.name, { tail, ...(since !== undefined && { since }) });
        return lines
          .filter(({ at }) => at <= until)
          .map(({ at, text }) => ({ at, text: redact(text), pod: labelOf(workload) }));
      }),
  );
  return { lines: perWorkload.flat().toSorted((a, b) => a.at - b.at), until };
}

/** Follows every workload of the deployment, also those that are started later, until the deployment is gone. */
function follower(service: Service, id: string, pod: string | undefined, from: Instant, stop: AbortSignal) {
  return async (write: (line: PodLine) => Promise<void>): Promise<void> => {
    const followed = new Map<string, Promise<void>>();
    const followOne = async (deployment: Deployment, workload: ObservedWorkload) => {
      const redact = await redactorFor(service, deployment, workload);
      for await (const { at, text } of service.engine.followLogs(workload.name, from + 1, stop)) {
        await write({ at, text: redact(text), pod: labelOf(workload) });
      }
    };
    while (!stop.aborted) {
      const deployment = await deploymentById(service.db, id);
      if (!deployment || deployment.goneAt !== null) break;
      const { workloads } = await service.engine.observe(id, []);
      for (const workload of workloads) {
        const isWanted = pod === undefined || workload.pod === pod;
        if (isWanted && !followed.has(workload.name))
          followed.set(
            workload.name,
            followOne(deployment, workload).catch(() => {}),
          );
      }
      await delay(lookEveryMs, undefined, { signal: stop }).catch(() => {});
    }
    await Promise.all(followed.values());
  };
}

/** What a pod writes goes to whoever may look at it; the secrets that it was given do not go with it. */
async function redactorFor(
  { db, seal, urlOf }: Service,
  deployment: Deployment,
  workload: ObservedWorkload,
): Promise<(text: string) => string> {
  const revision = await revisionOf(db, seal, deployment.id, workload.revision);
  const derive = await derivationOf(db, seal, deployment.id);
  // While it was active: what its pods were given does not change with its end.
  const active = { ...deployment, removedAt: null };
  const desired = desiredAt(active, revision, {
    ...{ now: deployment.createdAt, url: urlOf(deployment.label), derive },
    egress: noEgress,
  });
  const workloads = desired.kind === 'running' ? desired.workloads : [];
  return redactorOf(
    revision.spec,
    workloads.map(({ workload }) => workload.env),
  );
}

/** A reader that is slower than the pods holds them up here, not in our memory. */
async function writeInStep(out: PassThrough, text: string, gone: AbortSignal): Promise<void> {
  if (out.writable && !out.write(text)) await once(out, 'drain', { signal: gone });
}

/** The pod's name; further replicas have their number. */
function labelOf({ pod, replica }: ObservedWorkload): string {
  return replica === 0 ? pod : `${pod}-${replica}`;
}

function printLine({ at, pod, text }: PodLine): string {
  return `${new Date(at).toISOString()} ${pod} ${text}\n`;
}

function printEvent({ at, pod, text }: PodLine): string {
  return `event: line\ndata: ${JSON.stringify({ at: new Date(at).toISOString(), pod, text })}\n\n`;
}
