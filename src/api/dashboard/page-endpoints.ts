/** Serves the dashboard at the API's address: one page for all its paths, and the files that the page loads. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { escapeHtml } from '../../lib/html.ts';
import { iconSvg } from '../../lib/icon.ts';
import { problemCodes } from '../../lib/problem.ts';
import type { Service } from '../api-service.ts';
import { findClaim } from '../claims/claim-session.ts';
import { describedBy } from '../documentation/documentation-endpoints.ts';
import { emptyPolicy } from '../requests/browser-security.ts';
import { findSignedIn } from '../requests/callers.ts';
import { nothingHere, orRefuse, RefusedRequest } from '../requests/errors.ts';
import { wantsHtml } from '../requests/wants-html.ts';
import { sharedStatus } from '../sharing/share-endpoints.ts';
import { sendAsset } from './bundle.ts';

/** The paths of the dashboard, which decides itself what it shows there. */
const pagePaths = [
  '/new',
  '/templates',
  '/deployments',
  '/d/:environment/:applicationName',
  '/d/:environment/:applicationName/:tab',
  '/account',
  '/sign-in',
  '/sign-up',
  '/forgot-password',
  '/reset-password',
  '/verify-email',
  '/login',
];

const daySeconds = 86_400;

export function pageEndpoints(service: Service): FastifyPluginAsyncTypebox {
  return async (app) => {
    const options = { config: { limit: 'page' as const }, schema: { hide: true } };

    app.get('/', options, async (request, reply) => {
      reply.header('Link', describedBy);
      if (wantsHtml(request)) return sendPage(service, reply, 200);
      return reply.type('text/plain; charset=utf-8').send(usage(service.settings.baseUrl.origin));
    });
    for (const path of pagePaths) app.get(path, options, async (_, reply) => sendPage(service, reply, 200));

    app.get(
      '/claim/:token',
      { schema: { hide: true, params: Type.Object({ token: Type.String() }) } },
      async (request, reply) => {
        const accountId = orRefuse(await findSignedIn(service, request));
        const found = await findClaim(service.db, request.params.token, accountId, service.now());
        return sendPage(service, reply, found.ok ? 200 : problemCodes[found.problem.code].status);
      },
    );

    app.get(
      '/shared/:token',
      { schema: { hide: true, params: Type.Object({ token: Type.String() }) } },
      async (request, reply) => {
        const shared = await sharedStatus(service, request.params.token);
        return sendPage(service, reply, shared.ok ? 200 : 404);
      },
    );

    app.get(
      '/assets/:name',
      { ...options, schema: { hide: true, params: Type.Object({ name: Type.String() }) } },
      async (request, reply) => {
        const asset = service.dashboard?.assets.get(request.params.name);
        if (!asset) throw new RefusedRequest(nothingHere);
        return sendAsset(asset, request, reply, true);
      },
    );
    // Browsers request this path for every page without an icon, such as a JSON response.
    app.get('/favicon.ico', options, async (_, reply) =>
      reply.header('Cache-Control', `public, max-age=${daySeconds}`).type('image/svg+xml').send(iconSvg),
    );
  };
}

/**
 * Sends the dashboard's page, which decides by its path what to show. The status is for clients that do not run
 * scripts.
 */
export function sendPage({ dashboard, settings }: Service, reply: FastifyReply, status: number): FastifyReply {
  const { html, policy } = dashboard?.page() ?? { html: bare(settings.baseUrl.origin), policy: emptyPolicy };
  return (
    reply
      .status(status)
      .header('Content-Security-Policy', policy)
      // A claim link is a secret of its visitor, so other sites must not see it as a referrer.
      .header('Referrer-Policy', 'no-referrer')
      .header('Cross-Origin-Opener-Policy', 'same-origin')
      .type('text/html; charset=utf-8')
      .send(html)
  );
}

function command(origin: string): string {
  return `curl -X POST ${origin}/startUserDeployment \\
  -H 'Content-Type: text/x-yaml' --data-binary @app.yaml`;
}

/** The help text for requests from a terminal. */
function usage(origin: string): string {
  return `Berth: one YAML in, a live URL out.

${command(origin)}

${origin}/llms.txt       how to deploy, with a complete example, for people and programs
${origin}/schema         what the YAML may hold
${origin}/openapi.json   all requests
`;
}

/** The page if the dashboard is not built. The API works without it. */
function bare(origin: string): string {
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Berth</title><link rel="icon" href="/favicon.ico">
<h1>One YAML in, a live URL out</h1>
<p>The dashboard is not built on this server (<code>npm run serve</code> builds it). The API works without it:</p>
<pre>${escapeHtml(command(origin))}</pre>
<p><a href="/schema">Schema of the document</a> · <a href="/openapi.json">Description of the API</a></p>
</html>
`;
}
