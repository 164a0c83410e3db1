/** The logs of a deployment's pods: the last lines of all pods or of one, and new lines. */
import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { Deployment, Instant } from '../../deployment/deployment.ts';
import { startOrder } from '../../deployment/plan/start-order.ts';
import { type Problem, type Result, refuse, succeed } from '../../lib/problem.ts';
import { withoutColors } from '../../lib/terminal-colors.ts';
import { wait } from '../../lib/wait.ts';
import { buildLogOf } from '../../store/builds.ts';
import { revisionOf } from '../../store/revisions.ts';
import { keepInUse } from '../../store/sleep.ts';
import type { Service } from '../api-service.ts';
import { ErrorRecord, StreamedText } from '../deployments/deployment-schemas.ts';
import { refusalsOfApplications } from '../description/refusals.ts';
import { ApplicationFields, findApplication } from '../requests/callers.ts';
import { orRefuse, RefusedRequest } from '../requests/errors.ts';
import { untilRevoked } from '../requests/revocation.ts';
import type { Streams } from '../requests/streams.ts';
import { checkChoice, type LogChoice } from './log-choice.ts';
import { followLines, type LogRequest, lastLines, type PodLine } from './read-logs.ts';

/** An ignored line, so that proxies do not time out. Plain text has none. */
const keepAliveMs = 15_000;

const maxLines = 1_000;

const LogsQuery = Type.Object({
  ...ApplicationFields.properties,
  pod: Type.Optional(Type.String({ maxLength: 64, description: 'Only this pod. Default: all, interleaved.' })),
  revision: Type.Optional(
    Type.String({
      pattern: '^[1-9]\\d{0,8}$',
      description:
        'Only containers that this revision started. An unchanged pod stays in the container of an earlier revision. Default: all containers.',
      'x-says': 'must be the number of a revision',
    }),
  ),
  previous: Type.Optional(
    Type.Enum(['true', 'false'], {
      default: 'false',
      description:
        'Only lines from before the last start, among the last 64,000 lines or 8 MB of the container. Cannot be combined with `follow`.',
    }),
  ),
  tail: Type.Optional(
    Type.String({
      pattern: '^\\d{1,4}$',
      default: '100',
      description: 'The number of last lines of each container, at most 1000.',
      'x-says': 'must be a number of lines, at most 9999',
    }),
  ),
  since: Type.Optional(
    Type.String({ maxLength: 40, description: 'Only lines since a date-time or a duration ago, such as `10m`.' }),
  ),
  until: Type.Optional(
    Type.String({
      maxLength: 40,
      description: 'Only lines until a date-time or a duration ago. Cannot be combined with `follow`.',
    }),
  ),
  search: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'Only lines that contain this text, ignoring case. Cannot be combined with `follow`.',
    }),
  ),
  stream: Type.Optional(
    Type.Enum(['stdout', 'stderr'], {
      description: 'Only lines of this stream. Refused if the engine merges both streams, as Kubernetes does.',
    }),
  ),
  build: Type.Optional(
    Type.Enum(['true', 'false'], {
      default: 'false',
      description:
        'The output of the image build of the revision (default: the last one) as plain text. With `follow`, until the build ends.',
    }),
  ),
  colors: Type.Optional(
    Type.Enum(['true', 'false'], {
      default: 'false',
      description:
        'With `build`: whether the output has its colors, as commands for terminals (SGR). Colors end with their line.',
    }),
  ),
  follow: Type.Optional(
    Type.Enum(['true', 'false'], {
      default: 'false',
      description: 'Continue with new lines, each once, across restarts and updates, until the deployment is gone.',
    }),
  ),
});

const LogLines = {
  description:
    'The lines, oldest first: `<time> <pod> <text>`, or server-sent events `line` with `{ at, pod, revision, stream, text }`.',
  content: { 'text/plain': { schema: StreamedText }, 'text/event-stream': { schema: StreamedText } },
};

