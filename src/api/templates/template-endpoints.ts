/** Application templates, as the folder `templates` has them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { searchTemplates } from '../../config/templates/search-templates.ts';
import { readTemplate, type Template } from '../../config/templates/template.ts';
import { ErrorRecord } from '../deployments/deployment-schemas.ts';
import { RefusedRequest } from '../requests/errors.ts';

export const templatesFolder = join(import.meta.dirname, '../../../templates');

const listed = {
  name: Type.String(),
  title: Type.String(),
  description: Type.String(),
  tags: Type.Array(Type.String()),
  next: Type.Optional(Type.String({ description: 'The first steps after the application runs.' })),
  images: Type.Array(Type.String()),
};
const ListedRecord = Type.Object(listed);
const TemplatesRecord = Type.Object({
  templates: Type.Array(ListedRecord),
  tags: Type.Array(Type.String(), { description: 'All tags of the templates, the most frequent first.' }),
});
const TemplateRecord = Type.Object({
  ...listed,
  document: Type.String({ description: 'The configuration, which can be deployed with or without changes.' }),
});

export function templateEndpoints(): FastifyPluginAsyncTypebox {
  let read: Template[] | undefined;
  /** Read at the first request, because reading takes 30 ms of processor time, and few services get such a request. */
  const templates = () => {
    read ??= readTemplates();
    return read;
  };
  return async (app) => {
    app.get(
      '/getTemplates',
      {
        schema: {
          operationId: 'listTemplates',
          summary: 'List the application templates',
          tags: ['configuration'],
          description: 'Each template is a complete application. `GET /getTemplate` returns its configuration.',
          access: 'public',
          querystring: Type.Object({
            search: Type.Optional(
              Type.String({ maxLength: 100, description: 'Words that the template must contain.' }),
            ),
            tag: Type.Optional(Type.String({ maxLength: 20 })),
          }),
          response: { 200: TemplatesRecord, '4xx': ErrorRecord },
        },
      },
      async ({ query: { search = '', tag } }) => {
        const found = searchTemplates(templates(), search).filter(
          ({ tags }) => tag === undefined || tags.includes(tag),
        );
        return { templates: found.map(withoutDocument), tags: tagsOf(templates()) };
      },
    );

    app.get(
      '/getTemplate',
      {
        schema: {
          operationId: 'getTemplate',
          summary: 'Get an application template with its configuration',
          tags: ['configuration'],
          description: 'The configuration is valid on this service without changes.',
          access: 'public',
          refusals: ['template_not_found'],
          querystring: Type.Object({ name: Type.String({ minLength: 1, maxLength: 40 }) }),
          response: { 200: TemplateRecord, '4xx': ErrorRecord },
        },
      },
      async ({ query }) => {
        const template = templates().find(({ name }) => name === query.name);
        if (template) return template;
        throw new RefusedRequest({
          code: 'template_not_found',
          error: `No template has the name "${query.name}".`,
          hint: 'GET /getTemplates lists them.',
        });
      },
    );
  };
}

/**
 * Returns the templates by title. Throws for an invalid template; a test reads all of them, so no release contains one.
 */
export function readTemplates(folder = templatesFolder): Template[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => readTemplate(file.replace(/\.yaml$/, ''), readFileSync(join(folder, file), 'utf8')))
    .sort((one, other) => one.title.localeCompare(other.title, 'en'));
}

function withoutDocument({ document: _, ...listed }: Template) {
  return listed;
}

function tagsOf(templates: readonly Template[]): string[] {
  const counts = new Map<string, number>();
  for (const tag of templates.flatMap(({ tags }) => tags)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return [...counts].sort(([a, many], [b, more]) => more - many || a.localeCompare(b, 'en')).map(([tag]) => tag);
}
