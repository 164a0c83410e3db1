/** The way in: a text → diagnostics and, when none of them is an error, an AppSpec. */
import { checkLengths } from './checks/lengths.ts';
import { applyRules } from './checks.ts';
import { isCompose, readCompose } from './compose/compose.ts';
import { type Diagnostic, limitDiagnostics } from './diagnostics.ts';
import { reportMistakenForm } from './mistakes.ts';
import { normalise } from './normalise.ts';
import { openReport } from './report.ts';
import { checkShape } from './shape.ts';
import { readSource, type Source } from './source.ts';
import type { AppSpec } from './spec.ts';
import { resolveVariables } from './variables.ts';

export type Parsed =
  | { kind: 'valid'; spec: AppSpec; diagnostics: Diagnostic[] }
  | { kind: 'invalid'; diagnostics: Diagnostic[] }
  /** Not YAML at all. */
  | { kind: 'unparsable'; diagnostics: Diagnostic[] };

export type Strictness = {
  /** Whether a field of an unknown name is an error; otherwise it is a warning. */
  isStrict?: boolean;
};

/** Never throws. All problems at once, in document order; warnings never make a document invalid. */
export function parseConfiguration(text: string, { isStrict = false }: Strictness = {}): Parsed {
  const { source, diagnostics: syntax } = readSource(text);
  if (!source) return { kind: 'unparsable', diagnostics: limitDiagnostics(syntax) };

  const read = isCompose(source) ? readCompose(source) : readNative(source);
  const { spec } = read;
  const diagnostics = isStrict ? read.diagnostics.map(strictly) : read.diagnostics;
  const isValid = !diagnostics.some(({ severity }) => severity === 'error');
  const reported = limitDiagnostics(diagnostics);
  return isValid && spec ? { kind: 'valid', spec, diagnostics: reported } : { kind: 'invalid', diagnostics: reported };
}

function strictly(diagnostic: Diagnostic): Diagnostic {
  return diagnostic.code === 'unknown-field' ? { ...diagnostic, severity: 'error' } : diagnostic;
}

function readNative(source: Source): { spec?: AppSpec; diagnostics: Diagnostic[] } {
  const report = openReport(source);
  if (reportMistakenForm(source, report)) return report;
  checkShape(source, report);
  const { spec, origin } = normalise(source, report);
  applyRules(spec, origin, source, report);
  const resolved = resolveVariables(spec, origin, report);
  checkLengths(resolved, origin, report);
  return { spec: resolved, diagnostics: report.diagnostics };
}
