/** The tool that finds applications to start from. */
import type { McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod/v4';
import type { Answer } from '../../client/ask.ts';
import { sayTemplates, type Templates } from '../sentences.ts';
import type { Service } from '../service.ts';
import { addTool } from '../tool.ts';

export function addTemplateTools(server: McpServer, service: Service): void {
  addTool(server, 'templates', {
    title: 'Find a template',
    description:
      'Documents of complete applications (WordPress, a queue with workers, a Django project …), valid on this server. Without a name, lists the matching templates. With a name, returns its document for deploy.',
    input: {
      search: z.string().max(100).optional().describe('Words that the template must contain.'),
      name: z.string().min(1).max(40).optional().describe('The name of a template from an earlier result.'),
    },
    say: sayTemplates,
    effect: 'reads',
    run: async ({ search, name }, { signal }): Promise<Answer<Templates>> => {
      const client = await service.clientOf(undefined);
      if (name === undefined) {
        return await client.call('listTemplates', { query: { ...(search !== undefined && { search }) }, signal });
      }
      const answer = await client.call('getTemplate', { query: { name }, signal });
      return answer.ok ? { ok: true, value: { templates: [answer.value] } } : answer;
    },
  });
}
