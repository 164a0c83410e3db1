/**
 * PURE. Generates the types of the client from the description of the API. It exists because maintained generators need
 * a TypeScript with a JavaScript API, which this project's does not have, and because the description uses few
 * keywords. A schema with an unknown keyword is refused.
 */

type Schema = { [word: string]: unknown };
type Parameter = { in: string; name: string; required?: boolean; schema: Schema };
type Content = { [type: string]: { schema?: Schema } };
type Operation = {
  operationId: string;
  summary?: string;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: { [status: string]: { content?: Content } };
};
export type Description = {
  paths: { [path: string]: { [method: string]: Operation } };
  components: { schemas: { [name: string]: Schema } };
};

/** Signing in is a browser's affair, and its answers are the library's. */
const leftOut = '/api/auth/';

/** The whole module. */
export function generateTypes({ paths, components }: Description): string {
  const operations = Object.entries(paths)
    .filter(([path]) => !path.startsWith(leftOut))
    .flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })));
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) => `${comment(schema.description, '')}export type ${name} = ${typeOf(schema, '')};\n`,
  );
  const types = operations.map(({ path, operation }) => printOperation(path, operation));
  const requests = operations.map(
    ({ path, method, operation }) =>
      `  ${operation.operationId}: { method: '${method.toUpperCase()}', path: '${path}', sends: '${sendsOf(operation)}' },\n`,
  );
  return [
    '/** Made from the description of the API by `npm run client`; a test holds it against the description. */\n\n',
    schemas.join('\n'),
    '\n/** By `operationId`: the request and the responses. */\n',
    `export type Operations = {\n${types.join('')}};\n`,
    '\n/** How each operation is sent. */\n',
    `export const requests = {\n${requests.join('')}} as const;\n`,
  ].join('');
}

function printOperation(path: string, { operationId, summary, parameters = [], requestBody, responses }: Operation) {
  const fields = (place: string) => {
    const found = parameters.filter((parameter) => parameter.in === place);
    const properties = Object.fromEntries(found.map(({ name, schema }) => [name, schema]));
    const required = found.filter((parameter) => parameter.required).map(({ name }) => name);
    return found.length === 0 ? 'Nothing' : typeOf({ type: 'object', properties, required }, '    ');
  };
  // A configuration is a string for every content type.
  const content = requestBody?.content ?? {};
  const body = content['text/x-yaml']?.schema ?? content['application/json']?.schema;
  return [
    `  /** ${(summary ?? operationId).replaceAll('*/', '* /')}. \`${path}\` */\n`,
    `  ${operationId}: {\n`,
    `    path: ${fields('path')};\n`,
    `    query: ${fields('query')};\n`,
    `    body: ${body ? typeOf(body, '    ') : 'undefined'};\n`,
    `    answer: ${answerOf(responses['200']?.content ?? {})};\n`,
    '  };\n',
  ]
    .join('')
    .replaceAll(': Nothing;', ': Record<never, never>;');
}

function sendsOf({ requestBody }: Operation): 'yaml' | 'json' | 'nothing' {
  if (!requestBody) return 'nothing';
  return requestBody.content['text/x-yaml'] ? 'yaml' : 'json';
}

function answerOf(content: Content): string {
  const json = content['application/json']?.schema;
  return json ? typeOf(json, '    ') : 'string';
}

/** Keywords without influence on the type. */
const silent = new Set(
  'description format minimum maximum minLength maxLength maxItems minItems pattern examples example default discriminator x-says contentMediaType contentSchema title'.split(
    ' ',
  ),
);

function typeOf(schema: Schema, indent: string): string {
  const words = Object.keys(schema).filter((word) => !silent.has(word));
  const { type, properties, items, const: constant, $ref, anyOf, oneOf, allOf } = schema;
  const known = ['type', 'properties', 'required', 'items', 'const', 'enum', '$ref', 'anyOf', 'oneOf', 'allOf'];
  const unknown = words.filter((word) => ![...known, 'additionalProperties'].includes(word));
  if (unknown.length > 0) throw new Error(`The client's types have no word for ${unknown.join(', ')} of a schema.`);
  if (typeof $ref === 'string') return $ref.slice('#/components/schemas/'.length);
  if (constant !== undefined) return literal(constant);
  if (schema.enum) return (schema.enum as unknown[]).map(literal).join(' | ');
  const several = (anyOf ?? oneOf) as Schema[] | undefined;
  if (several) return several.map((each) => typeOf(each, indent)).join(' | ');
  if (allOf) return (allOf as Schema[]).map((each) => inBrackets(typeOf(each, indent))).join(' & ');
  if (Array.isArray(type)) return type.map((each) => typeOf({ ...schema, type: each }, indent)).join(' | ');
  switch (type) {
    case 'object':
      return properties ? objectOf(schema, indent) : 'Record<string, unknown>';
    case 'array':
      return `${inBrackets(typeOf(items as Schema, indent))}[]`;
    case 'integer':
    case 'number':
      return 'number';
    case 'string':
    case 'boolean':
    case 'null':
      return type;
    case undefined:
      return 'unknown';
    default:
      throw new Error(`The client's types have no word for the type ${String(type)}.`);
  }
}

function objectOf({ properties, required = [], additionalProperties }: Schema, indent: string): string {
  const inner = `${indent}  `;
  const members = Object.entries(properties as { [name: string]: Schema }).map(([name, schema]) => {
    const key = /^[a-z_$][\w$]*$/i.test(name) ? name : literal(name);
    const mark = (required as string[]).includes(name) ? '' : '?';
    return `${comment(schema.description, inner)}${inner}${key}${mark}: ${typeOf(schema, inner)};\n`;
  });
  if (members.length === 0) return additionalProperties ? 'Record<string, unknown>' : 'Record<never, never>';
  return `{\n${members.join('')}${indent}}`;
}

function inBrackets(type: string): string {
  return /^(\w+|\{[\s\S]*\})$/.test(type) && !/\}\s*[|&]\s*\{/.test(type) ? type : `(${type})`;
}

function literal(value: unknown): string {
  return typeof value === 'string'
    ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
    : JSON.stringify(value);
}

function comment(description: unknown, indent: string): string {
  if (typeof description !== 'string') return '';
  return `${indent}/** ${description.replaceAll('*/', '* /').replaceAll(/\s+/g, ' ')} */\n`;
}
