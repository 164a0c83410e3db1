/** The HTTP API: all endpoints, one error boundary, limits for each client. */
import type { FastifyPluginAsyncTypebox, TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { exceedsBounds } from '../lib/bounded-json.ts';
import { newId } from '../lib/ids.ts';
import { answerExpectations, answerUnreadable } from '../lib/malformed-requests.ts';
import type { Problem } from '../lib/problem.ts';
import { hasUnreadBody } from '../lib/unread-body.ts';
import { StoreFault } from '../store/store-fault.ts';
import { accountEndpoints } from './account/account-endpoints.ts';
import { apiKeyEndpoints } from './account/api-key-endpoints.ts';
import { loginEndpoints } from './account/login-endpoints.ts';
import { pointToProtectedResource, protectedResource } from './account/protected-resource.ts';
import { signInEndpoints } from './account/sign-in-endpoints.ts';
import { signInListEndpoints } from './account/sign-in-list-endpoints.ts';
import { quotaEndpoints } from './admission/quota-endpoints.ts';
import type { Service } from './api-service.ts';
import { claimEndpoints } from './claims/claim-endpoints.ts';
import { tokenEndpoints } from './claims/token-endpoints.ts';
import { configurationEndpoints } from './configuration/configuration-endpoints.ts';
import { createDocuments } from './configuration/documents.ts';
import { createReader } from './configuration/reading/reader.ts';
import { domainEndpoints } from './custom-domains/domain-endpoints.ts';
import { pageEndpoints, sendPage } from './dashboard/page-endpoints.ts';
import { deploymentMetricsEndpoint } from './deployment-metrics/metrics-endpoint.ts';
import { deployEndpoints } from './deployments/deploy-endpoints.ts';
import { historyEndpoints } from './deployments/history-endpoints.ts';
import { lifetimeEndpoints } from './deployments/lifetime-endpoints.ts';
import { reservationEndpoints } from './deployments/reservation-endpoints.ts';
import { revisionEndpoints } from './deployments/revision-endpoints.ts';
import { runEndpoints } from './deployments/run-endpoints.ts';
import { sessionEndpoints } from './deployments/session-endpoints.ts';
import { statusEndpoints } from './deployments/status-endpoints.ts';
import { describeApi } from './description/description.ts';
import { documentationEndpoints } from './documentation/documentation-endpoints.ts';
import { execEndpoint } from './exec/exec-endpoint.ts';
import { createExecSlots } from './exec/exec-slots.ts';
import { terminalEndpoint } from './exec/terminal-endpoint.ts';
import { exportEndpoint } from './export/export-endpoint.ts';
import { fetchEndpoint } from './fetched-document/fetch-endpoint.ts';
import { pushEndpoints } from './git-push/push-endpoints.ts';
import { logEndpoints } from './logs/log-endpoints.ts';
import { mcpEndpoint } from './mcp/mcp-endpoint.ts';
import { notificationEndpoints } from './notifications/notification-endpoints.ts';
import { healthEndpoints } from './operations/health-endpoints.ts';
import { metricsEndpoints } from './operations/metrics-endpoints.ts';
import { imageEndpoints } from './registry/image-endpoints.ts';
import { crossSite, isCrossSite, secureHeaders } from './requests/browser-security.ts';
import { compilersFactory } from './requests/compile-when-used.ts';
import {
  encodedBody,
  engineUnavailable,
  incompleteBody,
  isDiskFull,
  isEngineUnavailable,
  nothingAt,
  problemOfFrameworkError,
  RefusedRequest,
  sendProblem,
  storageFull,
  storeUnavailable,
} from './requests/errors.ts';
import { endLateRequests, longestRequestMs, requestChecksMs, requestTimeoutMs } from './requests/late-bodies.ts';
import { refuseUnknownParameters, warnOfParameters } from './requests/query-parameters.ts';
import { createLimits } from './requests/rate-limits.ts';
import { explainJson } from './requests/schema-refusal.ts';
import { createStreams } from './requests/streams.ts';
import { gatherTokens } from './requests/token-places.ts';
import { wantsHtml } from './requests/wants-html.ts';
import { shareEndpoints } from './sharing/share-endpoints.ts';
import { templateEndpoints } from './templates/template-endpoints.ts';
import { snapshotEndpoints } from './volume-snapshots/snapshot-endpoints.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** Without this name, Fastify searches all loaded modules for one: a sixth of the processor time of API tests. */
const displayName = Symbol.for('fastify.display-name');

/** Ready to listen; the caller chooses where. */
export async function createApp(service: Service, log: FastifyBaseLogger) {
  const { baseUrl, networkPool } = service.settings;
  const limits = createLimits(service);
  const streams = createStreams(networkPool, service.exchange);
  const reader = createReader();
  const documents = createDocuments(reader, limits, networkPool);
  // If an authority issues certificates, browsers only get the HSTS header after a renewal has shown that renewals
  // work.
  const staysHttps = () => baseUrl.protocol === 'https:' && (service.certificates?.()?.isRenewed ?? true);
  const app = fastify({
    loggerInstance: log,
    // The framework's own log line contains the whole URL with the session token. See the hook below.
    logController: new LogController({ disableRequestLogging: true }),
    // An address that cannot be decoded has no route, and passes no hook.
    frameworkErrors: (error, request, reply) => {
      secureHeaders(reply, staysHttps());
      endWithAnswer(request, reply);
      if (!limits.refuseByAddress(request, reply)) answerError(error, request, reply);
    },
    bodyLimit: 64 * 1024,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 200 },
    genReqId: (request) => String(request.headers['x-request-id'] ?? newId()),
    // The edge enforces its own time limit first. This limit applies to bodies that arrive slowly through the edge.
    requestTimeout: longestRequestMs,
    http: { connectionsCheckingInterval: requestChecksMs, headersTimeout: requestTimeoutMs },
    clientErrorHandler: answerUnreadable,
    schemaController: { compilersFactory },
    ajv: {
      customOptions: {
        coerceTypes: false,
        removeAdditional: false,
        verbose: true,
        keywords: ['x-says'],
        // The schemas are part of the program, and a test compiles all of them.
        validateSchema: false,
      },
    },
  }).withTypeProvider<TypeBoxTypeProvider>();

  app.setErrorHandler<FastifyError>((error, request, reply) => answerError(error, request, reply));
  // The router can only be queried with patterns, not with requested paths.
  const routes = new Set<string>();
  app.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat()) routes.add(`${each} ${url}`);
  });
  answerExpectations(app.server);
  readJsonBodies(app);
  // Here, not in a plugin: what has no route is counted too.
  app.addHook('onRequest', async (request, reply) => {
    secureHeaders(reply, staysHttps());
    if (limits.refuseByAddress(request, reply)) return reply;
    return isCrossSite(request, baseUrl) ? sendProblem(reply, crossSite) : undefined;
  });
  endLateRequests(app);
  app.addHook('onRequest', nameTypeOfBody);
  app.addHook('onRequest', refuseEncoded);
  gatherTokens(app);
  app.addHook('preValidation', async (request, reply) => (limits.refuseByToken(request, reply) ? reply : undefined));
  app.addHook('onSend', async (request, reply) => endWithAnswer(request, reply));
  pointToProtectedResource(app, service.settings);
  app.addHook('onClose', async () => await reader.close());
  warnOfParameters(app);
  refuseUnknownParameters(app);
  app.addHook('onResponse', async (request, reply) => {
    const { method, routeOptions } = request;
    const route = routeOptions.url ?? 'unknown';
    const seconds = reply.elapsedTime / 1000;
    // The method is client input. Unknown methods count as one.
    const known = methods.find((each) => each === method) ?? 'other';
    service.metrics.requests.observe({ method: known, route, status: reply.statusCode }, seconds);
    request.log.info({ method, route, status: reply.statusCode, ms: Math.round(reply.elapsedTime) }, 'request');
  });

  await describeApi(app, service.settings);

  const execPlaces = createExecSlots();
  const subjects: FastifyPluginAsyncTypebox[] = [
    deployEndpoints(service, documents),
    pushEndpoints(service, documents, limits, streams),
    configurationEndpoints(service, documents, limits),
    templateEndpoints(),
    fetchEndpoint(service),
    sessionEndpoints(service),
    lifetimeEndpoints(service),
    runEndpoints(service),
    reservationEndpoints(service),
    statusEndpoints(service, streams),
    revisionEndpoints(service, documents),
    historyEndpoints(service, documents),
    snapshotEndpoints(service, documents),
    logEndpoints(service, streams),
    execEndpoint(service, execPlaces),
    terminalEndpoint(service, execPlaces),
    deploymentMetricsEndpoint(service),
    exportEndpoint(service, streams),
    claimEndpoints(service),
    shareEndpoints(service),
    accountEndpoints(service),
    quotaEndpoints(service),
    imageEndpoints(service),
    apiKeyEndpoints(service),
    signInListEndpoints(service),
    notificationEndpoints(service),
    loginEndpoints(service),
    tokenEndpoints(service),
    domainEndpoints(service),
    signInEndpoints(service),
    protectedResource(service.settings),
    pageEndpoints(service),
    healthEndpoints(service),
    metricsEndpoints(service),
    documentationEndpoints(service),
    mcpEndpoint(service.settings, limits),
  ];
  for (const endpoints of subjects) await app.register(Object.assign(endpoints, { [displayName]: 'endpoints' }));

  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?')[0]!.replace(/(?<=.)\/$/, '');
    const allowed = methods.filter((method) => routes.has(`${method} ${path}`));
    if (allowed.length > 0) {
      const list = allowed.join(', ');
      reply.header('Allow', list);
      return sendProblem(reply, {
        code: 'method_not_allowed',
        error: `${request.method} is not allowed here.`,
        hint: `Use ${list}.`,
      });
    }
    if (wantsHtml(request)) return sendPage(service, reply, 404);
    return sendProblem(reply, nothingAt(path, routes));
  });
  return app;
}

