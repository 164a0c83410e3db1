/**
 * The documentation. For programs as texts: each page under its name (`/docs/reference/api.md`), a guide with an index of
 * all pages (`/llms.txt`), and all pages in one (`/llms-full.txt`). For people as HTML under the name without an ending.
 * Examples contain the service's own address.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { ApiSettings } from '../api-service.ts';
import { nothingHere, RefusedRequest } from '../requests/errors.ts';
import { framePolicy } from './page-frame.ts';
import { kinds, type Page, readPages, withCompleteLinks } from './pages.ts';

const picturesFolder = join(import.meta.dirname, '../../../docs/pictures');
const examplesFolder = join(import.meta.dirname, '../../../examples');

/** The page that an agent needs to deploy, which is a part of the index. */
const agentGuide = 'guides/use-berth-as-an-agent';

/** Previous addresses that clients of MCP and readers of the index may have stored. */
const moved = {
  '/docs/agents.md': `/docs/${agentGuide}.md`,
  '/docs/api.md': '/docs/reference/api.md',
  '/docs/compose.md': '/docs/reference/compose.md',
  '/docs/configuration.md': '/docs/reference/configuration.md',
};

/** The `Link` header that names the descriptions of the service: RFC 8631, and the texts. */
export const describedBy = [
  '</llms.txt>; rel="alternate"; type="text/markdown"',
  '</openapi.json>; rel="service-desc"; type="application/json"',
  '</docs>; rel="service-doc"; type="text/html"',
].join(', ');

export function textEndpoints({ baseUrl }: Pick<ApiSettings, 'baseUrl'>): FastifyPluginAsyncTypebox {
  const { origin } = baseUrl;
  const pages = readPages(origin);
  const byPath = new Map(pages.map((page) => [page.path, page]));
  const examples = readExamples();
  const complete = (page: Page) => withCompleteLinks(page, origin);
  const texts: Record<string, string> = {
    '/llms.txt': indexOf(pages, complete(byPath.get(agentGuide)!), [...examples.keys()], origin),
    '/llms-full.txt': pages.map(complete).join('\n'),
    '/auth.md': complete(byPath.get('reference/auth')!),
  };
  const shown = new Map<string, string>();
  const pictures = new Set(readdirSync(picturesFolder).filter((name) => /\.(?:png|svg)$/.test(name)));
  return async (app) => {
    const config = { limit: 'page' as const };
    const type = 'text/markdown; charset=utf-8';
    for (const [path, text] of Object.entries(texts)) {
      app.get(path, { config, schema: { hide: true } }, async (_, reply) =>
        reply.type(type).header('Link', describedBy).send(text),
      );
    }
    for (const [path, now] of Object.entries(moved)) {
      app.get(path, { config, schema: { hide: true } }, async (_, reply) => reply.redirect(now, 301));
    }
    const inFolder = Type.Object({ kind: Type.String(), page: Type.String() });
    app.get('/docs/:kind/:page', { config, schema: { hide: true, params: inFolder } }, async (request, reply) => {
      const { kind, page: name } = request.params;
      const page = byPath.get(`${kind}/${name.replace(/\.md$/, '')}`);
      // A browser gets the page for unknown addresses.
      if (page === undefined) return reply.callNotFound();
      reply.header('Link', describedBy);
      if (name.endsWith('.md')) return reply.type(type).send(page.text);
      const { documentPage } = await import('./document-page.ts');
      const html = shown.get(page.path) ?? documentPage(page, pages);
      shown.set(page.path, html);
      return reply.header('Content-Security-Policy', framePolicy).type('text/html; charset=utf-8').send(html);
    });
    const params = Type.Object({ page: Type.String() });
    app.get('/docs/pictures/:page', { config, schema: { hide: true, params } }, async (request, reply) => {
      const name = request.params.page;
      if (!pictures.has(name)) throw new RefusedRequest(nothingHere);
      const type = name.endsWith('.svg') ? 'image/svg+xml' : 'image/png';
      return reply.type(type).send(await readFile(join(picturesFolder, name)));
    });
    app.get('/docs/examples/:page', { config, schema: { hide: true, params } }, async (request, reply) => {
      const text = examples.get(request.params.page);
      if (text === undefined) throw new RefusedRequest(nothingHere);
      return reply.type('application/yaml; charset=utf-8').send(text);
    });
  };
}

/** The examples of the repository, unchanged, by their names. */
function readExamples(): ReadonlyMap<string, string> {
  const names = readdirSync(examplesFolder).filter((name) => name.endsWith('.yaml'));
  return new Map(names.sort().map((name) => [name, readFileSync(join(examplesFolder, name), 'utf8')]));
}

/** @param guide for agents, so that a program that reads the index can deploy without a further request. */
function indexOf(pages: readonly Page[], guide: string, examples: string[], origin: string): string {
  const parts = Object.entries(kinds).map(([kind, heading]) => {
    const own = pages.filter((page) => page.kind === kind);
    return `## ${heading}\n\n${own.map(({ path, title }) => `- [${title}](${origin}/docs/${path}.md)`).join('\n')}\n`;
  });
  return `# Berth

> One YAML in, a live URL out: POST a document that describes an application of several containers, and it runs at an
> address of its own. No account is needed.

${guide.replace(/^# .+\n\s*/, '')}
## Descriptions

- [All pages in one](${origin}/llms-full.txt)
- [Description of the API (OpenAPI)](${origin}/openapi.json)
- [JSON Schema of a configuration](${origin}/schema)
- Examples: ${examples.map((name) => `[${name}](${origin}/docs/examples/${name})`).join(', ')}
- \`POST ${origin}/mcp\`: the same for clients of the Model Context Protocol (Streamable HTTP)

${parts.filter((part) => part.includes('](')).join('\n')}`;
}
