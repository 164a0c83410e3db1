/** PURE. Repeated error responses and parameters of a description become components. */
import { STATUS_CODES } from 'node:http';
import stringify from 'safe-stable-stringify';

type Refusal = { $ref?: string; properties?: { code: { enum: string[] } } };
type WholeRefusal = { $ref?: string; allOf?: [Refusal, Refusal] };
type Response<Schema> = { description: string; content: { 'application/json': { schema: Schema } } };
export type Media = { schema?: object };
type Parameter = { in: string; name: string; required?: boolean };
export type Body = { required?: boolean; content: { [type: string]: Media } };
export type Operation = {
  tags?: string[];
  security?: object[];
  parameters?: Parameter[];
  requestBody?: Body;
  responses: { [status: string]: object };
};
export type Described = {
  info: { description: string };
  paths: { [path: string]: { [method: string]: Operation } };
  components: { schemas: { [name: string]: object } };
};

export function shareParts(described: Described): object {
  const { paths, components } = described;
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const responses = nameAll(
    operations.flatMap((operation) => refusalsOf(operation).map(([status, response]) => ({ status, response }))),
    ({ status, response }) => responseNames(status, response),
  );
  const parameters = nameAll(
    operations.flatMap((operation) => operation.parameters ?? []),
    ({ name, in: place }) => [name, `${name}-${place}`],
    2,
  );
  const share = (operation: Operation) => ({
    ...operation,
    ...(operation.parameters && {
      parameters: operation.parameters.map((each) => parameters.referTo('parameters', each) ?? each),
    }),
    responses: {
      ...mapValues(operation.responses, describedOnce),
      ...Object.fromEntries(
        refusalsOf(operation).map(([status, response]) => [
          status,
          responses.referTo('responses', { status, response }) ?? response,
        ]),
      ),
    },
  });
  return {
    ...described,
    paths: mapValues(paths, (methods) => mapValues(methods, share)),
    components: {
      ...components,
      parameters: parameters.components,
      responses: mapValues(responses.components, ({ response }) => response),
    },
  };
}

/** The error codes of a response. */
export function codesOf(response: object): string[] {
  const lists = JSON.stringify(response).matchAll(/"code":\{"enum":\[(.*?)\]/g);
  return Array.from(lists, ([, codes]) => JSON.parse(`[${codes}]`) as string[]).flat();
}

/** The error responses, without the meanings of their codes, which the reference of errors has. */
function refusalsOf({ responses }: Operation): [string, Response<Refusal>][] {
  return Object.entries(responses)
    .filter(([status]) => !/^[23]/.test(status))
    .map(([status, response]) => {
      const { description, content } = response as Response<WholeRefusal>;
      const { $ref, allOf } = content['application/json'].schema;
      const schema = allOf ? { ...allOf[0], ...allOf[1] } : { $ref: $ref! };
      return [
        status,
        { description: STATUS_CODES[status] ?? description, content: { 'application/json': { schema } } },
      ];
    });
}

/** A response and its schema often have the same description. Only the response needs one. */
export function describedOnce(response: object): object {
  const { description, content = {} } = response as { description: string; content?: { [type: string]: Media } };
  const media = mapValues(content, ({ schema, ...rest }) => {
    const isRepeated = schema !== undefined && 'description' in schema && schema.description === description;
    const { description: _, ...undescribed } = (schema ?? {}) as { description?: string };
    return { ...rest, ...(schema && { schema: isRepeated ? undescribed : schema }) };
  });
  return { ...response, ...(Object.keys(media).length > 0 && { content: media }) };
}

/** The most frequent response of a status has its number as a name. Others have the name of their last code. */
function responseNames(status: string, { content }: Response<Refusal>): string[] {
  const last = pascal(content['application/json'].schema.properties?.code.enum.at(-1) ?? 'error');
  return [status, last];
}

function pascal(words: string): string {
  return words.replace(/(?:^|_)(\w)/g, (_, first: string) => first.toUpperCase());
}

/** Values that occur at least `least` times get the first of their possible names that is free, frequent values first. */
export function nameAll<T extends object>(values: readonly T[], possible: (value: T) => string[], least = 1) {
  const groups = [...Map.groupBy(values, (value) => stringify(value)!)]
    .filter(([, equal]) => equal.length >= least)
    .sort(([, a], [, b]) => b.length - a.length);
  const names = new Map<string, string>();
  const components: { [name: string]: T } = {};
  for (const [key, [value]] of groups) {
    const name = firstFree(possible(value!), components);
    components[name] = value!;
    names.set(key, name);
  }
  const referTo = (kind: string, value: T) => {
    const name = names.get(stringify(value)!);
    return name === undefined ? undefined : { $ref: `#/components/${kind}/${name}` };
  };
  return { components, referTo };
}

/** The last name gets a number if all are taken. */
function firstFree(possible: string[], taken: object): string {
  const free = possible.find((name) => !(name in taken));
  if (free !== undefined) return free;
  let number = 2;
  while (`${possible.at(-1)}${number}` in taken) number++;
  return `${possible.at(-1)}${number}`;
}

export function mapValues<A, B>(values: { [key: string]: A }, map: (value: A) => B): { [key: string]: B } {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value)]));
}
