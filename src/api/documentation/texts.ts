/** PURE. The documentation as texts for programs, with the address of this service. */
import { type Page, type Part, withCompleteLinks } from './pages.ts';

/** The address that the pages use for a service. */
const example = 'http://localhost:8080';

/** The page that an agent needs to deploy, which is a part of the index. */
export const agentGuide = 'guides/use-berth-as-an-agent';

/** Pages by their path, and texts by their address. */
export type Texts = { pages: ReadonlyMap<string, string>; others: Readonly<Record<string, string>> };

/** @param examples names of files below `/docs/examples`. */
export function textsOf(parts: readonly Part[], examples: readonly string[], origin: string): Texts {
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

> One YAML in, a live URL out: POST a document that describes an application of several containers, and it runs at an
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
