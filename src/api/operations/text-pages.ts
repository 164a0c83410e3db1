/**
 * The pages of the documentation as texts, for programs that read: each under its name (`/docs/api.md`), how to deploy
 * with an index of them all (`/llms.txt`), and what a user of the service needs in one (`/llms-full.txt`). Their examples
 * have the service's own address.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { ApiSettings } from '../api-service.ts';
import { nothingHere, RefusedRequest } from '../requests/errors.ts';

const folder = join(import.meta.dirname, '../../../docs');
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
    '/llms-full.txt': forUsers.map((name) => pages.get(`${name}.md`)).join('\n'),
    '/auth.md': pages.get('auth.md')!,
  };
  return async (app) => {
    const config = { limit: 'page' as const };
    const type = 'text/markdown; charset=utf-8';
    for (const [path, text] of Object.entries(texts)) {
      app.get(path, { config, schema: { hide: true } }, async (_, reply) =>
        reply.type(type).header('Link', describedBy).send(text),
      );
    }
    const params = Type.Object({ page: Type.String() });
    app.get('/docs/:page', { config, schema: { hide: true, params } }, async (request, reply) => {
      const text = pages.get(request.params.page);
      if (text === undefined) throw new RefusedRequest(nothingHere);
      return reply.type(type).header('Link', describedBy).send(text);
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

function indexOf(pages: Pages, examples: string[], origin: string): string {
  const line = (name: string) => `- [${titleOf(pages.get(name)!)}](${origin}/docs/${name})`;
  const user = forUsers.map((name) => `${name}.md`);
  const operator = [...pages.keys()].filter((name) => !user.includes(name));
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
  const withoutTitle = pages.get('agents.md')!.replace(/^# .+\n\s*/, '');
  return withoutTitle.replaceAll(/\]\(([\w-]+\.md)/g, `](${origin}/docs/$1`);
}

function titleOf(text: string): string {
  return /^# (.+)$/m.exec(text)?.[1] ?? '';
}
