/** PURE. Bodies that call themselves JSON: which text in them is the configuration. */
import { readSource } from '../../../config/document/source.ts';
import { type Result, refuse, succeed } from '../../../lib/problem.ts';
import { explainJson } from '../../requests/schema-refusal.ts';
import { printErrors } from './print-diagnostics.ts';

/** `beside`: the wrapper's other fields, such as a session token; empty of a document that is sent as itself. */
export type Unwrapped = { text: string; beside: Record<string, unknown> };

/** `{ "yaml": "…" }` and `{ "yamlContent": "…" }` → their text; any other JSON is the document itself. */
export function unwrapJson(body: string): Result<Unwrapped> {
  const read = readJson(body);
  if (!read.ok) return read;
  const { value } = read;
  if (typeof value !== 'object' || value === null) return succeed({ text: body, beside: {} });
  const field = ['yaml', 'yamlContent'].find((name) => Object.hasOwn(value, name));
  if (field === undefined) return succeed({ text: body, beside: {} });
  const { [field]: text, ...beside } = value as Record<string, unknown>;
  if (typeof text === 'string') return succeed({ text, beside });
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
