/**
 * The attacker's targets: the real HAProxy with the real API behind it, a site of the attacker, and the site of a
 * victim. Every request that reaches a site or the API is recorded, byte for byte.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createConnection } from 'node:net';
import { edgePaths } from '../../src/edge/edge-paths.ts';
import type { EdgeSettings } from '../../src/edge/edge-settings.ts';
import { admitProxy, clearSocket, prepareRunDirectory } from '../../src/edge/sockets.ts';
import { testApi } from '../support/api.ts';
import { openEdge, site } from '../support/edge.ts';

/** Pods, by the address that they have in this world. */
const pods: Record<string, string> = { '127.0.1.1': 'attacker', '127.0.2.1': 'victim', '127.0.2.2': 'victim-admin' };

/**
 * The result of an attempt: the answer, the servers that received a request, and the heads of requests as they arrived
 * there.
 */
export type Outcome = { answer: string; reached: string[]; heads: string[] };

export type World = Awaited<ReturnType<typeof openWorld>>;

export async function openWorld(change: Partial<EdgeSettings> = {}) {
  const requested: string[] = [];
  const tenants = await startTenants(requested);
  const { edge, settings, startPages, states, lookedUp, end } = await openEdge({
    apiHosts: ['localhost', '[::1]'],
    ...change,
  });
  const api = await testApi();
  const { apiSocket } = edgePaths(settings.dataDir);
  await prepareRunDirectory(settings.dataDir);
  await clearSocket(apiSocket);
  await api.app.listen({ path: apiSocket });
  await admitProxy(apiSocket);
  api.app.server.on('request', ({ url }) => requested.push(`api ${url}`));
  const pages = await startPages();
  await edge.publish([
    site('attacker.test', { '/': '127.0.1.1' }, tenants.port),
    site('victim.test', { '/': '127.0.2.1', '/admin': '127.0.2.2' }, tenants.port),
  ]);

  const send = (bytes: string, from?: string) => exchange(settings.port, bytes, from);
  return {
    api,
    settings,
    send,
    asked: requested,
    states,
    lookedUp,
    /** Makes all attempts at once. A mark in each attempt's bytes, a word, shows what it has reached. */
    async attempt(attempts: { mark: string; bytes: string }[]): Promise<Map<string, Outcome>> {
      const answers = await Promise.all(attempts.map(({ bytes }) => send(bytes)));
      // The next requests on a connection behind the edge reveal smuggled ones.
      const everybody = ['attacker.test', 'victim.test', 'localhost'].flatMap((host) => Array(10).fill(host));
      await Promise.all(everybody.map((host) => send(plain(host, '/settled'))));
      const heads = tenants.heads();
      return new Map(
        attempts.map(({ mark }, index) => {
          const isMarked = (text: string) => new RegExp(`${mark}\\b`).test(text);
          return [
            mark,
            { answer: answers[index]!, reached: requested.filter(isMarked), heads: heads.filter(isMarked) },
          ] as const;
        }),
      );
    },
    async end(): Promise<void> {
      await api.app.close();
      await pages.close();
      await end();
      tenants.close();
    },
  };
}

export function plain(host: string, target: string, headers: string[] = []): string {
  return [`GET ${target} HTTP/1.1`, `Host: ${host}`, ...headers, 'Connection: close', '', ''].join('\r\n');
}

/** The status of the first answer, or `none`. */
export function statusOf(answer: string): string {
  return /^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1] ?? 'none';
}

/** To the key of RFC 6455's example. */
const granted = [
  'HTTP/1.1 101 Switching Protocols',
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=',
].join('\r\n');

/**
 * One server for all sites, which knows the address of each request. Its parser is as lenient as Node's can be: it
 * accepts two lengths, bare line feeds and odd codings, as servers do that requests can be smuggled to.
 */
async function startTenants(requested: string[]) {
  const connections: Buffer[][] = [];
  const server = createServer({ insecureHTTPParser: true }, (request, response) => {
    const pod = pods[request.socket.localAddress!];
    requested.push(`${pod} ${request.url}`);
    // An answer before the end of a body would leave the rest of it to be read as a request.
    request.resume().on('end', () => response.end(`content of ${pod}`));
  });
  server.on('upgrade', (request, socket) => {
    requested.push(`${pods[request.socket.localAddress!]} ${request.url}`);
    const isWilling = request.url?.startsWith('/willing');
    socket.on('error', () => {});
    if (isWilling) socket.write(`${granted}\r\n\r\n`);
    else socket.end('HTTP/1.1 426 Upgrade Required\r\nContent-Length: 0\r\n\r\n');
  });
  server.on('connection', (socket) => {
    const bytes: Buffer[] = [];
    connections.push(bytes);
    socket.on('data', (part: Buffer) => bytes.push(part));
  });
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    heads: () => connections.flatMap((bytes) => headsIn(Buffer.concat(bytes).toString('latin1'))),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** From each request line to the empty line behind it. */
function headsIn(bytes: string): string[] {
  return Array.from(bytes.matchAll(/^[A-Z]+ \S+ HTTP\/1\.\d\r\n[\s\S]*?\r\n\r\n/gm), ([head]) => head);
}

const silenceMs = 500;

/**
 * Sends bytes on a connection of its own. Returns all bytes until the end of the answer, or until half a second of
 * silence in which the edge answers other requests, so that a pause of the machine does not count as silence.
 */
export function exchange(port: number, bytes: string, from = '127.0.0.1'): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const at = { port, host: '127.0.0.1', localAddress: from };
    const socket = createConnection(at, () => socket.write(bytes, 'latin1'));
    socket.setEncoding('latin1').on('data', (text) => {
      answer += text;
    });
    // An attempt that leaves the edge waiting for more has failed; the test does not wait for it.
    socket.setTimeout(silenceMs).on('timeout', async () => {
      const before = answer.length;
      await askAnything(port);
      if (answer.length === before) socket.destroy();
    });
    socket.on('error', () => {}).on('close', () => resolve(answer));
  });
}

/** Resolves with the end of the answer. */
function askAnything(port: number): Promise<void> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1', () => socket.write(plain('localhost', '/settled')));
    socket
      .resume()
      .on('error', () => {})
      .on('close', () => resolve());
  });
}
