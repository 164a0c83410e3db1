/** For tests: a real HAProxy on a free port over a directory of its own, with servers behind it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type Server } from 'node:http';
import { type AddressInfo, createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Site } from '../../src/deployment/site.ts';
import { edgePaths } from '../../src/edge/edge-paths.ts';
import type { EdgeLog, EdgeSettings } from '../../src/edge/edge-settings.ts';
import { type Edge, startEdge, stopEdge } from '../../src/edge/haproxy/haproxy.ts';
import type { NamedCertificate } from '../../src/edge/haproxy/served-certificates.ts';
import { type PageServer, startPageServer } from '../../src/edge/open-pages.ts';
import type { SiteState } from '../../src/edge/pages/site-answers.ts';
import { admitProxy, clearSocket, prepareRunDirectory } from '../../src/edge/sockets.ts';
import { afterDeath } from '../after-death.ts';
import { freePort } from '../free-port.ts';

export type Answer = { status: number; headers: IncomingHttpHeaders; body: string };
export type Asked = { host?: string; path?: string; method?: string; headers?: Record<string, string>; body?: string };

export type EdgeFixture = {
  settings: EdgeSettings;
  edge: Edge;
  logged: string[];
  /** The page server's state of each host. */
  states: Map<string, SiteState>;
  /** The hosts of its lookups. */
  lookedUp: string[];
  ask(requested: Asked): Promise<Answer>;
  /** Sends bytes as they are and returns everything that comes back until the end. */
  send(bytes: string): Promise<string>;
  startApi(): Promise<Server>;
  startPages(): Promise<PageServer>;
  /** Ends the service's side and HAProxy. */
  end(): Promise<void>;
};

/** All but the directory and the port. */
export const plainSettings = {
  host: '127.0.0.1',
  apiHosts: ['localhost'],
  trustedProxies: [],
  networkPool: '10.200.0.0/13',
  proxyProtocol: false,
  limits: { connectionsPerClient: 256, requestTimeoutMs: 15_000 },
  guessRate: { count: 100_000, windowMs: 60_000 },
} satisfies Partial<EdgeSettings>;

export async function openEdge(
  change: Partial<EdgeSettings> = {},
  certificates: readonly NamedCertificate[] = [],
): Promise<EdgeFixture> {
  const dataDir = await mkdtemp(join(tmpdir(), 'berth-edge-'));
  const settings: EdgeSettings = { ...plainSettings, dataDir, port: await freePort(), ...change };
  const undertaker = afterDeath(['test/end-edge.ts', dataDir]);
  const paths = edgePaths(dataDir);
  const logged: string[] = [];
  const log: EdgeLog = { info: (_, text) => logged.push(text), warn: (_, text) => logged.push(text) };
  const states = new Map<string, SiteState>();
  const lookedUp: string[] = [];
  const lookUp = async (host: string) => {
    lookedUp.push(host);
    return states.get(host);
  };
  const edge = await startEdge(settings, log, [], { certificates });
  const fixture: EdgeFixture = {
    settings,
    edge,
    logged,
    states,
    lookedUp,
    ask: (requested) => ask(settings.port, requested),
    send: (bytes) => send(settings.port, bytes),
    startApi: () => startApi(dataDir),
    startPages: () => startPageServer(paths.pagesSocket, lookUp, log),
    end: async () => {
      await fixture.edge.close();
      await stopEdge(dataDir);
      await rm(dataDir, { recursive: true });
      undertaker.dismiss();
    },
  };
  return fixture;
}

/** The request that an upstream received, which is its answer. */
export type Seen = { address: string; url: string; headers: IncomingHttpHeaders };

/** One server for all of 127.0.0.0/8. Its answer names the address, i.e. the endpoint, of the request. */
export async function startUpstream(): Promise<{ port: number; server: Server }> {
  const server = createServer((incoming, response) => {
    const seen = { address: incoming.socket.localAddress, url: incoming.url, headers: incoming.headers };
    response.end(JSON.stringify(seen));
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  return { port: (server.address() as AddressInfo).port, server };
}

export function site(host: string, endpoints: Record<string, string | string[]>, port: number): Site {
  const entries = Object.entries(endpoints).flatMap(([path, addresses]) =>
    [addresses].flat().map((address) => ({ path, address, port })),
  );
  return { host, endpoints: entries };
}

export async function startApi(dataDir: string): Promise<Server> {
  await prepareRunDirectory(dataDir);
  const { apiSocket } = edgePaths(dataDir);
  const server = createServer((incoming, response) => {
    response.end(JSON.stringify({ api: true, url: incoming.url, headers: incoming.headers }));
  });
  await clearSocket(apiSocket);
  await new Promise<void>((resolve) => server.listen(apiSocket, resolve));
  await admitProxy(apiSocket);
  return server;
}

export function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

export function ask(
  port: number,
  { host = 'localhost', path = '/', method = 'GET', headers = {}, body }: Asked,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { port, host: '127.0.0.1', path, method, headers: { host, ...headers }, agent: false };
    const outgoing = request(options, async (incoming: IncomingMessage) => {
      incoming.setEncoding('utf8');
      let text = '';
      try {
        for await (const part of incoming) text += part;
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: text });
      } catch (error) {
        reject(error);
      }
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

export function send(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const connection = createConnection(port, '127.0.0.1');
    let answer = '';
    connection.setEncoding('latin1');
    connection.on('connect', () => connection.write(bytes, 'latin1'));
    connection.on('data', (text: string) => {
      answer += text;
    });
    connection.on('end', () => resolve(answer));
    connection.on('error', reject);
  });
}

/** Waits for an asynchronous effect in HAProxy; fails after a minute. */
export async function eventually(isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`still not so after a minute: ${isSo}`);
    await delay(20);
  }
}
