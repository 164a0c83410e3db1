/**
 * Validates documents against the schema. Bundles for browsers and for the command contain a compiled version:
 * `scripts/compiled-validator.ts`.
 */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { type Configuration, ConfigurationSchema } from './schema.ts';

/** All violations at once, each with the part of the schema that it violates. */
export const validatorOptions = { allErrors: true, verbose: true, strict: false } as const;

/** Compiled when the first document comes: that takes 0.2 s of processor, and many a process reads none. */
let compiled: ValidateFunction<Configuration> | undefined;

export function configurationValidator(): ValidateFunction<Configuration> {
  compiled ??= new Ajv2020(validatorOptions).compile<Configuration>(ConfigurationSchema);
  return compiled;
}
