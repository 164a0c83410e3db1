/** Validating a configuration, and the schema of one. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { fixDocument } from '../config/fix.ts';
import { parseConfiguration } from '../config/parse.ts';
import { ConfigurationSchema } from '../config/schema.ts';
import { emptyBody, printErrors, printWarnings, readDocuments } from './documents.ts';
import { sendProblem } from './errors.ts';
import { ErrorRecord } from './records.ts';

const DiagnosticRecord = Type.Object({
  severity: Type.Enum(['error', 'warning']),
  code: Type.String({ description: 'Stable and machine-readable.', examples: ['duplicate-path'] }),
  path: Type.String({ examples: ['application.pods[0].image'] }),
  line: Type.Integer({ minimum: 1 }),
  column: Type.Integer({ minimum: 1 }),
  message: Type.String(),
  hint: Type.Optional(Type.String()),
  fix: Type.Optional(
    Type.Object(
      { from: Type.Integer(), to: Type.Integer(), text: Type.String() },
      { description: 'Replaces what stands from `from` up to `to`, offsets in UTF-16 units, by `text`.' },
    ),
  ),
});

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
  fix: Type.Optional(Type.Enum(['true', 'false'], { description: 'Whether to answer a corrected document too.' })),
});

const SchemaRecord = Type.Object({}, { additionalProperties: true, description: 'A JSON Schema (2020-12).' });

export const configurationEndpoints: FastifyPluginAsyncTypebox = async (app) => {
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
    async ({ body, query }, reply) => {
      if (typeof body !== 'string' || body.trim() === '') return sendProblem(reply, emptyBody.problem);
      const parsed = parseConfiguration(body);
      const errors = printErrors(parsed.diagnostics);
      const fixed = query.fix === 'true' ? fixDocument(body, parsed) : undefined;
      // What is no YAML has nothing to answer but the error, unless a correction was asked for and found.
      const isCorrected = fixed !== undefined && fixed.text !== body;
      if (parsed.kind === 'unparsable' && !isCorrected) {
        return sendProblem(reply, {
          code: 'unparsable_yaml',
          error: `The body cannot be parsed as YAML: ${errors[0]}`,
          hint: 'Correct the YAML at this line and column.',
          errors,
        });
      }
      return {
        valid: parsed.kind === 'valid',
        errors,
        warnings: printWarnings(parsed.diagnostics),
        diagnostics: parsed.diagnostics,
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
