/** Validating a configuration, and the schema of one. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { printWarnings } from '../../config/diagnostics/diagnostics.ts';
import { nearestName } from '../../config/diagnostics/suggest.ts';
import type { Parsed } from '../../config/parse.ts';
import { ConfigurationSchema } from '../../config/schema/schema.ts';
import { type AppSpec, imagesOf, loginFor } from '../../config/spec/spec.ts';
import { repositoryOf, shortNameOf } from '../../config/values/image-names.ts';
import { readPushedName } from '../../config/values/pushed-image.ts';
import { maximumOf } from '../../deployment/limits/deployment-maximum.ts';
import type { Budget } from '../../deployment/limits/host-budget.ts';
import type { MissingImage } from '../../deployment/limits/missing-images.ts';
import { ImageFault } from '../../images/image-fault.ts';
import { type Result, succeed } from '../../lib/problem.ts';
import { planOf } from '../admission/plans.ts';
import type { Service } from '../api-service.ts';
import { DiagnosticRecord, ErrorRecord } from '../deployments/deployment-schemas.ts';
import { findCaller, TokenQuery } from '../requests/callers.ts';
import { orRefuse, RefusedRequest } from '../requests/errors.ts';
import { unknownParameters } from '../requests/query-parameters.ts';
import type { Limits } from '../requests/rate-limits.ts';
import { type Documents, emptyBody, Strict } from './documents.ts';
import { type Bounds, type InputOf, type OutputOf, printErrors } from './reading/read-document.ts';

const ValidationRecord = Type.Object(
  {
    valid: Type.Boolean(),
    errors: Type.Array(Type.String()),
    warnings: Type.Array(Type.String()),
    diagnostics: Type.Array(DiagnosticRecord),
    images: Type.Enum(['checked', 'not checked'], {
      description:
        'Whether the server checked that the images exist. With `images=true`, it checks up to 20 images of a valid configuration.',
    }),
    fixed: Type.Optional(Type.String({ description: 'With `fix=true`: the document with all certain fixes applied.' })),
    fixedErrors: Type.Optional(Type.Array(Type.String(), { description: 'The errors that `fixed` still has.' })),
  },
  { description: 'Whether the configuration can be deployed, with all errors and warnings.' },
);

const ValidationQuery = Type.Object({
  ...TokenQuery.properties,
  fix: Type.Optional(Type.Enum(['true', 'false'], { description: 'Whether to answer a corrected document too.' })),
  images: Type.Optional(
    Type.Enum(['true', 'false'], { description: 'Whether to look if this server can get the images.' }),
  ),
  strict: Strict,
});

const SchemaRecord = Type.Object({}, { additionalProperties: true, description: 'A JSON Schema (2020-12).' });

export function configurationEndpoints(
  service: Service,
  documents: Documents,
  limits: Pick<Limits, 'allowsImages'>,
): FastifyPluginAsyncTypebox {
  return async (app) => {
    documents.receive(app);

    app.post(
      '/validate',
      {
        config: { isDocument: true, changesNothing: true },
        schema: {
          operationId: 'validateConfig',
          summary: 'Validate a configuration',
          tags: ['configuration'],
          description: 'Returns all errors and warnings of the configuration with line, column, and often a fix.',
          access: 'optional',
          refusals: ['unparsable_yaml'],
          querystring: ValidationQuery,
          response: { 200: ValidationRecord, '4xx': ErrorRecord, 503: ErrorRecord },
        },
      },
      async (request) => {
        const { body, query } = request;
        if (typeof body !== 'string' || body.trim() === '') throw new RefusedRequest(emptyBody.problem);
        const bounds = await boundsFor(service, request, query);
        const requested = { text: body, isStrict: query.strict === 'true', bounds };
        const isFixing = query.fix === 'true';
        const first = orRefuse(await readFor(documents, request, requested, isFixing));
        const spec = query.images === 'true' && first.parsed.kind === 'valid' ? first.parsed.spec : undefined;
        const mayLook = (images: number) => limits.allowsImages(request, images);
        const missing = spec && (await findMissingImages(service, spec, mayLook));
        const { parsed, fixed } = missing?.length
          ? orRefuse(await readFor(documents, request, { ...requested, missing }, isFixing))
          : first;
        const { diagnostics } = parsed;
        const errors = printErrors(diagnostics);
        // For invalid YAML, only the error is returned, unless a requested correction was found.
        const isCorrected = fixed !== undefined && fixed.text !== body;
        if (parsed.kind === 'unparsable' && !isCorrected) {
          throw new RefusedRequest({
            code: 'unparsable_yaml',
            error: `The body cannot be parsed as YAML: ${errors[0]}`,
            hint: 'Correct the YAML at this line and column.',
            errors,
            diagnostics,
          });
        }
        return {
          valid: parsed.kind === 'valid',
          errors,
          warnings: [...printWarnings(diagnostics), ...unknownParameters(request)],
          diagnostics,
          images: missing ? ('checked' as const) : ('not checked' as const),
          ...(fixed && { fixed: fixed.text, fixedErrors: printErrors(fixed.parsed.diagnostics) }),
        };
      },
    );

    app.get(
      '/schema',
      {
        schema: {
          operationId: 'getConfigSchema',
          summary: 'Get the JSON Schema of the configuration',
          tags: ['configuration'],
          description: 'For editors and generators. The service also accepts Compose files.',
          access: 'public',
          response: { 200: SchemaRecord },
        },
      },
      async (_, reply) => reply.type('application/json').send(ConfigurationSchema),
    );
  };
}

async function readFor(
  documents: Documents,
  request: FastifyRequest,
  requested: InputOf<'parse'>,
  isCorrected: boolean,
): Promise<Result<{ parsed: Parsed; fixed?: OutputOf<'correct'>['fixed'] }>> {
  if (isCorrected) return await documents.read(request, 'correct', requested);
  const read = await documents.read(request, 'parse', requested);
  return read.ok ? succeed({ parsed: read.value }) : read;
}

/**
 * The bounds that the caller can never exceed. A token is optional, and an unknown one is ignored. While the engine
 * does not answer, the server's capacity is left out.
 */
