/**
 * The documents. For programs that read, as texts: each under its name (`/docs/api.md`), how to deploy with an index of
 * them all (`/llms.txt`), and what a user of the service needs in one (`/llms-full.txt`). A browser is shown a page of a
 * document. Their examples have the service's own address.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { ApiSettings } from '../api-service.ts';
import { nothingHere, RefusedRequest } from '../requests/errors.ts';
import { wantsHtml } from '../requests/wants-html.ts';
import type { Shelf } from './document-page.ts';
import { framePolicy } from './page-frame.ts';

const folder = join(import.meta.dirname, '../../../docs');
const picturesFolder = join(folder, 'pictures');
const examplesFolder = join(import.meta.dirname, '../../../examples');

/** The address that the pages use for a service. */
const example = 'http://localhost:8080';

/** For who uses a service, in the order in which one reads; all others are for who runs one. */
const forUsers = ['agents', 'auth', 'mcp', 'configuration', 'api', 'compose', 'cli', 'folders', 'accounts', 'domains'];

/** What an answer says of the descriptions of the service: RFC 8631, and the texts. */
export const describedBy = [
  '</llms.txt>; rel="alternate"; type="text/markdown"',
  '</openapi.json>; rel="service-desc"; type="application/json"',
  '</docs>; rel="service-doc"; type="text/html"',
].join(', ');

type Pages = ReadonlyMap<string, string>;

export function textEndpoints({ baseUrl }: Pick<ApiSettings, 'baseUrl'>): FastifyPluginAsyncTypebox {
  const pages = readPages(baseUrl.origin);
  const examples = readExamples();
  const texts: Record<string, string> = {
    '/llms.txt': indexOf(pages, [...examples.keys()], baseUrl.origin),
    '/llms-full.txt': linkedFromAnywhere(forUsers.map((name) => pages.get(`${name}.md`)).join('\n'), baseUrl.origin),
  };
  const shown = new Map<string, string>();
  const pictures = new Set(readdirSync(picturesFolder).filter((name) => name.endsWith('.png')));
  return async (app) => {
    const config = { limit: 'page' as const };
    const type = 'text/markdown; charset=utf-8';
    for (const [path, text] of Object.entries(texts)) {
      app.get(path, { config, schema: { hide: true } }, async (_, reply) =>
        reply.type(type).header('Link', describedBy).send(text),
      );
    }
    const showDocument = async (name: string, text: string, reply: FastifyReply) => {
      // With the library, when somebody asks for one.
      const { documentPage } = await import('./document-page.ts');
      const page = shown.get(name) ?? documentPage(name, text, shelfOf(pages));
      shown.set(name, page);
      return reply.header('Content-Security-Policy', framePolicy).type('text/html; charset=utf-8').send(page);
    };
    const params = Type.Object({ page: Type.String() });
    app.get('/docs/:page', { config, schema: { hide: true, params } }, async (request, reply) => {
      const { page: name } = request.params;
      const text = pages.get(name);
      // A person is shown a page that says so.
      if (text === undefined) return reply.callNotFound();
      reply.headers({ Link: describedBy, Vary: 'Accept' });
      return wantsPage(request) ? showDocument(name, text, reply) : reply.type(type).send(text);
    });
    app.get('/auth.md', { config, schema: { hide: true } }, async (request, reply) => {
      const text = pages.get('auth.md')!;
      reply.headers({ Link: describedBy, Vary: 'Accept' });
      if (wantsPage(request)) return showDocument('auth.md', text, reply);
      return reply.type(type).send(linkedFromAnywhere(text, baseUrl.origin));
    });
    app.get('/docs/pictures/:page', { config, schema: { hide: true, params } }, async (request, reply) => {
      if (!pictures.has(request.params.page)) throw new RefusedRequest(nothingHere);
      return reply.type('image/png').send(await readFile(join(picturesFolder, request.params.page)));
    });
    app.get('/docs/examples/:page', { config, schema: { hide: true, params } }, async (request, reply) => {
      const text = examples.get(request.params.page);
      if (text === undefined) throw new RefusedRequest(nothingHere);
      return reply.type('application/yaml; charset=utf-8').send(text);
    });
  };
}

/** The examples of the repository, as they are. */
function readExamples(): Pages {
  const names = readdirSync(examplesFolder).filter((name) => name.endsWith('.yaml'));
  return new Map(names.sort().map((name) => [name, readFileSync(join(examplesFolder, name), 'utf8')]));
}

/** Once: a page has a few thousand words, and all of them together 200 kB. */
function readPages(origin: string): Pages {
  const names = readdirSync(folder).filter((name) => name.endsWith('.md'));
  // What a generated page says to who would edit it is nothing for its readers.
  const read = (name: string) =>
    readFileSync(join(folder, name), 'utf8')
      .replace(/^<!--.*-->\s*/, '')
      .replaceAll(example, origin);
  return new Map(names.sort().map((name) => [name, read(name)]));
}

/** Browsers name HTML alone; a program that names Markdown too can do more with that. `?plain=1`: a text in any case. */
function wantsPage(request: FastifyRequest): boolean {
  const { plain } = request.query as { plain?: unknown };
  return plain === undefined && wantsHtml(request) && !/\btext\/markdown\b/.test(request.headers.accept ?? '');
}

/** Pages name one another by their files alone; read below another address they would lead nowhere. */
function linkedFromAnywhere(text: string, origin: string): string {
  return text.replaceAll(/\]\(([\w-]+\.md)/g, `](${origin}/docs/$1`);
}

function shelfOf(pages: Pages): Shelf {
  const { user, operator } = inGroups(pages);
  const documents = (names: string[]) => names.map((name) => ({ name, title: titleOf(pages.get(name)!) }));
  return [
    { heading: 'Using this service', documents: documents(user) },
    { heading: 'Running one', documents: documents(operator) },
  ];
}

function inGroups(pages: Pages): { user: string[]; operator: string[] } {
  const user = forUsers.map((name) => `${name}.md`);
  return { user, operator: [...pages.keys()].filter((name) => !user.includes(name)) };
}

function indexOf(pages: Pages, examples: string[], origin: string): string {
  const line = (name: string) => `- [${titleOf(pages.get(name)!)}](${origin}/docs/${name})`;
  const { user, operator } = inGroups(pages);
  return `# Berth

> One YAML in, a live URL out: POST a document that describes an application of several containers, and it runs at an
> address of its own. No account is needed.

${guideFor(pages, origin)}
## Using this service

${user.map(line).join('\n')}
- [All of these in one](${origin}/llms-full.txt)
- [Description of the API (OpenAPI)](${origin}/openapi.json)
- [JSON Schema of a configuration](${origin}/schema)
- Examples: ${examples.map((name) => `[${name}](${origin}/docs/examples/${name})`).join(', ')}
- \`POST ${origin}/mcp\`: the same for clients of the Model Context Protocol (Streamable HTTP)

## Optional

${operator.map(line).join('\n')}
`;
}

/** The page for agents as a part of another page, so that who reads that one can deploy without a further request. */
function guideFor(pages: Pages, origin: string): string {
  return linkedFromAnywhere(pages.get('agents.md')!.replace(/^# .+\n\s*/, ''), origin);
}

function titleOf(text: string): string {
  return /^# (.+)$/m.exec(text)?.[1] ?? '';
}
