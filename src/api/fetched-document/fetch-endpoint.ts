/** A configuration from elsewhere, for "Open in Berth" links; and the badge for such a link. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { Dialer } from '../../images/dialer/dialer.ts';
import { boatPath } from '../../lib/icon.ts';
import { ErrorRecord } from '../deployments/deployment-schemas.ts';
import { orRefuse } from '../requests/errors.ts';
import { fetchDocument } from './fetch-document.ts';

const FetchedRecord = Type.Object({
  from: Type.String({ description: 'The final address, after redirects.' }),
  text: Type.String({ description: 'The text as the address returned it, without checks.' }),
});

const daySeconds = 86_400;

export function fetchEndpoint({ dialer }: { dialer: Dialer }): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/fetchDocument',
      {
        config: { limit: 'fetch' },
        schema: {
          operationId: 'fetchDocument',
          summary: 'Fetch a configuration from an address',
          tags: ['configuration'],
          description:
            'Returns the text of a configuration at an address, for links to the dashboard (`/new?from=…`). The address must use HTTPS and be public. Pages of files on GitHub and GitLab are resolved.',
          access: 'public',
          refusals: ['document_unavailable'],
          querystring: Type.Object({
            from: Type.String({
              minLength: 1,
              maxLength: 2000,
              description: 'An https address on the public internet.',
            }),
          }),
          response: { 200: FetchedRecord, '4xx': ErrorRecord, 502: ErrorRecord },
        },
      },
      async ({ query }) => orRefuse(await fetchDocument(dialer, query.from)),
    );

    app.get('/badge.svg', { config: { limit: 'page' }, schema: { hide: true } }, async (_, reply) =>
      reply
        .type('image/svg+xml')
        // It stands on pages of others.
        .header('Cross-Origin-Resource-Policy', 'cross-origin')
        .header('Cache-Control', `public, max-age=${daySeconds}`)
        .send(badge),
    );
  };
}

/** The picture of "Open in Berth" links. */
export const badge = `<svg xmlns="http://www.w3.org/2000/svg" width="126" height="28" role="img" aria-label="Open in Berth">
<title>Open in Berth</title>
<rect width="126" height="28" rx="5" fill="#17647f"/>
<path d="${boatPath}" fill="#fff" transform="translate(9 6)"/>
<text x="34" y="18.5" fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11.5" textLength="84">Open in Berth</text>
</svg>
`;
