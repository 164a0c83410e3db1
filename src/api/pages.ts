/** The pages that a person sees at the API's own address: the front page and the claim page. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { Deployment } from '../deployment/deployment.ts';
import { escapeHtml } from '../lib/html.ts';
import type { Problem } from '../lib/problem.ts';
import { findSignedIn } from './callers.ts';
import { findClaim } from './claims.ts';
import { sendProblem, statusOf } from './errors.ts';
import type { Service } from './service.ts';

const contentPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export function pageEndpoints(service: Service): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.addHook('onSend', async (_, reply) => {
      // The claim link is a secret of its visitor: no other site is told of it.
      reply.header('Content-Security-Policy', contentPolicy).header('Referrer-Policy', 'no-referrer');
    });

    app.get('/', { schema: { hide: true } }, async (_, reply) =>
      reply.type('text/html; charset=utf-8').send(frontPage(service.settings.baseUrl.origin)),
    );

    app.get(
      '/claim/:token',
      { schema: { hide: true, params: Type.Object({ token: Type.String() }) } },
      async (request, reply) => {
        const accountId = await findSignedIn(service, request);
        if (!accountId.ok) return sendProblem(reply, accountId.problem);
        const found = await findClaim(service.db, request.params.token, accountId.value, service.now());
        reply.type('text/html; charset=utf-8');
        if (!found.ok) return reply.status(statusOf[found.problem.code]).send(refusedClaimPage(found.problem));
        const { deployment } = found.value;
        return reply.send(claimPage(deployment, service.urlOf(deployment.label).origin));
      },
    );
  };
}

function frontPage(origin: string): string {
  const command = `curl -X POST ${origin}/startUserDeployment \\\n  -H 'Content-Type: text/x-yaml' --data-binary @app.yaml`;
  return layout(
    'Berth',
    `<h1>One YAML in, a live URL out</h1>
<p>Send a document that describes your application. No account is needed.</p>
<pre>${escapeHtml(command)}</pre>
<p><a href="/schema">Schema of the document</a> · <a href="/openapi.json">Description of the API</a></p>`,
  );
}

function claimPage({ applicationName, expiresAt }: Deployment, url: string): string {
  const limit =
    expiresAt === null ? 'It does not expire.' : `It expires at ${escapeHtml(new Date(expiresAt).toUTCString())}.`;
  return layout(
    `Claim ${applicationName}`,
    `<h1>Keep ${escapeHtml(applicationName)}</h1>
<p>This link attaches the deployment at <a href="${escapeHtml(url)}">${escapeHtml(url)}</a> to an account, so that it stops expiring.</p>
<p>${limit}</p>
<p>Sign in, then confirm with <code>POST</code> to this address.</p>`,
  );
}

/** A used, an expired and an unknown link each say what they are. */
function refusedClaimPage({ error, hint = '' }: Problem): string {
  return layout('Claim link', `<h1>${escapeHtml(error)}</h1>\n<p>${escapeHtml(hint)}</p>`);
}

function layout(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<style>
:root { color-scheme: light dark; font: 1.05rem/1.6 system-ui, sans-serif }
body { max-width: 42rem; margin: 12vh auto; padding: 0 1.25rem }
h1 { font-size: 1.8rem; line-height: 1.25 }
pre { padding: 1rem; overflow-x: auto; border: 1px solid #8886; border-radius: .5rem }
a { overflow-wrap: anywhere }
</style>
<main>${body}</main>
</html>
`;
}
