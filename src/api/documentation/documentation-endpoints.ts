/**
 * The documentation: for people the built site at `/docs`, for programs each page as text (`/docs/reference/api.md`), a
 * guide with an index of all pages (`/llms.txt`), and all pages in one (`/llms-full.txt`).
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Service } from '../api-service.ts';
import { sendAsset } from '../dashboard/bundle.ts';
import { nothingHere, RefusedRequest } from '../requests/errors.ts';
import { wantsHtml } from '../requests/wants-html.ts';
import { type Page, type Part, readParts, withCompleteLinks } from './pages.ts';

/** The documentation as texts for programs, with the address of this service. */

/** The address that the pages use for a service. */
const example = 'http://localhost:8080';

/** The page that an agent needs to deploy, which is a part of the index. */
const agentGuide = 'guides/use-berth-as-an-agent';

/** Pages by their path, and texts by their address. */
type Texts = { pages: ReadonlyMap<string, string>; others: Readonly<Record<string, string>> };

/** @param examples names of files below `/docs/examples`. */
function textsOf(parts: readonly Part[], examples: readonly string[], origin: string): Texts {
  const pages = parts.flatMap((part) => part.pages).map((page) => withAddress(page, origin));
  const complete = (page: Page) => withCompleteLinks(page, origin);
  const completePage = (path: string) => complete(pages.find((page) => page.path === path)!);
  return {
    pages: new Map(pages.map(({ path, text }) => [path, text])),
    others: {
      '/llms.txt': indexOf(parts, completePage(agentGuide), examples, origin),
      '/llms-full.txt': pages.map(complete).join('\n'),
      '/auth.md': completePage('reference/auth'),
    },
  };
}

function withAddress(page: Page, origin: string): Page {
  return { ...page, text: page.text.replaceAll(example, origin) };
}

/** @param guide for agents, so that a program that reads the index can deploy without a further request. */
function indexOf(parts: readonly Part[], guide: string, examples: readonly string[], origin: string): string {
  const lists = parts.map(({ title, pages }) => {
    const lines = pages.map(({ path, title }) => `- [${title}](${origin}/docs/${path}.md)`);
    return `## ${title}\n\n${lines.join('\n')}\n`;
  });
  return `# Berth

> One YAML in, a live URL out: POST a document that describes an application with several containers, and it runs at an
> address of its own. No account is needed.

${guide.replace(/^# .+\n\s*/, '')}
## Descriptions

- [All pages in one](${origin}/llms-full.txt)
- [Description of the API (OpenAPI)](${origin}/openapi.json)
- [JSON Schema of a configuration](${origin}/schema)
- Examples: ${examples.map((name) => `[${name}](${origin}/docs/examples/${name})`).join(', ')}
- \`POST ${origin}/mcp\`: the same for clients of the Model Context Protocol (Streamable HTTP)

${lists.join('\n')}`;
}

const picturesFolder = join(import.meta.dirname, '../../../docs/pictures');
const examplesFolder = join(import.meta.dirname, '../../../examples');

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

const markdown = 'text/markdown; charset=utf-8';

export function documentationEndpoints(service: Pick<Service, 'settings' | 'site'>): FastifyPluginAsyncTypebox {
  const { origin } = service.settings.baseUrl;
  const examples = readExamples();
  const { pages, others } = textsOf(readParts(), [...examples.keys()], origin);
  const pictures = new Set(readdirSync(picturesFolder).filter((name) => /\.(?:png|svg)$/.test(name)));
  const sendPage = sitePages(service);
  return async (app) => {
    const options = { config: { limit: 'page' as const }, schema: { hide: true } };
    app.get('/docs', options, async (request, reply) => {
      reply.headers({ Link: describedBy, Vary: 'Accept' });
      // Hints of errors name this address.
      if (wantsHtml(request)) return sendPage('index', request, reply);
      return reply.type(markdown).send(pages.get('reference/requests'));
    });
    for (const [path, text] of Object.entries(others)) {
      app.get(path, options, async (_, reply) => reply.type(markdown).header('Link', describedBy).send(text));
    }
    for (const [path, now] of Object.entries(moved)) {
      app.get(path, options, async (_, reply) => reply.redirect(now, 301));
    }
    const params = Type.Object({ '*': Type.String() });
    app.get('/docs/*', { ...options, schema: { hide: true, params } }, async (request, reply) => {
      const path = request.params['*'];
      const text = path.endsWith('.md') ? pages.get(path.slice(0, -'.md'.length)) : undefined;
      // Without a site, a browser gets the text.
      if (service.site === undefined && pages.has(path)) return reply.redirect(`/docs/${path}.md`);
      if (text === undefined) return sendPage(path, request, reply);
      return reply.header('Link', describedBy).type(markdown).send(text);
    });
    const named = { ...options, schema: { hide: true, params: Type.Object({ name: Type.String() }) } };
    app.get('/docs/pictures/:name', named, async (request, reply) => {
      const { name } = request.params;
      if (!pictures.has(name)) throw new RefusedRequest(nothingHere);
      const type = name.endsWith('.svg') ? 'image/svg+xml' : 'image/png';
      return reply.type(type).send(await readFile(join(picturesFolder, name)));
    });
    app.get('/docs/examples/:name', named, async (request, reply) => {
      const text = examples.get(request.params.name);
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

/** Sends a file of the site: a page by its path without an ending or by its folder, another file by its name. */
function sitePages(service: Pick<Service, 'site'>) {
  let policy: string | undefined;
  return (path: string, request: FastifyRequest, reply: FastifyReply) => {
    const page = service.site?.get(`${path}.html`) ?? service.site?.get(`${path}/index.html`);
    const asset = page ?? service.site?.get(path);
    // A browser gets the page for unknown addresses.
    if (asset === undefined) return reply.callNotFound();
    if (page) {
      policy ??= policyOf(page.bodies.identity!.toString());
      reply.headers({ 'Content-Security-Policy': policy, Link: describedBy });
    }
    return sendAsset(asset, request, reply, path.startsWith('assets/'));
  };
}

/** Scripts are files of the site, or the two in each page that run before it is drawn. `html`: any page. */
function policyOf(html: string): string {
  const inline = Array.from(html.matchAll(/<script id="[\w-]+">([\s\S]*?)<\/script>/g), ([, code]) => {
    return `'sha256-${createHash('sha256').update(code!).digest('base64')}'`;
  });
  return [
    "default-src 'none'",
    `script-src 'self' ${inline.join(' ')}`.trim(),
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
