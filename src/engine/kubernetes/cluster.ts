/**
 * The API of a cluster: requests, streams and processes in pods, configured by a kubeconfig or the pod's service
 * account. Responses are unchanged JSON.
 */
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent, type RequestOptions, request } from 'node:https';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { KubeConfig } from '@kubernetes/client-node';
import { StartError } from '../../lib/start-error.ts';
import { ClusterRefusal } from './faults.ts';
import { type Found, type Kind, type Manifest, placeOfKind } from './objects.ts';
import { type ConnectToPod, connectToPod } from './pod-connection.ts';
import { type RunInPod, runInPod } from './pod-programs.ts';

export type Cluster = {
  /** Host and port, for messages to the operator. */
  server: string;
  /** All objects of the kind with these labels, on the whole cluster, as they change. To be started. */
  follow<T extends Found>(kind: Kind, labelSelector?: string): Followed<T>;
  /** Throws ClusterRefusal where the cluster answers, and does not do it. */
  request<T>(method: string, path: string, request?: ClusterRequest): Promise<T>;
  /** Streams a response. */
  open(path: string, query: Query, signal: AbortSignal): Promise<Readable>;
  /** Makes the object match the manifest, from any previous state. */
  apply<T extends Found>(manifest: Manifest): Promise<T>;
  /** Changes these fields of an object and takes ownership of them; null removes a field. Throws as `ask`. */
  change(kind: Kind, at: { name: string; namespace: string }, fields: object): Promise<Found>;
  /** Undefined if it does not exist. */
  find<T extends Found>(kind: Kind, name: string, namespace?: string): Promise<T | undefined>;
  /** The object may not exist. `uid`: only that very object. */
  remove(kind: Kind, name: string, removal?: Removal): Promise<void>;
  run: RunInPod;
  /** A program whose input and outputs are followed while it runs. */
  connect: ConnectToPod;
};

export type OpenCluster = Cluster & Disposable;

/** The objects by namespace, if one is named. */
export type Followed<T extends Found> = {
  list(namespace?: string): readonly T[];
  get(name: string, namespace?: string): T | undefined;
  on(event: 'change', listener: (object: T) => void): void;
  on(event: 'error', listener: () => void): void;
  start(): Promise<void>;
  stop(): Promise<void>;
};

export type Query = Record<string, string | number | boolean>;

export type ClusterRequest = { query?: Query; body?: object; contentType?: string; patienceMs?: number };

export type Removal = { namespace?: string; uid?: string; waitsForDependents?: boolean };

/** The field manager's name, by which the cluster identifies the fields that Berth owns. */
export const fieldManager = 'berth';

/** Fields that this manager changes stay when a manifest without them is applied again. */
const changeManager = 'berth-change';

const usualPatienceMs = 15_000;

/**
 * `file`: a kubeconfig. Default: `KUBECONFIG`, the one in the home directory, or that of the own pod. `onRequest`:
 * called for each request, except for watches. Keeps connections open until it is disposed of. Throws StartError.
 */
export async function connectCluster(
  file?: string,
  onRequest: (method: string) => void = () => {},
): Promise<OpenCluster> {
  // Loading takes half a second of processor time (measured), so it is done only with a cluster.
  const library = await import('@kubernetes/client-node');
  const config = new library.KubeConfig();
  try {
    if (file === undefined) config.loadFromDefault();
    else config.loadFromFile(file);
  } catch (error) {
    throw new StartError(`The kubeconfig cannot be read: ${(error as Error).message}`);
  }
  const current = config.getCurrentCluster();
  if (!current)
    throw new StartError('No cluster is configured: set KUBECONFIG, or run in a pod with a service account.');
  return clusterOf(config, current.server, library, onRequest);
}

type Library = Pick<typeof import('@kubernetes/client-node'), 'Exec' | 'makeInformer'>;

