/**
 * A typed client of the service: `createClient({ baseUrl }).call('startDeployment', { body: yaml })`. The types are
 * generated from the service's description. For browsers and Node 20 or newer. The dashboard and the CLI use it.
 */

import { type Following, follow } from './follow.ts';
import { type Answer, type Problem, type RequestOptions, request, type ServiceLocation, send } from './request.ts';
import { type Event, type Operations, requests } from './service-types.ts';

export type { Answer, Problem } from './request.ts';
export type * from './service-types.ts';

export type OperationId = keyof Operations;
export type AnswerOf<Id extends OperationId> = Operations[Id]['answer'];

type Part<Name extends string, Value> =
  Record<never, never> extends Value
    ? { [name in Name]?: Value }
    : Value extends undefined
      ? Record<never, never>
      : { [name in Name]: Value };

/**
 * These operations also accept a source instead of a document: a tar file compressed with gzip (or a Blob of another type), or no body, with a Git
 * repository in the query.
 */
type BodyOf<Id extends OperationId> = Id extends 'startDeployment' | 'updateDeployment'
  ? { body?: string | Uint8Array | Blob }
  : Part<'body', Operations[Id]['body']>;

/** The argument of a call: the parts that its operation has, and how to send it. */
export type Given<Id extends OperationId> = Part<'path', Operations[Id]['path']> &
  Part<'query', Operations[Id]['query']> &
  BodyOf<Id> & {
    /** A session token or an API key, instead of the client's own. */
    token?: string | undefined;
    headers?: { [name: string]: string };
    signal?: AbortSignal | undefined;
  };

/** `stream`: absent if the engine stores both streams as one. */
export type LogLine = { at: string; pod: string; revision: number; text: string; stream?: 'stdout' | 'stderr' };
type Logs = Operations['getDeploymentLogs']['query'];

export type Client = {
  call<Id extends OperationId>(id: Id, ...given: Givens<Id>): Promise<Answer<AnswerOf<Id>>>;
  /** The response itself, for bodies that are read as they come. */
  open<Id extends OperationId>(id: Id, ...given: Givens<Id>): Promise<Answer<Response>>;
  /**
   * Yields all events of a deployment after the event `after` (default: from the first), until the deployment has ended
   * or `signal` aborts. It reconnects after broken connections. The last value is the problem, if the service refused
   * the request.
   */
  events(
    query: Operations['getDeploymentEvents']['query'],
    following?: Following & { after?: number | undefined },
  ): AsyncGenerator<Event & { sequence: number }, Problem | undefined>;
  /** Yields existing and new lines, each once. It reconnects after broken connections. */
  logs(
    query: Omit<Logs, 'follow' | 'previous' | 'until' | 'search'>,
    following?: Following,
  ): AsyncGenerator<LogLine, Problem | undefined>;
};

type Givens<Id extends OperationId> = Record<never, never> extends Given<Id> ? [Given<Id>?] : [Given<Id>];

/** The parts that any operation may have. */
type Anything = {
  path?: { [name: string]: string };
  query?: RequestOptions['query'];
  body?: unknown;
} & Pick<RequestOptions, 'token' | 'headers' | 'signal'>;

/** `token`: a session token or an API key for all calls without their own. */
export function createClient({ token: own, ...place }: ServiceLocation & { token?: string | undefined } = {}): Client {
  const requested = (id: OperationId, { path = {}, query, body, token = own, headers, signal }: Anything = {}) => {
    const { method, path: template, sends } = requests[id];
    const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''));
    const question: RequestOptions = {
      method,
      token,
      signal,
      ...(query && { query }),
      ...(headers && { headers }),
      ...(sends === 'yaml' &&
        body !== undefined &&
        (body instanceof Uint8Array || body instanceof Blob ? { archive: archiveOf(body) } : { yaml: String(body) })),
      ...(sends === 'json' && { json: body ?? {} }),
    };
    return [filled, question] as const;
  };
  const stream = (id: OperationId, query: RequestOptions['query'], { signal, token }: Following, lastId?: string) => {
    const headers = { Accept: 'text/event-stream', ...(lastId !== undefined && { 'Last-Event-ID': lastId }) };
    const [path, question] = requested(id, { query, headers, signal, token: token ?? own });
    return send(place, path, question);
  };
  return {
    call: (id, ...[given]) => request(place, ...requested(id, given as Anything)),
    open: (id, ...[given]) => send(place, ...requested(id, given as Anything)),

    async *events(query, following = {}) {
      let last = following.after;
      const messages = follow(following, () => stream('getDeploymentEvents', query, following, last?.toString()));
      try {
        for (;;) {
          const { done, value } = await messages.next();
          if (done) return value;
          const event = { ...(JSON.parse(value.data) as Event), sequence: Number(value.id) };
          last = event.sequence;
          yield event;
          if (isEnd(event)) return undefined;
        }
      } finally {
        await messages.return(undefined);
      }
    },

    async *logs({ since: from, ...query }, following = {}) {
      let since = from;
      let tail = query.tail;
      // Lines of the instant at which the connection broke come again.
      let seen = new Set<string>();
      const messages = follow(following, () =>
        stream('getDeploymentLogs', { ...query, since, tail, follow: 'true' }, following),
      );
      try {
        for (;;) {
          const { done, value } = await messages.next();
          if (done) return value;
          if (value.event !== 'line' || seen.has(value.data)) continue;
          const line = JSON.parse(value.data) as LogLine;
          if (line.at !== since) seen = new Set();
          seen.add(value.data);
          since = line.at;
          tail = '1000';
          yield line;
        }
      } finally {
        await messages.return(undefined);
      }
    },
  };
}

/** Whether no further event can follow. */
function isEnd(event: Event): boolean {
  return event.kind === 'state' && event.state === 'expired';
}

function archiveOf(body: Uint8Array | Blob): Uint8Array<ArrayBuffer> | Blob {
  return body instanceof Blob ? body : new Uint8Array(body);
}
