/**
 * `npm run docs` writes docs/reference/configuration.md: the text of configuration.md next to this file, with the tables of
 * fields from the schema. A test compares the page with them.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationSchema } from '../../src/config/schema/schema.ts';

export const page = join(import.meta.dirname, '../../docs/reference/configuration.md');
const notice =
  '<!-- Made by `node scripts/docs/configuration.ts` from scripts/docs/configuration.md and the schema. -->\n\n';

export function renderConfigurationPage(): string {
  const text = readFileSync(join(import.meta.dirname, 'configuration.md'), 'utf8');
  return notice + text.replace('<!-- fields -->', () => fieldTables());
}

/** Fields of a JSON Schema that the tables show. */
type Schema = {
  type?: string;
  description?: string;
  default?: unknown;
  examples?: unknown[];
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[] | undefined;
  items?: Schema;
  anyOf?: Schema[];
};

/** A table for each object of the schema, from the outside to the inside. */
function fieldTables(): string {
  const sections: string[] = [];
  const describe = (path: string, schema: Schema) => {
    const head = '| Field | Type | Default | |\n|---|---|---|---|';
    const rows = Object.entries(schema.properties ?? {}).map(([name, field]) =>
      row(name, field, schema.required ?? []),
    );
    sections.push(`### ${path}\n\n${schema.description ?? ''}\n\n${[head, ...rows].join('\n')}`);
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      const map = [field, ...(field.anyOf ?? [])].find(({ properties }) => properties);
      if (map) describe(`${path}.${name}`, map);
      else if (field.items?.properties) describe(`${path}.${name}[]`, field.items);
    }
  };
  describe('application', (ConfigurationSchema as Schema).properties!.application!);
  return sections.join('\n\n');
}

function row(name: string, field: Schema, required: readonly string[]): string {
  const example = field.examples?.[0];
  const shown = example === undefined || field.properties ? '' : ` Example: ${code(example)}.`;
  const standard = field.default === undefined ? '' : code(field.default);
  const cells = [
    `\`${name}\`${required.includes(name) ? ' *' : ''}`,
    typeOf(field),
    standard,
    `${field.description}${shown}`,
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function typeOf(field: Schema): string {
  if (field.enum) return field.enum.map(code).join(', ');
  if (field.anyOf) return [...new Set(field.anyOf.map(typeOf))].join(' or ');
  if (field.type === 'array') return `list of ${field.items ? plural(field.items) : 'values'}`;
  const names: Record<string, string> = { object: 'map', string: 'text', integer: 'number', boolean: 'true or false' };
  return names[field.type ?? ''] ?? field.type ?? 'value';
}

function plural(item: Schema): string {
  if (item.anyOf) return 'texts';
  return item.type === 'object' ? 'maps' : item.type === 'integer' ? 'numbers' : 'texts';
}

function code(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}

if (import.meta.main) writeFileSync(page, renderConfigurationPage());