function clusterOf(
  config: KubeConfig,
  server: string,
  { Exec, makeInformer }: Library,
  onRequest: (method: string) => void,
): OpenCluster {
  const connections = poolConnections();

  async function send(
    method: string,
    path: string,
    requested: ClusterRequest,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    onRequest(method);
    const { query = {}, body, contentType = 'application/json' } = requested;
    const url = new URL(server.replace(/\/$/, '') + path);
    for (const [key, value] of Object.entries(query)) url.searchParams.set(key, String(value));
    const options: RequestOptions = { method };
    await config.applyToHTTPSOptions(options);
    const bytes = body && Buffer.from(JSON.stringify(body));
    options.headers = {
      ...(options.headers as Record<string, string> | undefined),
      accept: 'application/json, */*',
      ...(bytes && { 'content-type': contentType, 'content-length': bytes.length }),
    };
    const answer = await connections.send(url, { ...options, signal }, bytes);
    const status = answer.statusCode ?? 0;
    if (status >= 200 && status < 300) return answer;
    throw new ClusterRefusal(status, await text(answer));
  }

  const cluster: OpenCluster = {
    server: new URL(server).host,
    follow<T extends Found>(kind: Kind, labelSelector?: string): Followed<T> {
      const query = labelSelector === undefined ? {} : { labelSelector };
      const list = () => cluster.request<never>('GET', pathOf(kind), { query });
      // The library's type declares dates, but it passes JSON through.
      return makeInformer(config, pathOf(kind), list, labelSelector) as unknown as Followed<T>;
    },
    async request(method, path, requested = {}) {
      const signal = AbortSignal.timeout(requested.patienceMs ?? usualPatienceMs);
      const answer = await text(await send(method, path, requested, signal));
      return JSON.parse(answer === '' ? '{}' : answer);
    },
    open: (path, query, signal) => send('GET', path, { query }, signal),
    apply: (manifest) =>
      cluster.request('PATCH', pathOf(manifest.kind, manifest.metadata.name, manifest.metadata.namespace), {
        query: { fieldManager, force: true },
        contentType: 'application/apply-patch+yaml',
        body: manifest,
      }),
    change: (kind, { name, namespace }, fields) =>
      cluster.request('PATCH', pathOf(kind, name, namespace), {
        query: { fieldManager: changeManager },
        contentType: 'application/merge-patch+json',
        body: fields,
      }),
    find: (kind, name, namespace) => cluster.request<never>('GET', pathOf(kind, name, namespace)).catch(unlessAbsent),
    async remove(kind, name, { namespace, uid, waitsForDependents = false } = {}) {
      const propagationPolicy = waitsForDependents ? 'Foreground' : 'Background';
      const body = { kind: 'DeleteOptions', propagationPolicy, ...(uid !== undefined && { preconditions: { uid } }) };
      await cluster.request('DELETE', pathOf(kind, name, namespace), { body }).catch(unlessAbsent);
    },
    run: (...program) => runInPod(new Exec(config), ...program),
    connect: (...program) => connectToPod(new Exec(config), ...program),
    [Symbol.dispose]: () => connections[Symbol.dispose](),
  };
  return cluster;
}

export function pathOf(kind: Kind, name?: string, namespace?: string): string {
  const { api, plural } = placeOfKind[kind];
  const parts = [...(namespace === undefined ? [] : ['namespaces', namespace]), plural, ...(name ? [name] : [])];
  return `${api}/${parts.map(encodeURIComponent).join('/')}`;
}

function unlessAbsent(error: unknown): undefined {
  if (error instanceof ClusterRefusal && error.status === 404) return undefined;
  throw error;
}

/** Reuses connections to the API server, because each new one costs a handshake with certificates on both sides. */

type ConnectionPool = Disposable & {
  /**
   * Resolves with the response headers. `options.agent`: how to connect. Connections through a proxy are not reused.
   */
  send(url: URL, options: RequestOptions, body: Buffer | undefined): Promise<IncomingMessage>;
};

export function poolConnections(): ConnectionPool {
  let kept: { made: RequestOptions['agent']; agent: Agent } | undefined;

  /** Returns an agent with the certificates of the given one. */
  function agentLike(made: RequestOptions['agent']): RequestOptions['agent'] {
    if (!(made instanceof Agent) || made.constructor !== Agent) return made;
    if (kept?.made !== made) {
      forgetIdle();
      kept = { made, agent: new Agent({ ...made.options, keepAlive: true }) };
    }
    return kept.agent;
  }

  /** Silent connections may be dead, as may those that were opened with them. */
  function forgetIdle(): void {
    for (const socket of Object.values(kept?.agent.freeSockets ?? {}).flatMap((sockets) => sockets ?? []))
      socket.destroy();
  }

  async function send(
    url: URL,
    options: RequestOptions,
    body: Buffer | undefined,
    isRepeated = false,
  ): Promise<IncomingMessage> {
    let sent: ClientRequest | undefined;
    try {
      return await new Promise((resolve, reject) => {
        sent = request(url, { ...options, agent: agentLike(options.agent) })
          .on('error', reject)
          .once('response', resolve)
          .end(body);
      });
    } catch (error) {
      forgetIdle();
      // The server had closed the connection before this process noticed. Every request may be repeated.
      const wasClosed = sent?.reusedSocket && (error as NodeJS.ErrnoException).code === 'ECONNRESET';
      if (!wasClosed || isRepeated) throw error;
      return await send(url, options, body, true);
    }
  }

  return {
    send,
    [Symbol.dispose]: () => kept?.agent.destroy(),
  };
}
