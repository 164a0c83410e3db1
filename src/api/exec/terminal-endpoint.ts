/**
 * `GET /openTerminal`: a command in a container with its input and output on a WebSocket. The first message contains
 * the credentials and the command, because browsers cannot send headers with a WebSocket, and addresses appear in logs.
 */

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import websocket from '@fastify/websocket';
import type { FastifyRequest } from 'fastify';
import { Value } from 'typebox/value';
import type { WebSocket } from 'ws';
import { parseJson } from '../../lib/json.ts';
import { type Problem, refuse } from '../../lib/problem.ts';
import { wait } from '../../lib/wait.ts';
import { StoreFault } from '../../store/store-fault.ts';
import type { Service } from '../api-service.ts';
import { crossSite, isSameOrigin } from '../requests/browser-security.ts';
import { engineUnavailable, isEngineUnavailable, sendProblem, storeUnavailable } from '../requests/errors.ts';
import { beginExec, mayGoOn } from './begin-exec.ts';
import { OpenMessage, shellCommand } from './exec-schemas.ts';
import type { ExecSlots } from './exec-slots.ts';
import { converse, type Message, type TerminalLimits } from './terminal-conversation.ts';

const openWithinMs = 10_000;
const longestMessage = 64 * 1024;
const goodbyeMs = 2_000;
/** Like the streams, but less often: until then, the caller was authorized. */
const lookEveryMs = 3_000;

const usualLimits: TerminalLimits = {
  wholeMs: 4 * 3_600_000,
  idleMs: 30 * 60_000,
  maxBytes: 2 ** 30,
  pingEveryMs: 20_000,
};

export function terminalEndpoint(
  service: Service,
  places: ExecSlots,
  limits: TerminalLimits = usualLimits,
): FastifyPluginAsyncTypebox {
  return async (app) => {
    const closing = new AbortController();
    const open = new Set<Promise<void>>();
    await app.register(websocket, {
      options: { maxPayload: longestMessage },
      preClose(done) {
        closing.abort();
        // Their commands end before the service does.
        void Promise.allSettled(open).then(() => done());
      },
    });
    service.leaving?.addEventListener('abort', () => closing.abort());

    app.route({
      method: 'GET',
      url: '/openTerminal',
      exposeHeadRoute: false,
      config: { limit: 'exec' },
      schema: { hide: true },
      preValidation: async (request, reply) =>
        mayConnect(request, service.settings.baseUrl) ? undefined : sendProblem(reply, crossSite),
      handler: async (_, reply) => sendProblem(reply, notWebSocket),
      wsHandler(socket, request) {
        const served = serve(service, places, limits, { socket, request, stop: closing.signal }).finally(() =>
          open.delete(served),
        );
        open.add(served);
      },
    });
  };
}

const notWebSocket: Problem = {
  code: 'invalid_request',
  error: 'A terminal is a WebSocket.',
  hint: 'Connect with a WebSocket client. POST /execInPod runs a command with one request.',
};

/** Otherwise a page of another site could connect with the cookie of its visitor. Programs send no origin. */
function mayConnect(request: FastifyRequest, baseUrl: URL): boolean {
  const { origin, cookie, 'sec-fetch-site': site } = request.headers;
  const isBrowser = origin !== undefined || site !== undefined || cookie !== undefined;
  return !isBrowser || isSameOrigin(request, baseUrl);
}

type Connection = { socket: WebSocket; request: FastifyRequest; stop: AbortSignal };

/** Never rejects. */
async function serve(
  service: Service,
  places: ExecSlots,
  limits: TerminalLimits,
  { socket, request, stop }: Connection,
): Promise<void> {
  const gone = new AbortController();
  socket.once('close', () => gone.abort());
  socket.on('error', () => gone.abort());
  try {
    const early: Message[] = [];
    const keep = (...message: Message) => void early.push(message);
    const requested = await readOpening(socket, keep, AbortSignal.any([gone.signal, stop]));
    if (gone.signal.aborted || stop.aborted) return;
    if (!requested) return end(socket, refuse('invalid_request', ...notOpened).problem);
    const { kind: _, command = shellCommand, ...place } = requested;
    const begun = await beginExec(service, places, request, { ...place, command });
    if (!begun.ok) return end(socket, begun.problem);
    await using running = begun.value;
    const revoked = new AbortController();
    void revokeWhenRefused(revoked, gone.signal, () => mayGoOn(service, request, requested, running.deployment.id));
    socket.off('message', keep);
    await converse({ socket, early }, running, limits, { gone: gone.signal, stop, revoked: revoked.signal });
  } catch (error) {
    if (isEngineUnavailable(error)) return end(socket, engineUnavailable);
    if (error instanceof StoreFault) return end(socket, storeUnavailable(error));
    request.log.error({ err: error }, 'terminal failed');
    end(socket, {
      code: 'internal',
      error: 'The service failed. Try again. If the error persists, contact the operator.',
    });
  } finally {
    // The close message of the client must be read.
    socket.resume();
    socket.close();
    // Does not wait for a client that does not close.
    setTimeout(() => socket.terminate(), goodbyeMs).unref();
  }
}

const notOpened = [
  'The first message must specify the command.',
  'Send {"kind":"open","applicationName":…,"pod":…,"terminal":{"columns":80,"rows":24}} within 10 seconds.',
] as const;

/** Returns undefined for other messages. Later messages wait for a listener. */
async function readOpening(
  socket: WebSocket,
  keep: (...message: Message) => void,
  gone: AbortSignal,
): Promise<OpenMessage | undefined> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  socket.once('message', (data, isBinary) => {
    socket.pause();
    // Messages that arrived with it have been read already.
    socket.on('message', keep);
    resolve(isBinary ? undefined : parseJson(String(data)));
  });
  const late = AbortSignal.any([gone, AbortSignal.timeout(openWithinMs)]);
  late.addEventListener('abort', () => resolve(undefined), { once: true });
  const message = await promise;
  return Value.Check(OpenMessage, message) ? message : undefined;
}

function end(socket: WebSocket, problem: Problem): void {
  const { code, error, hint } = problem;
  socket.send(JSON.stringify({ kind: 'refused', code, error, ...(hint && { hint }) }), () => socket.close());
}

async function revokeWhenRefused(
  revoked: AbortController,
  gone: AbortSignal,
  mayGoOn: () => Promise<boolean>,
): Promise<void> {
  try {
    while (!gone.aborted) {
      await wait(lookEveryMs, gone);
      if (!gone.aborted && !(await mayGoOn())) return revoked.abort();
    }
  } catch {
    // If the store does not answer, access is treated as revoked.
    revoked.abort();
  }
}
