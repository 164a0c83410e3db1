/** The way in: a text → diagnostics and, when none of them is an error, an AppSpec. */
import { checkBuilds } from './checks/build-checks.ts';
import { applyJudge, applyRules, type Judge } from './checks/checks.ts';
import { checkLengths } from './checks/length-checks.ts';
import { isCompose, readCompose } from './compose/compose.ts';
import { type Diagnostic, limitDiagnostics } from './diagnostics/diagnostics.ts';
import { openReport } from './diagnostics/report.ts';
import { maxDocumentBytes, readSource, type Source } from './document/source.ts';
import { kubernetesHint, kubernetesMessage } from './document/syntax.ts';
import { convertManifests } from './kubernetes/convert.ts';
import { isManifestText, readManifests } from './kubernetes/manifests.ts';
import { normalise } from './native/normalise.ts';
import { reportMistakenForm } from './native/other-forms.ts';
import { checkShape } from './native/shape.ts';
import type { AppSpec } from './spec/spec.ts';
import { resolveVariables } from './variables/variables.ts';

export type Parsed =
  /** `hasSources`: images are built from repositories that the document names. Until then, their ports are unknown. */
  | { kind: 'valid'; spec: AppSpec; diagnostics: Diagnostic[]; hasSources: boolean }
  | { kind: 'invalid'; diagnostics: Diagnostic[] }
  /** The text is not YAML. */
  | { kind: 'unparsable'; diagnostics: Diagnostic[] };

/** Options of the check. */
export type Judging = {
  /** Whether a field of an unknown name is an error; otherwise it is a warning. */
  isStrict?: boolean;
  /** Adds the checks of a service, which depend on its capacity. */
  judge?: Judge;
};

/** Never throws. Returns all problems at once, in document order. Warnings do not make a document invalid. */
export function parseConfiguration(text: string, { isStrict = false, judge }: Judging = {}): Parsed {
  const manifests = explainManifests(text);
  if (manifests) return { kind: 'invalid', diagnostics: limitDiagnostics(manifests) };
  const { source, diagnostics: syntax } = readSource(text);
  if (!source) return { kind: 'unparsable', diagnostics: limitDiagnostics(syntax) };

  const read = isCompose(source) ? readCompose(source, judge) : readNative(source, judge);
  const { spec } = read;
  const builds = checkBuilds(source);
  const { hasSources } = builds;
  const found = [...read.diagnostics, ...builds.diagnostics];
  const diagnostics = isStrict ? found.map(strictly) : found;
  const isValid = !diagnostics.some(({ severity }) => severity === 'error');
  const reported = limitDiagnostics(diagnostics);
  if (!isValid || !spec) return { kind: 'invalid', diagnostics: reported };
  return { kind: 'valid', spec, diagnostics: reported, hasSources };
}

function strictly(diagnostic: Diagnostic): Diagnostic {
  return diagnostic.code === 'unknown-field' ? { ...diagnostic, severity: 'error' } : diagnostic;
}

function readNative(source: Source, judge: Judge | undefined): { spec?: AppSpec; diagnostics: Diagnostic[] } {
  const report = openReport(source);
  if (reportMistakenForm(source, report)) return report;
  checkShape(source, report);
  const { spec, origin } = normalise(source, report);
  applyRules(spec, origin, source, report);
  applyJudge(spec, origin, report, judge);
  const resolved = resolveVariables(spec, origin, report);
  checkLengths(resolved, origin, report);
  return { spec: resolved, diagnostics: report.diagnostics };
}

/** Kubernetes manifests in place of a configuration: the refusal, with the converted document as its fix. Pure. */

/** Undefined if the text has another form or is not valid YAML. */
function explainManifests(text: string): Diagnostic[] | undefined {
  if (text.length > maxDocumentBytes || !isManifestText(text)) return undefined;
  const manifests = readManifests(text);
  if (!manifests || manifests.length === 0) return undefined;
  const line = text.slice(0, text.search(/^\W{0,3}apiVersion/m)).split('\n').length;
  const refusal = { severity: 'error', code: 'foreign-form', path: '', line, column: 1 } as const;
  const converted = convertManifests(manifests);
  if (!converted) return [{ ...refusal, message: kubernetesMessage, hint: kubernetesHint }];
  const { pods, missing } = converted;
  return [
    {
      ...refusal,
      message: `${kubernetesMessage}, not a configuration`,
      hint: `deploy the converted configuration with ${pods === 1 ? 'one pod' : `${pods} pods`}: POST /validate?fix=true returns it as "fixed"`,
      fix: { from: 0, to: text.length, text: converted.text },
    },
    ...missing.map(
      (what): Diagnostic => ({
        severity: 'warning',
        code: 'not-converted',
        path: '',
        line,
        column: 1,
        message: `not in the converted configuration: ${what}`,
      }),
    ),
  ];
}
