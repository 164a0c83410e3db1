/** `GET /docs`: the description of the API as a page. No script, nothing loaded from anywhere. */
import { createHash } from 'node:crypto';
import type { FastifyPluginAsync } from 'fastify';
import type { ApiSettings } from '../api-service.ts';
import { docsStyle, renderDocs } from './docs-page.ts';
import { describedBy } from './text-pages.ts';

const styleHash = createHash('sha256').update(docsStyle).digest('base64');
const contentPolicy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

export function docsEndpoints({ baseUrl }: Pick<ApiSettings, 'baseUrl'>): FastifyPluginAsync {
  let page: string | undefined;
  return async (app) => {
    app.get('/docs', { schema: { hide: true } }, async (_, reply) => {
      page ??= renderDocs(app.swagger(), baseUrl.origin);
      return reply
        .header('Content-Security-Policy', contentPolicy)
        .header('Link', describedBy)
        .type('text/html; charset=utf-8')
        .send(page);
    });
  };
}
