/** The description of the API (OpenAPI 3.1), made from the schemas that check the requests. */
import swagger from '@fastify/swagger';
import type { FastifyInstance, FastifySchema } from 'fastify';
import stringify from 'safe-stable-stringify';
import { Type } from 'typebox';
import { signInCookiePrefix } from '../../lib/sign-in-cookie.ts';
import { AccountRecord, SignInMethodsRecord } from '../account/account-endpoints.ts';
import { ApiKeyRecord } from '../account/api-key-endpoints.ts';
import { signInPaths } from '../account/sign-in-paths.ts';
import { LimitsRecord } from '../admission/quota-endpoints.ts';
import type { ApiSettings } from '../api-service.ts';
import { ClaimedRecord, ClaimViewRecord } from '../claims/claim-endpoints.ts';
import { DomainRecord } from '../custom-domains/domain-records.ts';
import * as records from '../deployments/deployment-schemas.ts';
import { ErrorRecord } from '../deployments/deployment-schemas.ts';
import { PreviewFields } from '../deployments/previewed-update.ts';
import { OutlineRecord } from '../deployments/revision-endpoints.ts';
import { RunRecord } from '../deployments/run-endpoints.ts';
import { NotificationsRecord } from '../notifications/notification-endpoints.ts';
import { ApplicationFields, TokenBody } from '../requests/callers.ts';
import { SharedStatusRecord } from '../sharing/share-endpoints.ts';
import { RestoreRecord, SnapshotRecord } from '../volume-snapshots/snapshot-records.ts';
import { completePaths, type OperationNote, type Paths, tagList } from './complete.ts';
import { eventComponents } from './event-components.ts';
import { type Described, shareParts } from './shared-parts.ts';
import { shortDescription } from './short-description.ts';

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
      const text = texts.get(examples) ?? JSON.stringify(examples ? shareParts(whole()) : shortDescription(whole()));
      texts.set(examples, text);
      return reply.type('application/json').send(text);
    },
  );
}

/** Describes each operation with its own parameters and error responses. The app is ready. */
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

/** Turns repeated schemas of a description into named components with references. */

/**
 * `named`: the schemas with names. Each exact occurrence in the description is replaced with a reference. `schemas`
 * contains the ones that were found.
 */
function withComponents<T extends object>(
  description: T,
  named: { [name: string]: object },
): { description: T; schemas: { [name: string]: object } } {
  const nameOf = new Map(Object.entries(named).map(([name, schema]) => [canonical(schema), name]));
  const schemas: { [name: string]: object } = {};
  const replace = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(replace);
    if (typeof value !== 'object' || value === null) return value;
    const name = nameOf.get(canonical(value));
    if (name === undefined) return replaceWithin(value);
    schemas[name] ??= replaceWithin(value);
    return { $ref: `#/components/schemas/${name}` };
  };
  const replaceWithin = (value: object): object =>
    Object.fromEntries(
      // Examples are not schemas, even if they look like one.
      Object.entries(value).map(([key, inner]) => [key, key.startsWith('example') ? inner : replace(inner)]),
    );
  return { description: replaceWithin(description) as T, schemas: sorted(schemas) };
}

/** The framework describes `const: 1` as `enum: [1]`. */
function canonical(schema: object): string {
  return stringify(schema, (_, value) => {
    if (typeof value !== 'object' || value === null || !('const' in value)) return value;
    const { const: only, ...rest } = value;
    return { ...rest, enum: [only] };
  })!;
}

/** Sorts independently of the machine's locale. */
function sorted<T>(values: { [key: string]: T }): { [key: string]: T } {
  return Object.fromEntries(Object.entries(values).sort(([a], [b]) => a.localeCompare(b, 'en')));
}

/** The component names of schemas that occur in several places. */

const { DeploymentRecord, RemarkFields, ReservationRecord, StartRecord, UpdateRecord } = records;

const namedSchemas = {
  Account: AccountRecord,
  Advice: records.StatusRecord.properties.advice,
  Application: ApplicationFields,
  Claimed: ClaimedRecord,
  ClaimView: ClaimViewRecord,
  Deployment: DeploymentRecord,
  DeploymentStatus: DeploymentRecord.properties.status,
  Diagnostic: records.DiagnosticRecord,
  Domain: DomainRecord,
  Error: records.ErrorRecord,
  ErrorWithChallenge: records.ProofRequiredRecord,
  DryRun: records.DryRunRecord,
  Extend: StartRecord.properties.extend,
  Key: ApiKeyRecord,
  Limits: LimitsRecord,
  Links: StartRecord.properties.links,
  Message: records.MessageRecord,
  Notifications: NotificationsRecord,
  OutlinedPod: OutlineRecord.properties.pods.items,
  Pod: records.PodRecord,
  PodChange: PreviewFields.pods.items,
  Reservation: ReservationRecord,
  Restore: RestoreRecord,
  Run: RunRecord,
  Session: TokenBody,
  SharedStatus: SharedStatusRecord,
  SignInMethods: SignInMethodsRecord,
  Snapshot: SnapshotRecord,
  Started: StartRecord,
  Status: records.StatusRecord,
  Updated: UpdateRecord,
};

/** Fields of many shapes. The pages of the documentation and the types of the client repeat them. */
const namedFields = {
  ApplicationName: ApplicationFields.properties.applicationName,
  BuildSource: records.DryRunRecord.properties.source,
  Diagnostics: RemarkFields.diagnostics,
  Environment: ApplicationFields.properties.environment,
  Health: records.StatusRecord.properties.health,
  IgnoredParameters: records.Warnings,
  LastExit: records.PodRecord.properties.lastExit,
  LastLines: records.StatusRecord.properties.lastLines,
  NotificationKinds: NotificationsRecord.properties.mail,
  SessionToken: TokenBody.properties.sessionToken,
  Warnings: RemarkFields.warnings,
};
