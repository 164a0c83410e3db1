/** The description of the API (OpenAPI 3.1), made from the schemas that check the requests. */
import swagger from '@fastify/swagger';
import type { FastifyInstance, FastifySchema } from 'fastify';
import { Type } from 'typebox';
import { signInCookiePrefix } from '../../lib/sign-in-cookie.ts';
import { signInPaths } from '../account/sign-in-paths.ts';
import type { ApiSettings } from '../api-service.ts';
import { ErrorRecord } from '../deployments/deployment-schemas.ts';
import { completePaths, type Paths, tagList } from './complete.ts';
import { withComponents } from './components.ts';
import { eventComponents } from './event-components.ts';
import { namedFields, namedSchemas } from './named-schemas.ts';
import type { OperationNote } from './operation-note.ts';
import { type Described, shareParts } from './shared-parts.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body is a configuration, whose form `documents.ts` reads. */
    isDocument?: boolean;
  }
}

const about = [
  'One YAML in, a live URL out. Starting a deployment needs no account: the response contains a `sessionToken`, the only key',
  'to it. Send it as `Authorization: Bearer`, or as `sessionToken` in the query or the JSON body. Every error is',
  '`{ "error", "code", "hint" }`. The headers `RateLimit` and `RateLimit-Policy` contain the remaining requests; a',
  'request over the limit returns 429 with `Retry-After`.',
].join(' ');

/** Credentials in the order of their lookup. Some endpoints need none. */
const securitySchemes = (baseUrl: URL) =>
  ({
    sessionToken: {
      type: 'apiKey',
      in: 'query',
      name: 'sessionToken',
      description: 'A session token; in JSON bodies the field `sessionToken`.',
    },
    bearer: {
      type: 'http',
      scheme: 'bearer',
      description: 'A session token, or an API key of an account.',
    },
    signIn: {
      type: 'apiKey',
      in: 'cookie',
      name: `${signInCookiePrefix(baseUrl)}.session_token`,
      description: 'The cookie of a sign-in. Requests that change something must come from this site.',
    },
  }) as const;

/** Registered before the endpoints, so that it sees all of them. */
export async function describeApi(
  app: FastifyInstance,
  { baseUrl, termsUrl }: Pick<ApiSettings, 'baseUrl' | 'termsUrl'>,
): Promise<void> {
  const notes = new Map<string, OperationNote>();
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Berth',
        version: '1.0.0',
        description: about,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
        // The contact is for this service, not for its source code.
        contact: { name: 'The operator of this service', url: baseUrl.origin },
        ...(termsUrl && { termsOfService: termsUrl.href }),
      },
      // Relative to where it was read: a service has several names, and `localhost` is another machine's for its reader.
      servers: [{ url: '/' }],
      components: { securitySchemes: securitySchemes(baseUrl) },
      tags: tagList,
    },
    transformObject: (given) => {
      if (!('openapiObject' in given)) return {};
      const { paths = {}, ...rest } = given.openapiObject;
      return {
        ...rest,
        paths: completePaths(paths as Paths, { error: ErrorRecord, notes, signIn: signInPaths }),
      } as typeof given.openapiObject;
    },
    transform: ({ schema, url, route }) => {
      const { operationId, access, refusals = [], exampleOf } = schema ?? {};
      if (operationId && access) {
        const { takesSources } = route.config ?? {};
        notes.set(operationId, { access, refusals, takesSources, ...(exampleOf && { exampleOf }) });
      }
      const described = { ...schema, ...bodyOf(route.config?.isDocument), response: answersOf(schema) };
      return { url, schema: schema?.hide ? schema : described };
    },
  });
  const texts = new Map<boolean, string>();
  const whole = () => wholeDescription(app, { ...namedSchemas, ...namedFields });
  const querystring = Type.Object({ examples: Type.Optional(Type.Enum(['true', 'false'])) });
  app.get<{ Querystring: Type.Static<typeof querystring> }>(
    '/openapi.json',
    { schema: { hide: true, querystring } },
    async (request, reply) => {
      const examples = request.query.examples === 'true';
      const text = texts.get(examples) ?? JSON.stringify(shareParts(whole(), { examples }));
      texts.set(examples, text);
      return reply.type('application/json').send(text);
    },
  );
}

/** Each operation with its own parameters and error responses. The app is ready. */
export function wholeDescription(app: FastifyInstance, named: { [name: string]: object } = namedSchemas): Described {
  const { description, schemas } = withComponents(app.swagger() as unknown as Described, named);
  return { ...description, components: { ...description.components, schemas: { ...schemas, ...eventComponents } } };
}

function bodyOf(isDocument: boolean | undefined) {
  if (!isDocument) return {};
  const description = 'The configuration: YAML, or the same document as JSON. At most 256 KiB.';
  return { consumes: ['text/x-yaml', 'application/json'], body: Type.String({ description }) };
}

/** `complete.ts` adds the refusals. */
function answersOf(schema: FastifySchema | undefined) {
  const own = (schema?.response ?? {}) as Record<string, unknown>;
  return { 200: Type.Any({ description: 'Done.' }), ...own };
}
