/**
 * `POST /mcp`: the Model Context Protocol (Streamable HTTP, stateless, with a new server object for each request). The
 * library does not check Host, Origin or tokens. This file checks the first two, and the API calls of the tools check
 * tokens.
 */
import { isIP } from 'node:net';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import manifest from '../../../package.json' with { type: 'json' };
import { createClient } from '../../client/client.ts';
import { request as sendRequest } from '../../client/request.ts';
import { proofHeader } from '../../lib/proof-of-work.ts';
import type { ToolList } from '../../mcp/server.ts';
import type { Service } from '../../mcp/service.ts';
import type { ApiSettings } from '../api-service.ts';
import { crossSite, isSameOrigin } from '../requests/browser-security.ts';
import { clientHeader } from '../requests/client-address.ts';
import { RefusedRequest } from '../requests/errors.ts';
import type { Limits } from '../requests/rate-limits.ts';

/** A configuration of 256 KiB, as JSON writes it. */
const maxBytes = 1024 * 1024;

/** Protocol revisions before 2025-06-18 allow batches of messages, each of which may request the list of all tools. */
const maxMessages = 10;

export function mcpEndpoint(
  { baseUrl }: Pick<ApiSettings, 'baseUrl'>,
  limits: Pick<Limits, 'refuseByMessages'>,
): FastifyPluginAsyncTypebox {
  let listTools: ToolList | undefined;
  return async (app) => {
    app.post(
      '/mcp',
      { bodyLimit: maxBytes, config: { limit: 'mcp' }, schema: { hide: true } },
      async (request, reply) => {
        if (!isOwnHost(request, baseUrl) || !isOwnOrigin(request, baseUrl)) throw new RefusedRequest(crossSite);
        const { body } = request;
        if (Array.isArray(body) && body.length > maxMessages) {
          throw new RefusedRequest({
            code: 'invalid_request',
            error: `A list may have ${maxMessages} messages.`,
            hint: 'Send each message in a separate request.',
          });
        }
        if (Array.isArray(body) && limits.refuseByMessages(request, reply, body.length - 1)) return reply;
        const gone = new AbortController();
        reply.raw.once('close', () => gone.abort());
        // Loaded on first use, because loading takes longer than the rest of the API.
        const { createMcpHandler } = await import('@modelcontextprotocol/server');
        const { createMcpServer, createToolList } = await import('../../mcp/server.ts');
        listTools ??= createToolList(asService(app, request));
        const handler = createMcpHandler(() => createMcpServer(asService(app, request), listTools), {
          // The tools change only with a release, so subscriptions are useless.
          maxSubscriptions: 0,
        });
        return reply.send(await handler.fetch(webRequest(request, baseUrl, gone.signal), { parsedBody: body }));
      },
    );
  };
}

function asService(app: Pick<FastifyInstance, 'inject'>, request: FastifyRequest): Service {
  const bearer = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  // A proof of work is the caller's to find.
  const place = { fetch: fetchInProcess(app, request), solvesProofs: false };
  return {
    clientOf: async (token) => createClient({ ...place, token: token ?? bearer }),
    read: async (path) => {
      const answer = await sendRequest<unknown>(place, path);
      if (!answer.ok) return answer;
      const { value } = answer;
      return { ok: true, value: typeof value === 'string' ? value : JSON.stringify(value, undefined, 2) };
    },
    version: manifest.version,
  };
}

/**
 * With DNS rebinding, a malicious page's name leads here, and Host contains that name. An IP address in Host is safe.
 */
function isOwnHost({ headers }: FastifyRequest, baseUrl: URL): boolean {
  const host = URL.parse(`http://${headers.host}`)?.hostname;
  if (host === undefined) return false;
  return host === baseUrl.hostname || host === 'localhost' || isIP(host.replace(/^\[|\]$/g, '')) !== 0;
}

/** Programs do not send Origin. A page is refused even if it sends a token. */
function isOwnOrigin(request: FastifyRequest, baseUrl: URL): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers;
  return (origin === undefined && site === undefined) || isSameOrigin(request, baseUrl);
}

function webRequest({ headers }: FastifyRequest, baseUrl: URL, signal: AbortSignal): Request {
  const given = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || name === 'content-length' ? [] : [[name, String(value)] as [string, string]],
  );
  return new Request(new URL('/mcp', baseUrl), { method: 'POST', headers: given, signal });
}

/** The API as a `fetch` without a network: requests of tools pass the same checks and limits as others. */

/**
 * The headers that identify the caller are passed on. Cookies are not: only browser pages send them, and browsers do
 * not call this endpoint.
 */
const passed = [clientHeader, 'user-agent', proofHeader.toLowerCase()];

/** A response of these may not even have an empty one. */
const withoutBody = [204, 304];

/** Sends the request with the client's headers and the `host` of the original request. */
function fetchInProcess(
  app: Pick<FastifyInstance, 'inject'>,
  { headers: given }: Pick<FastifyRequest, 'headers'>,
): typeof fetch {
  return async (path, { method = 'GET', headers, body, signal } = {}) => {
    const theirs = passed.flatMap((name) => (given[name] === undefined ? [] : [[name, String(given[name])]]));
    const answer = await app.inject({
      method: method as 'GET',
      url: String(path),
      headers: { ...Object.fromEntries(theirs), ...Object.fromEntries(new Headers(headers)), host: given.host },
      ...(typeof body === 'string' && { payload: body }),
      ...(body instanceof Uint8Array && { payload: Buffer.from(body) }),
      ...(signal && { signal }),
    });
    const answered = Object.entries(answer.headers).map(([name, value]) => [name, String(value)] as [string, string]);
    return new Response(withoutBody.includes(answer.statusCode) ? null : new Uint8Array(answer.rawPayload), {
      status: answer.statusCode,
      headers: answered,
    });
  };
}