function endWithAnswer({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (hasUnreadBody(raw)) reply.header('Connection', 'close');
}

/** Configurations are strings in it; no other request has more than some hundred values. */
const bodyBounds = { depth: 32, tokens: 2_000 };

const tooManyValues: Problem = {
  code: 'invalid_request',
  error: 'The body has too many values, or too deep ones.',
  hint: 'GET /docs lists the fields of the request body.',
};

/** Parses JSON only. `documents.ts` accepts other types on its own routes. */
function readJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (exceedsBounds(body, bodyBounds)) return done(new RefusedRequest(tooManyValues));
    // The result is passed to the callback.
    void parse(request, body, (error, value) => {
      if (!error || body === '') return done(error, value);
      done(
        new RefusedRequest({
          code: 'invalid_request',
          error: `The body is not valid JSON. ${explainJson(body)}`.trim(),
          hint: 'Send a JSON object.',
        }),
      );
    });
  });
}

/** A body without a type is parsed as JSON. A parser for it would also read bodies that are sent to unknown paths. */
async function nameTypeOfBody({ is404, raw: { headers }, routeOptions }: FastifyRequest): Promise<void> {
  if (hasBody(headers) && !is404 && !routeOptions.config.isDocument) headers['content-type'] ??= 'application/json';
}