export function logEndpoints(service: Service, streams: Streams): FastifyPluginAsyncTypebox {
  return async (app) => {
    const closing = new AbortController();
    app.addHook('preClose', async () => closing.abort());
    service.leaving?.addEventListener('abort', () => closing.abort());

    app.get(
      '/getDeploymentLogs',
      {
        schema: {
          operationId: 'getDeploymentLogs',
          summary: 'Read or follow the logs of the pods',
          tags: ['status'],
          access: 'caller',
          refusals: [...refusalsOfApplications, 'engine_unreachable'],
          description:
            'Returns lines `<time> <pod> <text>`, without known secrets. With `Accept: text/event-stream`, returns server-sent events.',
          querystring: LogsQuery,
          response: { 200: LogLines, '4xx': ErrorRecord },
        },
      },
      async (request, reply) => {
        const { follow } = request.query;
        const deployment = orRefuse(await findApplication(service, request, request.query));
        const refuseTooMany = () => {
          const tooMany = follow === 'true' ? streams.open(request, reply, deployment.sessionId) : undefined;
          if (tooMany) throw new RefusedRequest(tooMany);
        };
        const untilUnknown = () =>
          AbortSignal.any([closing.signal, untilRevoked(service, request, reply, request.query).stop]);
        if (request.query.build === 'true') {
          refuseTooMany();
          const stop = follow === 'true' ? untilUnknown() : undefined;
          return await sendBuildLog(service, deployment, request, reply, stop);
        }
        const requested = orRefuse(readQuery(request.query, service.now()));
        if (requested.stream && !service.engine.separatesStreams) throw new RefusedRequest(bothAsOne);
        const { workloads } = await service.engine.observe(deployment.id, []);
        const pods = await podsOf(service, deployment, requested);
        orRefuse(checkChoice(requested, deployment, { pods, workloads }));

        refuseTooMany();
        const isStream = /\btext\/event-stream\b/.test(request.headers.accept ?? '');
        const print = isStream ? printEvent : printLine;
        reply.type(isStream ? 'text/event-stream' : 'text/plain; charset=utf-8');
        const left = new AbortController();
        reply.raw.once('close', () => left.abort());
        const { lines, marks } = await lastLines(service, deployment, workloads, requested, left.signal);
        const text = lines.map(print).join('');
        if (follow !== 'true') return reply.send(text);

        const out = new PassThrough();
        const gone = new AbortController();
        const use = keepInUse(service.db, deployment.id, service.now);
        out.once('close', () => {
          use[Symbol.dispose]();
          gone.abort();
        });
        if (isStream) keepAlive(out, gone.signal);
        const stop = AbortSignal.any([gone.signal, untilUnknown()]);
        const write = writerTo(out, stop);
        write(text)
          .then(() =>
            followLines(service, deployment.id, { query: requested, marks }, (line) => write(print(line)), stop),
          )
          .then(
            () => out.end(),
            (error: Error) => (stop.aborted ? out.end() : out.destroy(error)),
          );
        return reply.send(out);
      },
    );
  };
}

const bothAsOne: Problem = {
  code: 'invalid_request',
  error: 'This service cannot filter lines by stream.',
  hint: 'Its engine merges stdout and stderr into one log. Omit stream.',
};

type Query = Omit<Static<typeof LogsQuery>, keyof Static<typeof ApplicationFields>>;

function readQuery(
  { pod, revision, previous, stream, tail = '100', ...query }: Query,
  now: Instant,
): Result<LogRequest> {
  const since = readInstant('since', query.since, now);
  if (!since.ok) return since;
  const until = readInstant('until', query.until, now);
  if (!until.ok) return until;
  const isPrevious = previous === 'true';
  const past = isPrevious ? 'previous' : query.until !== undefined ? 'until' : query.search ? 'search' : undefined;
  if (past !== undefined && query.follow === 'true') {
    const error = `Lines that are selected by ${past} cannot be followed.`;
    return refuse('invalid_request', error, `Leave out ${past} or follow.`);
  }
  return succeed({
    pod,
    isPrevious,
    since: since.value,
    until: until.value,
    search: query.search || undefined,
    stream,
    revision: revision === undefined ? undefined : Number(revision),
    tail: Math.min(Number(tail), maxLines),
  });
}

