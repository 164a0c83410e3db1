/** `GET /docs`: the description of the API as a page. No script, nothing loaded from anywhere. */
import type { FastifyPluginAsync } from 'fastify';
import type { ApiSettings } from '../api-service.ts';
import { renderDocs } from './docs-page.ts';
import { framePolicy } from './page-frame.ts';
import { describedBy } from './text-pages.ts';

export function docsEndpoints({ baseUrl }: Pick<ApiSettings, 'baseUrl'>): FastifyPluginAsync {
  let page: string | undefined;
  return async (app) => {
    app.get('/docs', { schema: { hide: true } }, async (_, reply) => {
      page ??= renderDocs(app.swagger(), baseUrl.origin);
      return reply
        .header('Content-Security-Policy', framePolicy)
        .header('Link', describedBy)
        .type('text/html; charset=utf-8')
        .send(page);
    });
  };
}
