/**
 * PURE. The description without the parts that a program with a token or an API key can do without: examples, the
 * requests of a browser sign-in, and the error codes of each single operation. An agent reads it in one piece.
 */
import { STATUS_CODES } from 'node:http';
import stringify from 'safe-stable-stringify';
import { type ProblemCode, problemCodes } from '../../lib/problem.ts';
import { ApplicationFields } from '../requests/callers.ts';
import { usualCodes } from './refusals.ts';
import {
  type Body,
  codesOf,
  type Described,
  describedOnce,
  type Media,
  mapValues,
  nameAll,
  type Operation,
} from './shared-parts.ts';

type Response = { description: string; content?: { [type: string]: Media } };
type Components = { [kind: string]: { [name: string]: object } };

const limits = [
  'This description has the requests that a session token or an API key allows. With `?examples=true`, it also has the',
  'requests of a browser sign-in, an example of each request, and the error codes of each request. Fields of a JSON body',
  'that name an application can be in the query instead.',
].join(' ');

export function shortDescription({ paths, components, ...rest }: Described): object {
  const kept = mapValues(paths, (methods) =>
    Object.fromEntries(Object.entries(methods).filter(([, operation]) => !isOfBrowser(operation))),
  );
  const operations = Object.values(kept).flatMap((methods) => Object.values(methods));
  const parameters = nameAll(operations.flatMap(parametersOf), ({ name, in: place }) => [name, `${name}-${place}`], 2);
  const answers = nameAll(
    operations.flatMap(answersOf),
    ({ response }) => [nameOfContent(response.content, 'Done')],
    2,
  );

  const bodies = nameAll(operations.flatMap(bodyOf), ({ content }) => [nameOfContent(content, 'Configuration')], 2);
  const usualSecurity = mostFrequent(operations.map(({ security = [] }) => security));

  const shorten = (operation: Operation) => {
    const own = parametersOf(operation);
    const [body] = bodyOf(operation);
    const { parameters: _, responses, security, requestBody, ...fields } = operation;
    return {
      ...fields,
      ...(stringify(security) !== stringify(usualSecurity) && { security }),
      ...(body && { requestBody: bodies.referTo('requestBodies', body) ?? body }),
      ...(own.length > 0 && { parameters: own.map((each) => parameters.referTo('parameters', each) ?? each) }),
      responses: {
        ...Object.fromEntries(
          answersOf(operation).map((answer) => [
            answer.status,
            answers.referTo('responses', answer) ?? answer.response,
          ]),
        ),
        ...Object.fromEntries(
          Object.keys(responses)
            .filter((status) => isError(status) && isShown(status, responses))
            .map((status) => [status, { $ref: `#/components/responses/${status}` }]),
        ),
      },
    };
  };
  const shared: Components = {
    ...components,
    parameters: parameters.components,
    requestBodies: bodies.components,
    responses: {
      ...mapValues(answers.components, ({ response }) => response),
      ...errorsOf(operations),
    },
  };
  const short = {
    ...rest,
    info: { ...rest.info, description: `${rest.info.description} ${limits}` },
    security: usualSecurity,
    paths: mapValues(
      Object.fromEntries(Object.entries(kept).filter(([, methods]) => Object.keys(methods).length > 0)),
      (methods) => mapValues(methods, shorten),
    ),
    components: shared,
  };
  return withoutUnused(simplified(short) as typeof short);
}

/** A request that only the cookie of a sign-in allows. The forms of the dashboard send it. */
function isOfBrowser({ tags, security }: Operation): boolean {
  return tags?.[0] === 'sign-in' || stringify(security) === '[{"signIn":[]}]';
}

/** The security schemes describe the session token already. A field of the body is not repeated as a parameter. */
function parametersOf({ parameters = [], requestBody }: Operation) {
  const body = requestBody?.content['application/json']?.schema as { properties?: object; $ref?: string } | undefined;
  const fields = body?.$ref?.endsWith('/Application') ? identity : Object.keys(body?.properties ?? {});
  return parameters.filter(({ name, in: place }) => place !== 'query' || !['sessionToken', ...fields].includes(name));
}

/** The fields of the schema `Application`. */
const identity = Object.keys(ApplicationFields.properties);

function answersOf({ responses }: Operation): { status: string; response: Response }[] {
  return Object.entries(responses)
    .filter(([status]) => /^[23]/.test(status))
    .map(([status, response]) => ({ status, response: describedOnce(response) as Response }));
}

function bodyOf({ requestBody }: Operation): Body[] {
  return requestBody ? [requestBody] : [];
}

