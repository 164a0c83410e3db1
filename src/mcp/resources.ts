/** Readable resources in addition to the tools: the schema, the guide and the examples of the service. */
import { type McpServer, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Service } from './service.ts';

type Text = { name: string; title: string; path: string; mimeType: string };

const texts: Text[] = [
  {
    name: 'guide',
    title: 'The guide for agents',
    path: '/docs/guides/use-berth-as-an-agent.md',
    mimeType: 'text/markdown',
  },
  { name: 'schema', title: 'JSON Schema of a document', path: '/schema', mimeType: 'application/schema+json' },
  {
    name: 'configuration',
    title: 'All fields of a document',
    path: '/docs/reference/configuration.md',
    mimeType: 'text/markdown',
  },
  {
    name: 'compose',
    title: 'Supported fields of Compose files',
    path: '/docs/reference/compose.md',
    mimeType: 'text/markdown',
  },
  ...['hello', 'counter', 'notes', 'guestbook'].map((name) => ({
    name: `examples/${name}`,
    title: `Example: ${name}`,
    path: `/docs/examples/${name}.yaml`,
    mimeType: 'application/yaml',
  })),
];

export function addResources(server: McpServer, service: Service): void {
  for (const { name, title, path, mimeType } of texts) {
    server.registerResource(name, `berth://${name}`, { title, mimeType }, async (uri) => {
      const answer = await service.read(path);
      if (!answer.ok) throw new ProtocolError(ProtocolErrorCode.InternalError, answer.problem.error);
      return { contents: [{ uri: uri.href, mimeType, text: answer.value }] };
    });
  }
}
