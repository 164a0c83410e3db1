/** PURE. An OpenAPI description → the requests in Markdown, by group: purpose, access, fields, answer and errors. */
import { table, text } from './markdown.ts';

type Schema = {
  $ref?: string;
  type?: string;
  format?: string;
  description?: string;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  allOf?: Schema[];
};
type Content = Record<string, { schema?: Schema }>;
type Operation = {
  operationId: string;
  tags?: string[];
  summary?: string;
  description?: string;
  security?: Record<string, unknown>[];
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema?: Schema }[];
  requestBody?: { content: Content };
  responses: Record<string, { description?: string; content?: Content }>;
};
export type Description = {
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

/** Codes that almost every request may be answered with; the page names them once. */
const usual = [
  'invalid_request',
  'rate_limited',
  'internal',
  'store_unreachable',
  'cross_site_request',
  'payload_too_large',
  'unsupported_media_type',
  'method_not_allowed',
];

const schemes: Record<string, string> = { sessionToken: 'session token', bearer: 'API key', signIn: 'sign-in' };

export function renderRequests({ tags, paths, components }: Description): string {
  const requests = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const groups = tags.map(({ name, description }) => {
    const own = requests.filter(({ operation }) => operation.tags?.[0] === name);
    const sections = own.map(({ path, method, operation }) => section(`${method} ${path}`, operation));
    return [`## ${title(name)}`, text(description), ...sections].join('\n\n');
  });
  const objects = Object.entries(components.schemas).map(([name, schema]) => {
    return [`### ${name}`, text(schema.description), fieldTable(schema)].filter(Boolean).join('\n\n');
  });
  const note = `Every request with its fields, answers and errors. [The API](api.md) says how requests work in general.
A star marks a required field. For programs, \`GET /openapi.json?examples=true\` is the same description with examples.
\`GET /openapi.json\` is shorter: it has the requests that a session token or an API key allows.

Every request may also be answered with one of these [codes](errors.md): ${usual.map(code).join(', ')}.`;
  return ['# Requests', note, ...groups, '## Objects', 'Answers and bodies refer to these objects.', ...objects].join(
    '\n\n',
  );
}

function title(name: string): string {
  return `${name[0]!.toUpperCase()}${name.slice(1)}`;
}

function section(heading: string, operation: Operation): string {
  const { summary, description, parameters = [], requestBody, responses } = operation;
  const body = Object.values(requestBody?.content ?? {})[0]?.schema;
  const given = parameters.map(({ name, in: place, required, schema, description }) => [
    `${code(name)}${required ? ' *' : ''}`,
    `${typeOf(schema)}, in the ${place}`,
    text(description ?? schema?.description),
  ]);
  const parts = [
    `### ${heading}`,
    `${text(summary)}. ${text(description)}`.trim(),
    `Access: ${accessOf(operation)}.`,
    given.length > 0 ? table(['Parameter', 'Type', 'Meaning'], given) : '',
    body ? bodyOf(body, Object.keys(requestBody!.content)) : '',
    answerOf(responses),
    errorsOf(responses),
  ];
  return parts.filter(Boolean).join('\n\n');
}

function accessOf({ security = [] }: Operation): string {
  const names = security.flatMap((scheme) => Object.keys(scheme)).map((name) => schemes[name] ?? name);
  if (names.length === 0) return 'public';
  const isOptional = security.some((scheme) => Object.keys(scheme).length === 0);
  return `${names.join(', ')}${isOptional ? ', or a token in the body' : ''}`;
}

function bodyOf(schema: Schema, kinds: string[]): string {
  const types = kinds.map(code).join(' or ');
  if (schema.$ref) return `Body (${types}): ${typeOf(schema)}`;
  const fields = fieldTable(schema);
  return [`Body (${types})${fields ? ':' : `: ${text(schema.description)}`}`, fields].filter(Boolean).join('\n\n');
}

function answerOf(responses: Operation['responses']): string {
  return Object.entries(responses)
    .filter(([status]) => /^[123]/.test(status))
    .map(([status, { description, content = {} }]) => {
      const schema = content['application/json']?.schema;
      const others = Object.keys(content).filter((kind) => kind !== 'application/json');
      const says = [text(description), schema?.$ref ? typeOf(schema) : '', others.map(code).join(', ')];
      const fields = schema && !schema.$ref ? fieldTable(schema) : '';
      return [`Answer ${status}: ${says.filter(Boolean).join(' ')}`, fields].filter(Boolean).join('\n\n');
    })
    .join('\n\n');
}

function errorsOf(responses: Operation['responses']): string {
  const codes = Object.entries(responses)
    .filter(([status]) => /^[45]/.test(status))
    .flatMap(([status, { description = '' }]) =>
      [...description.matchAll(/^`(\w+)`:/gm)].map(([, name]) => ({ status, name: name! })),
    )
    .filter(({ name }) => !usual.includes(name));
  return codes.length > 0 ? `Errors: ${codes.map(({ status, name }) => `${status} ${code(name)}`).join(', ')}.` : '';
}

function fieldTable(schema: Schema): string {
  const rows = fieldRows(schema);
  return rows.length > 0 ? table(['Field', 'Type', 'Meaning'], rows) : '';
}

/** Fields of fields by their path, such as `status.state`. Each field of alternatives appears once. */
function fieldRows(schema: Schema, prefix = ''): string[][] {
  const alternatives = schema.anyOf ?? schema.allOf;
  const rows = alternatives
    ? alternatives.flatMap((alternative) => fieldRows(alternative, prefix))
    : Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
        const path = `${prefix}${name}${field.items ? '[]' : ''}`;
        const isRequired = schema.required?.includes(name);
        const own = [`${code(path)}${isRequired ? ' *' : ''}`, typeOf(field), text(field.description)];
        return [own, ...fieldRows(field.items ?? field, `${path}.`)];
      });
  return [...new Map(rows.map((row) => [row[0], row])).values()];
}

function typeOf({ $ref, type, format, enum: values, items, anyOf }: Schema = {}): string {
  if ($ref) {
    const name = $ref.split('/').at(-1)!;
    return `[${name}](#${name.toLowerCase()})`;
  }
  if (values) return values.map((value) => code(String(value))).join(', ');
  if (items) return `list of ${typeOf(items)}`;
  if (anyOf) return [...new Set(anyOf.map(typeOf))].join(' or ');
  return format ?? type ?? 'any';
}

function code(name: string): string {
  return `\`${name}\``;
}
