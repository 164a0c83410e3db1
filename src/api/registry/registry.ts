/**
 * The image registry at the API's host, below `/v2/`. It implements the distribution specification, so that users can
 * push with existing tools. It is a separate server, because the API's server ends requests after half a minute. It
 * sends errors in the specification's format, and streams bodies.
 */
import fastify, { type FastifyBaseLogger, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { type PushedImages, QuotaFault } from '../../images/pushed/pushed-image-store.ts';
import { isRepository, namespaceIn } from '../../images/pushed/repository-names.ts';
import { answerExpectations, answerUnreadable } from '../../lib/malformed-requests.ts';
import { createLimiter } from '../../lib/rate-limit.ts';
import { discardBody, hasUnreadBody } from '../../lib/unread-body.ts';
import type { Namespace } from '../../store/image-namespaces.ts';
import { refuseBanned } from '../admission/caller-admission.ts';
import type { Service } from '../api-service.ts';
import { clientAddress, clientKey } from '../requests/client-address.ts';
import { receiveManifest, removeBlob, removeManifest, sendBlob, sendManifest, sendTags } from './content-endpoints.ts';
import { type PushLimits, RegistryRefusal, sendRefusal } from './push-allowance.ts';
import {
  type Access,
  findPusher,
  mayAct,
  namespaceFor,
  type Pusher,
  printScope,
  readScopes,
  sealToken,
  tokenMs,
} from './pushers.ts';
import { type RegistryPath, readRegistryPath, tokenPath } from './registry-paths.ts';
import { beginUpload, cancelUpload, continueUpload, endUpload, sendUploadStatus } from './upload-endpoints.ts';

export type Registry = { service: Service; images: PushedImages; limits: PushLimits };

/** A request about a repository of its sender. */
export type RepositoryRequest = { pusher: Pusher; repository: string; namespace: Namespace; query: URLSearchParams };

/** An image with forty layers takes two hundred cheap requests. */
const requestsPerRequest = 20;

const inEachAnswer = {
  'Docker-Distribution-API-Version': 'registry/2.0',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
};

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** Ready to listen; the caller chooses where. */
export function createRegistry(registry: Registry, log: FastifyBaseLogger) {
  const { service } = registry;
  const { rate, networkPool } = service.settings;
  const limiter = createLimiter({ ...rate, count: rate.count * requestsPerRequest });
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    frameworkErrors: (error, request, reply) => void answerError(error, request, reply.headers(inEachAnswer)),
    bodyLimit: Number.MAX_SAFE_INTEGER,
    routerOptions: { maxParamLength: 2_000 },
    genReqId: (request) => String(request.headers['x-request-id']),
    // No time limit while data arrives. The edge ends idle connections.
    requestTimeout: 0,
    clientErrorHandler: answerUnreadable,
  });
  answerExpectations(app.server);
  // Accepts every type, and no type. The endpoints read bodies themselves.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  app.setErrorHandler<Error>((error, request, reply) => answerError(error, request, reply));
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(inEachAnswer);
    const { isAllowed, resetsInMs } = limiter.take(clientKey(request, networkPool), service.now());
    if (isAllowed) return;
    reply.header('Retry-After', Math.max(1, Math.ceil(resetsInMs / 1000)));
    return sendRefusal(reply, 'TOOMANYREQUESTS', 'too many requests from your address; try again in a minute');
  });
  app.addHook('onSend', async (request, reply) => {
    await discardBody(request.raw);
    if (hasUnreadBody(request.raw)) reply.header('Connection', 'close');
  });
  app.addHook('onResponse', async (request, reply) => {
    const { kind } = readRegistryPath(pathOf(request));
    const { method } = request;
    const known = methods.find((each) => each === method) ?? 'other';
    const labels = { method: known, route: `/v2/ ${kind}`, status: reply.statusCode };
    service.metrics.requests.observe(labels, reply.elapsedTime / 1000);
    const ms = Math.round(reply.elapsedTime);
    request.log.info({ method, route: labels.route, status: reply.statusCode, ms }, 'request');
  });
  app.route({ method: [...methods], url: '/*', handler: (request, reply) => answer(registry, request, reply) });
  app.setNotFoundHandler((_request, reply) => sendRefusal(reply, 'UNSUPPORTED', 'this method is not supported'));
  return app;
}

function pathOf({ url }: FastifyRequest): string {
  return url.split('?')[0]!;
}

async function answer(registry: Registry, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { service } = registry;
  const path = readRegistryPath(pathOf(request));
  const pusher = await findPusher(service, request);
  if (path.kind === 'token') return await sendToken(service, pusher, request, reply);
  const needed = neededAccess(request.method, path);
  if (!pusher) throw unauthorized(challenge(service, request, needed));
  if (path.kind === 'base') return reply.send({});
  if (path.kind === 'unknown') throw new RegistryRefusal('NOT_FOUND', 'this path does not exist');
  const own = `${service.settings.baseUrl.host}/${pusher.namespace}/<name>`;
  if (path.kind === 'bad-name') throw new RegistryRefusal('DENIED', `your images are named ${own} here`);
  const { repository } = path;
  const namespace = await namespaceFor(service.db, pusher, namespaceIn(repository));
  if (!namespace) throw new RegistryRefusal('DENIED', `your images are named ${own} here`);
  const query = new URLSearchParams(request.url.split('?')[1] ?? '');
  if (needed?.actions.some((action) => !mayAct(pusher.access, needed.repository, action)))
    throw new RegistryRefusal(
      'UNAUTHORIZED',
      'your token does not allow this',
      `${challenge(service, request, needed)},error="insufficient_scope"`,
    );
  return await act(registry, path, { parsed: { pusher, repository, namespace, query }, request, reply });
}

