/** PURE. Parses untrusted documents, on the main thread or a worker thread. */

import { type Diagnostic, printDiagnostic } from '../../../config/diagnostics/diagnostics.ts';
import { readSource } from '../../../config/document/source.ts';
import { fixDocument } from '../../../config/fix.ts';
import { type Judging, type Parsed, parseConfiguration } from '../../../config/parse.ts';
import type { AppSpec } from '../../../config/spec/spec.ts';
import { beyond, type Maximum, type Present } from '../../../deployment/limits/deployment-maximum.ts';
import { atPods, type MissingImage } from '../../../deployment/limits/missing-images.ts';
import { type Result, refuse, succeed } from '../../../lib/problem.ts';
import { explainJson } from '../../requests/schema-refusal.ts';

/** The limits of a configuration, and the present amounts if it is an update. */
export type Bounds = { max: Maximum; present?: Present | undefined };

type ReadInput = { text: string; isStrict?: boolean; bounds?: Bounds; missing?: MissingImage[] };

/** Arguments and results are plain data, because they cross threads. */
const readings = {
  unwrap: ({ text }: { text: string }) => unwrapJson(text),
  parse: (requested: ReadInput) => parseConfiguration(requested.text, judgingOf(requested)),
  correct(requested: ReadInput) {
    const judging = judgingOf(requested);
    const parsed = parseConfiguration(requested.text, judging);
    return { parsed, fixed: fixDocument(requested.text, parsed, judging) };
  },
};

type Readings = typeof readings;
export type Kind = keyof Readings;
export type InputOf<K extends Kind> = Parameters<Readings[K]>[0];
export type OutputOf<K extends Kind> = ReturnType<Readings[K]>;

export type ReadRequest<K extends Kind = Kind> = { kind: K; input: InputOf<K> };

export function read<K extends Kind>({ kind, input }: ReadRequest<K>): OutputOf<K> {
  return (readings[kind] as (requested: InputOf<K>) => OutputOf<K>)(input);
}

function judgingOf({ isStrict = false, bounds, missing = [] }: ReadInput): Judging {
  const tooMuch = (spec: AppSpec) => (bounds ? beyond(spec, bounds.max, bounds.present) : []);
  return { isStrict, judge: (spec) => [...tooMuch(spec), ...atPods(spec, missing)] };
}

/** Bodies that call themselves JSON: which text in them is the configuration. */

/** `otherFields`: the wrapper's other fields, such as a session token. Empty if the document is not wrapped. */
type Unwrapped = { text: string; otherFields: Record<string, unknown> };

/** `{ "yaml": "…" }` and `{ "yamlContent": "…" }` → their text; any other JSON is the document itself. */
function unwrapJson(body: string): Result<Unwrapped> {
  const read = readJson(body);
  if (!read.ok) return read;
  const { value } = read;
  if (typeof value !== 'object' || value === null) return succeed({ text: body, otherFields: {} });
  const field = ['yaml', 'yamlContent'].find((name) => Object.hasOwn(value, name));
  if (field === undefined) return succeed({ text: body, otherFields: {} });
  const { [field]: text, ...otherFields } = value as Record<string, unknown>;
  if (typeof text === 'string') return succeed({ text, otherFields });
  return refuse(
    'invalid_request',
    `"${field}" in the body must be a string that holds the configuration.`,
    `Send {"${field}": "application:\\n  name: …"}, or the document itself as JSON.`,
  );
}

/** Invalid JSON may be YAML with a JSON content type. A broken `{` was meant as JSON. */
function readJson(body: string): Result<unknown> {
  try {
    return succeed(JSON.parse(body));
  } catch {
    if (!/^\s*\{/.test(body)) return succeed(undefined);
    // Invalid JSON may be valid YAML. If it is neither, the YAML parser's positions are reported.
    const { source, diagnostics } = readSource(body);
    if (source) return succeed(undefined);
    const { problem } = refuse(
      'unparsable_yaml',
      `The body is not valid JSON. ${explainJson(body)}`.trim(),
      'Correct it, or send YAML with Content-Type: text/x-yaml.',
    );
    return { ok: false, problem: { ...problem, errors: printErrors(diagnostics), diagnostics } };
  }
}

/** Diagnostics as the sentences of the interface. */

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
