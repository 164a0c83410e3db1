/** Validating a configuration, and the schema of one. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Judge } from '../config/checks.ts';
import { fixDocument } from '../config/fix.ts';
import { parseConfiguration } from '../config/parse.ts';
import { ConfigurationSchema } from '../config/schema.ts';
import type { Budget } from '../deployment/budget.ts';
import { beyond, mostOf } from '../deployment/most.ts';
import { findCaller, TokenQuery } from './callers.ts';
import { emptyBody, printErrors, printWarnings, readDocuments, Strict } from './documents.ts';
import { sendProblem } from './errors.ts';
import { unknownParameters } from './parameters.ts';
import { planOfCaller } from './plans.ts';
import { DiagnosticRecord, ErrorRecord } from './records.ts';
import type { Service } from './service.ts';

const ValidationRecord = Type.Object(
  {
    valid: Type.Boolean(),
    errors: Type.Array(Type.String()),
    warnings: Type.Array(Type.String()),
    diagnostics: Type.Array(DiagnosticRecord),
    fixed: Type.Optional(Type.String({ description: 'With `fix=true`: the document with all certain fixes applied.' })),
    fixedErrors: Type.Optional(Type.Array(Type.String(), { description: 'The errors that `fixed` still has.' })),
  },
  { description: 'Whether it can be deployed, and everything that is wrong or odd, with its place.' },
);

const ValidationQuery = Type.Object({
  ...TokenQuery.properties,
  fix: Type.Optional(Type.Enum(['true', 'false'], { description: 'Whether to answer a corrected document too.' })),
  strict: Strict,
});

const SchemaRecord = Type.Object({}, { additionalProperties: true, description: 'A JSON Schema (2020-12).' });

export function configurationEndpoints(service: Service): FastifyPluginAsyncTypebox {
  return async (app) => {
    readDocuments(app);

    app.post(
      '/validate',
      {
        config: { isDocument: true },
        schema: {
          operationId: 'validateConfig',
          summary: 'Validate a configuration',
          querystring: ValidationQuery,
          response: { 200: ValidationRecord, '4xx': ErrorRecord },
        },
      },
      async (request, reply) => {
        const { body, query } = request;
        if (typeof body !== 'string' || body.trim() === '') return sendProblem(reply, emptyBody.problem);
        const judging = { isStrict: query.strict === 'true', judge: await judgeFor(service, request, query) };
        const parsed = parseConfiguration(body, judging);
        const { diagnostics } = parsed;
        const errors = printErrors(diagnostics);
        const fixed = query.fix === 'true' ? fixDocument(body, parsed, judging) : undefined;
        // What is no YAML has nothing to answer but the error, unless a correction was asked for and found.
        const isCorrected = fixed !== undefined && fixed.text !== body;
        if (parsed.kind === 'unparsable' && !isCorrected) {
          return sendProblem(reply, {
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
          response: { 200: SchemaRecord },
        },
      },
      async (_, reply) => reply.type('application/json').send(ConfigurationSchema),
    );
  };
}

/**
 * What who asks can never be given here. No token is needed, and one that nobody knows is none. While the engine does
 * not answer, a configuration is judged without what the server has.
 */
async function judgeFor(service: Service, request: FastifyRequest, query: { sessionToken?: string }): Promise<Judge> {
  const caller = await findCaller(service, request, query);
  const plan = caller.ok ? await planOfCaller(service, caller.value) : undefined;
  const budget = await service.budget().catch(() => boundless);
  const most = mostOf(budget, service.settings.strangers, plan?.tier);
  return (spec) => beyond(spec, most);
}

const { POSITIVE_INFINITY } = Number;
const boundless: Budget = {
  memoryBytes: POSITIVE_INFINITY,
  cpuMillis: POSITIVE_INFINITY,
  diskBytes: POSITIVE_INFINITY,
  gpus: POSITIVE_INFINITY,
};
