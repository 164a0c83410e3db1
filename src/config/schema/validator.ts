/**
 * Validates documents against the schema. Bundles for browsers and for the command contain a compiled version:
 * `scripts/compiled-validator.ts`.
 */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { type Configuration, ConfigurationSchema } from './schema.ts';

/** Reports all violations at once, each with the violated part of the schema. */
export const validatorOptions = { allErrors: true, verbose: true, strict: false } as const;

/** Compiled on first use, because it takes 0.2 s of processor time, and many processes never read a document. */
let compiled: ValidateFunction<Configuration> | undefined;

export function configurationValidator(): ValidateFunction<Configuration> {
  compiled ??= new Ajv2020(validatorOptions).compile<Configuration>(ConfigurationSchema);
  return compiled;
}