async function boundsFor(service: Service, request: FastifyRequest, query: { sessionToken?: string }): Promise<Bounds> {
  const caller = await findCaller(service, request, query);
  const { db, settings } = service;
  // A claimed session counts too: an update with its token uses the account's plan.
  const plan = caller.ok ? await planOf(db, settings.tiers, caller.value?.accountId) : undefined;
  const budget = await service.budget().catch(() => boundless);
  return { max: maximumOf(budget, service.settings.strangers, plan?.tier) };
}

const { POSITIVE_INFINITY } = Number;
const boundless: Budget = {
  memoryBytes: POSITIVE_INFINITY,
  cpuMillis: POSITIVE_INFINITY,
  diskBytes: POSITIVE_INFINITY,
  gpus: POSITIVE_INFINITY,
};

/**
 * Checks whether this server can get the images of a configuration, and suggests a similar name for a missing image.
 */

/** A registry that does not answer in this time is reported as unreachable. */
const patienceMs = 5_000;

/** Each image is a request to a registry that a stranger names. */
const maxImages = 20;

/**
 * Undefined if the images are not checked: nodes pull their images themselves, there are too many images, or `mayLook`
 * refuses so many lookups.
 */
async function findMissingImages(
  service: Service,
  spec: AppSpec,
  mayLook: (images: number) => boolean,
): Promise<MissingImage[] | undefined> {
  const { engine, registries, settings } = service;
  const images = imagesOf(spec).filter((image) => readPushedName(image, settings.baseUrl.host) === undefined);
  if (!engine.images || !registries || images.length > maxImages || !mayLook(images.length)) return undefined;
  const signal = AbortSignal.timeout(patienceMs);
  const checked = await Promise.all(
    images.map(async (image): Promise<MissingImage[]> => {
      // An image that passed the gate for another tenant may be private: only the operator's are for everyone.
      if ((await engine.findImage(image))?.isOperators) return [];
      const registryLogin = loginFor(image, spec.registryLogin);
      try {
        await registries.digestOf({ image, ...(registryLogin && { registryLogin }) }, signal);
        return [];
      } catch (error) {
        if (!(error instanceof ImageFault) && !signal.aborted) throw error;
        const because = error instanceof ImageFault ? error.message : `The registry of ${image} does not answer.`;
        return [{ image, because, hint: await hintFor(image, engine) }];
      }
    }),
  );
  return checked.flat();
}

async function hintFor(image: string, engine: Service['engine']): Promise<string> {
  const nearest = await nearestHere(image, engine);
  return nearest === undefined
    ? 'name an image that its registry has, or push it to this server'
    : `this server has ${nearest}`;
}

/** Returns the operator's image with the most similar name, from the same repository or with the same last part. */
async function nearestHere(image: string, engine: Service['engine']): Promise<string | undefined> {
  const tags = ((await engine.images?.list()) ?? []).flatMap((here) => here.tags);
  const alike = tags.filter((tag) => shortNameOf(tag) === shortNameOf(image));
  const found = await Promise.all(alike.map(async (tag) => ((await engine.findImage(tag))?.isOperators ? [tag] : [])));
  const ours = found.flat();
  const same = ours.filter((tag) => repositoryOf(tag) === repositoryOf(image));
  const candidates = same.length > 0 ? same : ours;
  return nearestName(image, candidates) ?? candidates[0];
}