/** A date-time, or how long before `now`. */
function readInstant(name: string, text: string | undefined, now: Instant): Result<Instant | undefined> {
  if (text === undefined) return succeed(undefined);
  const ago = /^(\d{1,6})(s|m|h|d)$/.exec(text);
  if (ago)
    return succeed(now - Number(ago[1]) * { s: 1e3, m: 6e4, h: 3.6e6, d: 8.64e7 }[ago[2] as 's' | 'm' | 'h' | 'd']);
  const at = Date.parse(text);
  return Number.isNaN(at)
    ? refuse('invalid_request', `${name} is neither a date-time nor a span such as 10m.`, `For example ${name}=10m.`)
    : succeed(at);
}

/** Returns the pods of the configuration, in start order if the order matters. */
async function podsOf({ db, seal }: Service, { id, revision }: Deployment, { pod }: LogChoice): Promise<string[]> {
  if (pod === undefined) return [];
  const { spec } = await revisionOf(db, seal, id, revision);
  return startOrder(spec).map(({ name }) => name);
}

/** Writes one text after another. A slow reader delays the pods instead of filling the memory. */
function writerTo(out: PassThrough, stop: AbortSignal): (text: string) => Promise<void> {
  let before = Promise.resolve();
  return (text) => {
    const written = before.then(async () => {
      if (out.writable && !out.write(text)) await once(out, 'drain', { signal: stop });
    });
    before = written;
    return written;
  };
}

function keepAlive(out: PassThrough, gone: AbortSignal): void {
  const timer = setInterval(() => out.writable && !out.writableNeedDrain && out.write(': still here\n\n'), keepAliveMs);
  gone.addEventListener('abort', () => clearInterval(timer), { once: true });
}

function printLine({ at, pod, text }: PodLine): string {
  return `${new Date(at).toISOString()} ${pod} ${text}\n`;
}

function printEvent({ at, ...line }: PodLine): string {
  return `event: line\ndata: ${JSON.stringify({ at: new Date(at).toISOString(), ...line })}\n\n`;
}

/** Sends the output of a build as plain text: the existing output, or as it is written until the build ends. */

const lookEveryMs = 1_000;

/**
 * `stop`: follows the build until this aborts, for example because the client has disconnected. Refuses with
 * `not_found` if the images of the revision were not built here.
 */
async function sendBuildLog(
  { db }: Pick<Service, 'db'>,
  { id, revision: last }: Deployment,
  { query }: FastifyRequest<{ Querystring: { revision?: string; colors?: string } }>,
  reply: FastifyReply,
  stop: AbortSignal | undefined,
) {
  const revision = query.revision === undefined ? last : Number(query.revision);
  const begun = await buildLogOf(db, id, revision);
  if (begun === undefined)
    throw new RefusedRequest({
      code: 'not_found',
      error: `No image was built from source for revision ${revision}.`,
      hint: 'Leave out build=true to read the logs of the pods.',
    });
  reply.type('text/plain; charset=utf-8');
  const shown = (text: string) => (query.colors === 'true' ? text : withoutColors(text));
  if (!stop) return reply.send(shown(begun.log));
  async function* written(stop: AbortSignal) {
    let sent = 0;
    while (!stop.aborted) {
      const build = await buildLogOf(db, id, revision);
      const text = shown(build?.log ?? '');
      // The output of a restarted or shortened build is shorter than before.
      if (text.length > sent) yield text.slice(sent);
      sent = text.length;
      if (!build || build.state === 'built' || build.state === 'failed') return;
      await wait(lookEveryMs, stop);
    }
  }
  return reply.send(Readable.from(written(stop), { objectMode: false }));
}
