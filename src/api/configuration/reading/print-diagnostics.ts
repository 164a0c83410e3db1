/** PURE. Diagnostics as the sentences of the interface. */
import { type Diagnostic, printDiagnostic } from '../../../config/diagnostics/diagnostics.ts';
import type { Parsed } from '../../../config/parse.ts';
import { refuse } from '../../../lib/problem.ts';

/** The refusal that lists every error. */
export function refuseConfiguration({ kind, diagnostics }: Exclude<Parsed, { kind: 'valid' }>) {
  const errors = printErrors(diagnostics);
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  const { problem } = refuse(
    kind === 'unparsable' ? 'unparsable_yaml' : 'invalid_configuration',
    `The configuration is not valid: ${errors[0]}${more}`,
    diagnostics.some(({ severity, fix }) => severity === 'error' && fix)
      ? 'POST /validate?fix=true returns the configuration with all safe fixes as "fixed".'
      : 'Correct the lines in "errors". POST /validate checks a configuration without deploying it.',
  );
  return { ok: false as const, problem: { ...problem, errors, diagnostics } };
}

export function printErrors(diagnostics: Diagnostic[]): string[] {
  return diagnostics.filter(({ severity }) => severity === 'error').map(printDiagnostic);
}
