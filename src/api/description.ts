/** The description of the API (OpenAPI 3.1), made from the schemas that check the requests. */
import swagger from '@fastify/swagger';
import type { FastifyInstance, FastifySchema } from 'fastify';
import { Type } from 'typebox';
import { ErrorRecord } from './records.ts';
import type { ApiSettings } from './service.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body is a configuration, whose form `documents.ts` reads. */
    isDocument?: boolean;
  }
}

const about = [
  'One YAML in, a live URL out. Starting a deployment needs no account: the answer holds a `sessionToken`, the only key',
  'to it. Send it as `Authorization: Bearer`, or as `sessionToken` in the query or the JSON body. Every error is',
  '`{ "error", "code", "hint" }`. Answers say how much may still be asked in `RateLimit` and `RateLimit-Policy`; one',
  'request too many is answered 429 with `Retry-After`.',
].join(' ');

/** Who asks, in the order in which it is looked for; some endpoints need nobody. */
const securitySchemes = {
  sessionToken: {
    ...({ type: 'apiKey', in: 'query', name: 'sessionToken' } as const),
    description: 'A session token; in JSON bodies the field `sessionToken`.',
  },
  bearer: {
    ...({ type: 'http', scheme: 'bearer' } as const),
    description: 'A session token, or an API key of an account.',
  },
  signIn: {
    ...({ type: 'apiKey', in: 'cookie', name: 'berth.session_token' } as const),
    description: 'The cookie of a sign-in; what changes something must come from this site.',
  },
};

/** Registered before the endpoints, so that it sees all of them. */
export async function describeApi(
  app: FastifyInstance,
  { baseUrl, termsUrl }: Pick<ApiSettings, 'baseUrl' | 'termsUrl'>,
): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        ...{ title: 'Berth', version: '1.0.0', description: about },
        ...(termsUrl && { termsOfService: termsUrl.href }),
      },
      servers: [{ url: baseUrl.origin }],
      components: { securitySchemes },
      security: [{}, { sessionToken: [] }, { bearer: [] }, { signIn: [] }],
    },
    transform: ({ schema, url, route }) => ({
      url,
      schema: schema?.hide ? schema : { ...schema, ...bodyOf(route.config?.isDocument), response: answersOf(schema) },
    }),
  });
  app.get('/openapi.json', { schema: { hide: true } }, async (_, reply) =>
    reply.type('application/json').send(app.swagger()),
  );
}

function bodyOf(isDocument: boolean | undefined) {
  if (!isDocument) return {};
  const description = 'The configuration: YAML, or the same document as JSON. At most 256 KiB.';
  return { consumes: ['text/x-yaml', 'application/json'], body: Type.String({ description }) };
}

/** Every request can be refused, and every service can fail. */
function answersOf(schema: FastifySchema | undefined) {
  const own = (schema?.response ?? {}) as Record<string, unknown>;
  return { 200: Type.Any({ description: 'Done.' }), ...own, '4xx': refused, '5xx': failed };
}

const refused = { ...ErrorRecord, description: 'Refused: `code` says why, `hint` what to do.' };
const failed = { ...ErrorRecord, description: 'Not possible now, or a failure of the service.' };