/** Refuses compressed bodies, which would be read as text. */
async function refuseEncoded({ is404, raw: { headers } }: FastifyRequest): Promise<void> {
  const coding = headers['content-encoding']?.toLowerCase() ?? 'identity';
  if (hasBody(headers) && !is404 && coding !== 'identity') throw new RefusedRequest(encodedBody);
}

function hasBody(headers: FastifyRequest['raw']['headers']): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * The error boundary: problems are returned to the caller. Faults are only logged, with a reference that the caller
 * gets, too.
 */
function answerError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof RefusedRequest) return sendProblem(reply, error.problem);
  // The client has closed the connection, so it does not get the answer.
  if (error === request.raw.errored) return sendProblem(reply, incompleteBody);
  if (isEngineUnavailable(error)) {
    request.log.warn({ err: error, route: request.routeOptions.url }, 'engine away');
    return sendProblem(reply, engineUnavailable);
  }
  if (error instanceof StoreFault) {
    const words = error.isFull ? 'the disk of the database is full' : 'database away';
    request.log.warn({ err: error, route: request.routeOptions.url }, words);
    return sendProblem(reply, storeUnavailable(error));
  }
  if (isDiskFull(error)) {
    request.log.error({ err: error, route: request.routeOptions.url }, 'the disk is full');
    return sendProblem(reply, storageFull);
  }
  const problem = problemOfFrameworkError(error);
  if (problem) return sendProblem(reply, problem);
  request.log.error({ err: error, route: request.routeOptions.url }, 'request failed');
  return sendProblem(reply, {
    code: 'internal',
    error: `The service failed to answer. Reference: ${request.id}.`,
    hint: 'Try again; if that does not help, give the reference to the operator.',
  });
}
