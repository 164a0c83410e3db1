/** PURE. The events of deployments, in Markdown. */
import { eventSchemas } from '../../src/deployment/event/event.ts';
import { table } from './markdown.ts';

type Schema = {
  description?: string;
  const?: unknown;
  enum?: unknown[];
  type?: string;
  items?: Schema;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
};

export function renderEvents(): string {
  const sections = Object.entries(eventSchemas as Record<string, Schema>).map(([kind, schema]) => {
    const rows = (schema.anyOf ?? [schema]).map((variant) => {
      const { [kind]: which, kind: _, ...fields } = variant.properties ?? {};
      const name = which?.const === undefined ? kind : String(which.const);
      const others = which?.const === undefined ? variant.properties : fields;
      return [`\`${name}\``, fieldsOf(others ?? {}, variant.required ?? [])];
    });
    return `## ${kind}\n\n${schema.description}\n\n${table([`Value of \`${kind}\``, 'Fields'], rows)}`;
  });
  return [
    `# Events

\`GET /getDeploymentEvents\` returns what happened to a deployment. Each event has a \`kind\`. The field with the name of
the kind says which event it is, such as \`"kind": "intent", "intent": "start"\`. A star marks a required field.
[The request](requests.md#get-getdeploymentevents) describes the other fields and the stream.`,
    ...sections,
  ].join('\n\n');
}

function fieldsOf(fields: Record<string, Schema>, required: readonly string[]): string {
  return Object.entries(fields)
    .filter(([name]) => name !== 'kind')
    .map(([name, schema]) => {
      const says = schema.description ? `: ${schema.description.replace(/\.$/, '')}` : '';
      return `\`${name}\`${required.includes(name) ? ' *' : ''} (${typeOf(schema)})${says}`;
    })
    .join('; ');
}

function typeOf({ const: value, enum: values, type, items, anyOf }: Schema): string {
  if (value !== undefined) return `\`${value}\``;
  if (values) return values.map((each) => `\`${each}\``).join(', ');
  if (items) return `list of ${typeOf(items)}`;
  if (anyOf) return anyOf.map(typeOf).join(' or ');
  return type ?? 'any';
}
