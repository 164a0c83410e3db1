/** The document against its schema: every violation as a diagnostic in words, all at once. */
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import type { Diagnostic, Path } from './diagnostics.ts';
import { printPath } from './diagnostics.ts';
import { type Configuration, ConfigurationSchema } from './schema.ts';
import type { Source } from './source.ts';

const validate = new Ajv2020({ allErrors: true, verbose: true, strict: false }).compile<Configuration>(
  ConfigurationSchema,
);

/** Diagnostics of the shape; a document without an error among them is a `Configuration`. */
export function checkShape(source: Source): Diagnostic[] {
  const value = source.value;
  const misplaced = checkTopLevel(value, source);
  if (misplaced.length > 0) return misplaced;
  if (validate(value)) return [];
  return (validate.errors ?? []).filter(isOutermost).map((error) => toDiagnostic(error, source));
}

/** The forms that people mistake for this one get a message of their own (design, section 10). */
function checkTopLevel(value: unknown, source: Source): Diagnostic[] {
  const complain = (code: string, message: string, hint: string, key?: string): Diagnostic[] => [
    { severity: 'error', code, path: key ?? '', ...source.place([], key), message, hint },
  ];
  const example = 'begin with "application:", then "name:" and "pods:" below it';
  if (value === null || value === undefined) return complain('empty', 'the document is empty', example);
  if (typeof value !== 'object' || Array.isArray(value)) {
    return complain('not-a-map', 'the document must be a map', example);
  }
  if (!('application' in value)) return complain('no-application', 'there is no "application"', example);
  if ('pods' in value) {
    return complain('misplaced-pods', '"pods" stands beside "application"', 'indent it below "application"', 'pods');
  }
  const { application } = value;
  if (typeof application === 'object' && application !== null && 'template' in application) {
    const hint = 'write "name" and "pods" directly below "application", each pod with "image" and "servicePorts"';
    return complain('old-template-form', 'the form "application.template" is no longer read', hint, 'application');
  }
  return [];
}

/** Inside a union every branch complains; the union's own error says it in words. */
function isOutermost({ keyword, schemaPath }: ErrorObject): boolean {
  const depth = schemaPath.split('/').filter((part) => part === 'anyOf').length;
  return keyword === 'anyOf' ? depth === 1 : depth === 0;
}

function toDiagnostic(error: ErrorObject, source: Source): Diagnostic {
  const path = toPath(error.instancePath, source.value);
  if (error.keyword === 'additionalProperties') {
    const field: string = error.params.additionalProperty;
    return {
      severity: 'warning',
      code: 'unknown-field',
      path: printPath([...path, field]),
      ...source.place(path, field),
      message: 'is not a field of the configuration and is ignored',
    };
  }
  if (error.keyword === 'required') {
    const field: string = error.params.missingProperty;
    return {
      severity: 'error',
      code: 'missing-field',
      path: printPath([...path, field]),
      ...source.place(path),
      message: 'is missing',
      ...(error.parentSchema?.properties?.[field]?.examples && {
        hint: `for example ${JSON.stringify(error.parentSchema.properties[field].examples[0])}`,
      }),
    };
  }
  const printed = error.keyword === 'anyOf' || error.keyword === 'pattern' ? printValue(error.data) : '';
  return {
    severity: 'error',
    code: `bad-${error.keyword.toLowerCase()}`,
    path: printPath(path),
    ...source.place(path),
    message: `${printed}${error.parentSchema?.['x-says'] ?? error.message ?? 'is not valid'}`,
  };
}

/** A short scalar is repeated to its writer; anything longer could be a secret in the wrong place. */
function printValue(value: unknown): string {
  return typeof value === 'string' && value.length <= 64 ? `${JSON.stringify(value)} ` : '';
}

/** JSON pointer → segments, with list positions as numbers. */
function toPath(pointer: string, value: unknown): Path {
  let node = value;
  return pointer
    .split('/')
    .slice(1)
    .map((part) => {
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
      const segment = Array.isArray(node) ? Number(name) : name;
      node = (node as Record<string | number, unknown> | undefined)?.[segment];
      return segment;
    });
}