type Acting = { parsed: RepositoryRequest; request: FastifyRequest; reply: FastifyReply };

async function act(
  registry: Registry,
  path: Extract<RegistryPath, { repository: string }>,
  { parsed, request, reply }: Acting,
): Promise<FastifyReply> {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (!isRead) await refuseBannedPusher(registry, parsed, request);
  if (path.kind === 'blob' && isRead) return await sendBlob(registry, parsed, { digest: path.digest, request, reply });
  if (path.kind === 'blob' && request.method === 'DELETE')
    return await removeBlob(registry, parsed, path.digest, reply);
  if (path.kind === 'uploads' && request.method === 'POST') return await beginUpload(registry, parsed, request, reply);
  if (path.kind === 'upload') {
    const { id } = path;
    if (isRead) return await sendUploadStatus(registry, parsed, id, reply);
    if (request.method === 'PATCH') return await continueUpload(registry, parsed, { id, request, reply });
    if (request.method === 'PUT') return await endUpload(registry, parsed, { id, request, reply });
    if (request.method === 'DELETE') return await cancelUpload(registry, parsed, id, reply);
  }
  if (path.kind === 'manifest') {
    const { reference } = path;
    if (isRead) return await sendManifest(registry, parsed, { reference, request, reply });
    if (request.method === 'PUT') return await receiveManifest(registry, parsed, { reference, request, reply });
    if (request.method === 'DELETE') return await removeManifest(registry, parsed, reference, reply);
  }
  if (path.kind === 'tags' && isRead) return await sendTags(registry, parsed, reply);
  throw new RegistryRefusal('UNSUPPORTED', `${request.method} is not allowed here`);
}

async function refuseBannedPusher(
  { service }: Registry,
  { pusher }: RepositoryRequest,
  request: FastifyRequest,
): Promise<void> {
  const { accountId, client } = pusher;
  const unbanned = await refuseBanned(service.db, { address: clientAddress(request), client }, { accountId });
  if (!unbanned.ok) throw new RegistryRefusal('DENIED', unbanned.problem.error);
}

/** The error boundary: refusals are returned. Faults are only logged, with a reference that the client gets, too. */
function answerError(error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof RegistryRefusal) {
    if (error.challenge !== undefined) reply.header('WWW-Authenticate', error.challenge);
    return sendRefusal(reply, error.code, error.message);
  }
  if (error instanceof QuotaFault) return sendRefusal(reply, 'DENIED', error.message);
  const { statusCode } = error as { statusCode?: number };
  if (statusCode !== undefined && statusCode < 500)
    return sendRefusal(reply, 'NOT_FOUND', 'the request cannot be read');
  if ((error as NodeJS.ErrnoException).code === 'ENOSPC')
    return sendRefusal(reply, 'UNAVAILABLE', 'the disk of this server is full');
  request.log.error({ err: error }, 'request failed');
  return sendRefusal(reply, 'UNKNOWN', `the service failed to answer; reference: ${request.id}`);
}

/** The endpoint where clients get their tokens, and the challenge that points to it. */

/** GET. Grants only the requested access that the caller has. The registry refuses the rest later. */
async function sendToken(
  service: Service,
  pusher: Pusher | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (request.method !== 'GET') throw new RegistryRefusal('UNSUPPORTED', 'use GET to request a token');
  if (!pusher) throw unauthorized('Basic realm="Berth"');
  // A token cannot be exchanged for another one. Otherwise it would never expire.
  if (pusher.access) throw unauthorized('Basic realm="Berth"');
  const query = new URLSearchParams(request.url.split('?')[1] ?? '');
  const access: Access[] = [];
  for (const requested of readScopes(query.getAll('scope'))) {
    const isNamed = isRepository(requested.repository);
    if (isNamed && (await namespaceFor(service.db, pusher, namespaceIn(requested.repository)))) access.push(requested);
  }
  const now = service.now();
  const token = sealToken(service.seal, { credential: pusher.credential, access }, now);
  const issued = { expires_in: tokenMs / 1000, issued_at: new Date(now).toISOString() };
  return reply.send({ token, access_token: token, ...issued });
}

function unauthorized(challenge: string): RegistryRefusal {
  const words = 'log in with any name, and a session token or an API key as the password';
  return new RegistryRefusal('UNAUTHORIZED', words, challenge);
}

/** The access that a request needs; undefined if any token suffices. */
function neededAccess(method: string, path: RegistryPath): Access | undefined {
  if (!('repository' in path)) return undefined;
  const { repository, kind } = path;
  if (method === 'GET' || method === 'HEAD') return { repository, actions: [kind === 'upload' ? 'push' : 'pull'] };
  return { repository, actions: [method === 'DELETE' && kind !== 'upload' ? 'delete' : 'push'] };
}

/** A host with an optional port. Other characters in `Host` could end the quoted part of the header. */
const hostForm = /^[\w.-]{1,255}(?::\d{1,5})?$|^\[[\da-fA-F:.]{2,45}\](?::\d{1,5})?$/;

/** A push also needs `pull`: clients first check whether a blob exists. */
function challenge({ settings }: Service, request: FastifyRequest, needed: Access | undefined): string {
  const { protocol, host: own } = settings.baseUrl;
  const { host = '' } = request.headers;
  const reached = hostForm.test(host) ? host : own;
  const scope = needed && printScope({ ...needed, actions: [...new Set(['pull' as const, ...needed.actions])] });
  return `Bearer realm="${protocol}//${reached}${tokenPath}",service="${reached}"${scope ? `,scope="${scope}"` : ''}`;
}