/** The name of its schema, if it has one. */
function nameOfContent(content: { [type: string]: Media } = {}, otherwise: string): string {
  const schema = Object.values(content)[0]?.schema as { $ref?: string } | undefined;
  return schema?.$ref?.split('/').at(-1) ?? otherwise;
}

function mostFrequent<T>(values: readonly T[]): T | undefined {
  const groups = [...Map.groupBy(values, (value) => stringify(value)).values()];
  return groups.sort((a, b) => b.length - a.length)[0]?.[0];
}

function isError(status: string): boolean {
  return /^[45]/.test(status) || status === 'default';
}

/** `default` stands for errors that every request can have. Validators require at least one 4xx status. */
function isShown(status: string, responses: Operation['responses']): boolean {
  const isSpecial = (status: string) => codesOf(responses[status]!).some((code) => !usualCodes.has(code));
  const hasSpecial = Object.keys(responses).some((status) => status.startsWith('4') && isSpecial(status));
  return status === 'default' || isSpecial(status) || (status === '400' && !hasSpecial);
}

/** One response for each status, with the codes of all operations. */
function errorsOf(operations: readonly Operation[]): { [status: string]: object } {
  const found = operations.flatMap(({ responses }) => Object.entries(responses).filter(([status]) => isError(status)));
  return Object.fromEntries(
    [...Map.groupBy(found, ([status]) => status)].map(([status, entries]) => {
      const responses = entries.map(([, response]) => response);
      return [status, status === 'default' ? otherErrors(responses[0]!) : errorOf(status, responses)];
    }),
  );
}

function errorOf(status: string, responses: readonly object[]): object {
  const codes = [...new Set(responses.flatMap(codesOf))].sort();
  const hasChallenge = responses.some((response) => JSON.stringify(response).includes('ErrorWithChallenge'));
  const $ref = `#/components/schemas/${hasChallenge ? 'ErrorWithChallenge' : 'Error'}`;
  return {
    description: STATUS_CODES[status],
    content: { 'application/json': { schema: { $ref, properties: { code: { enum: codes } } } } },
  };
}

function otherErrors(response: object): object {
  const byStatus = Map.groupBy([...usualCodes], (code) => problemCodes[code as ProblemCode].status);
  const lists = [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(([status, codes]) => `${status} ${codes.map((code) => `\`${code}\``).join(', ')}`);
  return { ...response, description: `Any other error, such as one that every request can have: ${lists.join('; ')}.` };
}

/** Equal schemas in fewer words, without examples and the defaults of OpenAPI. */
function simplified(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(simplified);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(withShortType(value as Schema)).filter(
    ([key, inner]) => key !== 'example' && key !== 'examples' && !(key === 'required' && inner === false),
  );
  return Object.fromEntries(fields.map(([key, inner]) => [key, simplified(inner)]));
}

type Schema = { anyOf?: Schema[]; type?: unknown; const?: unknown; enum?: unknown[] };

function withShortType(schema: Schema): object {
  const { anyOf, ...rest } = schema;
  const [first, second] = anyOf ?? [];
  if (anyOf?.every((each) => 'const' in each)) return { ...rest, enum: anyOf.map((each) => each.const) };
  if (anyOf?.length === 2 && typeof first?.type === 'string' && !first.enum && stringify(second) === '{"type":"null"}')
    return { ...first, type: [first.type, 'null'], ...rest };
  if ('const' in schema || Array.isArray(schema.enum)) {
    const { type: _, ...untyped } = schema;
    return typeof schema.type === 'string' ? untyped : schema;
  }
  return schema;
}

/** Removes components that nothing refers to, directly or indirectly. */
function withoutUnused<T extends { components: Components }>(description: T): T {
  const { components, ...rest } = description;
  const used = new Set<string>();
  const waiting: unknown[] = [rest];
  while (waiting.length > 0)
    for (const [, kind, name] of JSON.stringify(waiting.pop()).matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)) {
      const pointer = `${kind}/${name}`;
      if (used.has(pointer)) continue;
      used.add(pointer);
      waiting.push(components[kind!]?.[name!] ?? {});
    }
  const isUsed = (kind: string, name: string) => kind === 'securitySchemes' || used.has(`${kind}/${name}`);
  const left = Object.entries(components).map(([kind, named]) => [
    kind,
    Object.fromEntries(Object.entries(named).filter(([name]) => isUsed(kind, name))),
  ]);
  return { ...description, components: Object.fromEntries(left) };
}
