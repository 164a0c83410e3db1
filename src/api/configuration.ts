/** Validating a configuration, and the schema of one. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { printDiagnostic } from '../config/diagnostics.ts';
import { parseConfiguration } from '../config/parse.ts';
import { ConfigurationSchema } from '../config/schema.ts';
import { emptyBody, printErrors, readDocuments } from './documents.ts';
import { sendProblem } from './errors.ts';
import { ErrorRecord } from './records.ts';

const ValidationRecord = Type.Object({
  valid: Type.Boolean(),
  errors: Type.Array(Type.String()),
  warnings: Type.Array(Type.String()),
});

export const configurationEndpoints: FastifyPluginAsyncTypebox = async (app) => {
  readDocuments(app);

  app.post(
    '/validate',
    {
      schema: {
        operationId: 'validateConfig',
        summary: 'Validate a configuration',
        response: { 200: ValidationRecord, '4xx': ErrorRecord },
      },
    },
    async ({ body }, reply) => {
      if (typeof body !== 'string' || body.trim() === '') return sendProblem(reply, emptyBody.problem);
      const parsed = parseConfiguration(body);
      const errors = printErrors(parsed.diagnostics);
      if (parsed.kind === 'unparsable') {
        return sendProblem(reply, {
          code: 'unparsable_yaml',
          error: `The body cannot be parsed as YAML: ${errors[0]}`,
          hint: 'Correct the YAML at this line and column.',
          errors,
        });
      }
      const warnings = parsed.diagnostics.filter(({ severity }) => severity === 'warning').map(printDiagnostic);
      return { valid: parsed.kind === 'valid', errors, warnings };
    },
  );

  app.get(
    '/schema',
    { schema: { operationId: 'getConfigSchema', summary: 'Get the JSON Schema of the configuration' } },
    async (_, reply) => reply.type('application/json').send(ConfigurationSchema),
  );
};
