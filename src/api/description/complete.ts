/** PURE. Completes the schema of each operation: access, all possible error codes, and examples. */
import { type ProblemCode, problemCodes } from '../../lib/problem.ts';
import type { SignInPath } from '../account/sign-in-paths.ts';
import examples from './examples.json' with { type: 'json' };
import {
  type Access,
  refusalsOfAccess,
  refusalsOfAll,
  refusalsOfBodies,
  refusalsOfChanges,
  refusalsOfPlaces,
} from './refusals.ts';

/** The part of a route's schema that serves the description: its group, who may send the request, and its errors. */

declare module 'fastify' {
  interface FastifySchema {
    access?: Access;
    /** Errors in addition to those of all requests with the same access and form. */
    refusals?: readonly ProblemCode[];
    /** The operation whose example is shown. Default: its own. */
    exampleOf?: string;
  }
}

const tags = {
  deployments: 'Starting, updating and ending deployments.',
  status: 'Information about deployments: state, events, logs, configuration.',
  reservations: 'The deployments of a session, and holds past time limits.',
  snapshots: 'Snapshots of the data of claimed deployments, and restores.',
  configuration: 'Checking configurations before anything is deployed.',
  domains: 'Custom domain names for claimed deployments.',
  accounts: 'Claim links, accounts, their limits and API keys.',
  'sign-in': 'Signing up, signing in, and signing out. Errors also have their own codes.',
} as const;

export type OperationNote = {
  access: Access;
  refusals?: readonly ProblemCode[];
  exampleOf?: string;
  /** The body may be a source archive, or absent. */
  takesSources?: boolean | undefined;
};

type Content = { [type: string]: { schema?: object; example?: unknown } };
type Operation = {
  operationId?: string;
  requestBody?: { required?: boolean; content: Content };
  responses?: { [status: string]: { description?: string; content?: Content } };
  [field: string]: unknown;
};
export type Paths = { [path: string]: { [method: string]: Operation } };

/** The notes of operations by `operationId`. */
export type Notes = ReadonlyMap<string, OperationNote>;

/** Completes the paths of a description without references. `error` is the schema of every refusal. */
export function completePaths(
  paths: Paths,
  { error, notes, signIn }: { error: object; notes: Notes; signIn: readonly SignInPath[] },
): Paths {
  const bodies = new Map(signIn.map(({ operationId, body }) => [operationId, body]));
  return mapValues(paths, (methods, path) =>
    mapValues(methods, (operation, method) => {
      const id = operation.operationId ?? '';
      const note = notes.get(id);
      if (!note) throw new Error(`The schema of ${id} has no access.`);
      const described = bodies.get(id);
      const withBody = described
        ? { ...operation, requestBody: { required: true, content: { 'application/json': { schema: described } } } }
        : operation;
      return complete(withBody, note, refusalsOf(note, method, path), error);
    }),
  );
}

const recorded: { [operationId: string]: { request?: unknown; answer?: unknown } } = examples;

export const tagList = Object.entries(tags).map(([name, description]) => ({ name, description }));

function complete(operation: Operation, note: OperationNote, codes: readonly ProblemCode[], error: object): Operation {
  const { request, answer } = recorded[note.exampleOf ?? operation.operationId ?? ''] ?? {};
  const { requestBody, responses = {} } = operation;
  const success = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const refused = Map.groupBy(codes, (code) => problemCodes[code].status);
  return {
    ...operation,
    security: securityOf[note.access],
    ...(requestBody && {
      requestBody: {
        ...requestBody,
        ...(note.takesSources && { required: false }),
        content: requestContent(requestBody.content, request),
      },
    }),
    responses: {
      ...Object.fromEntries(
        success.map(([status, { content, ...response }]) => [
          status,
          { ...response, ...(content && { content: withExample(content, answer) }) },
        ]),
      ),
      ...Object.fromEntries(
        [...refused].map(([status, codes]) => [status, refusal(codes, responses[status]?.content ?? json(error))]),
      ),
      default: {
        description: 'The server in front of the API refused the request before reading it.',
        content: json(error),
      },
    },
  };
}

/** A configuration is YAML, or the same document as JSON. The example is YAML. */
function requestContent(content: Content, example: unknown): Content {
  const { 'text/x-yaml': yaml, 'application/json': json } = content;
  if (!yaml) return withExample(content, example);
  const description = 'The same document as JSON, or `{ "yaml": "…" }`.';
  return {
    ...withExample({ 'text/x-yaml': yaml }, example),
    ...(json && { 'application/json': { schema: { type: 'object', description } } }),
  };
}

function withExample(content: Content, example: unknown): Content {
  if (example === undefined) return content;
  return mapValues(content, (media) => ({ ...media, example }));
}

function refusal(codes: readonly ProblemCode[], content: Content) {
  const withCode = { properties: { code: { enum: codes } } };
  return {
    description: codes.map((code) => `\`${code}\`: ${problemCodes[code].meaning}.`).join('\n\n'),
    content: mapValues(content, ({ schema }) => ({ schema: schema ? { allOf: [schema, withCode] } : withCode })),
  };
}

function refusalsOf({ access, refusals = [] }: OperationNote, method: string, path: string): ProblemCode[] {
  const isChange = method !== 'get';
  return [
    ...new Set([
      ...refusalsOfAll,
      ...refusalsOfAccess[access],
      ...(path.includes('{') ? refusalsOfPlaces : []),
      // Requests without a documented body refuse bodies in the same way.
      ...(isChange ? [...refusalsOfChanges, ...refusalsOfBodies] : []),
      ...refusals,
    ]),
  ];
}

const bearer = { bearer: [] };
const signIn = { signIn: [] };
const query = { sessionToken: [] };
const nobody = {};

/** `{}` where the token may also be a field of the body, which OpenAPI has no word for. */
const securityOf: Record<Access, object[]> = {
  public: [],
  optional: [nobody, query, bearer, signIn],
  caller: [query, bearer, signIn],
  'caller in body': [nobody, query, bearer, signIn],
  account: [bearer, signIn],
  'sign-in': [signIn],
};

function json(schema: object): Content {
  return { 'application/json': { schema } };
}

function mapValues<A, B>(values: { [key: string]: A }, map: (value: A, key: string) => B): { [key: string]: B } {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value, key)]));
}
