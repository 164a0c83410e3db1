/** Configuration documents as request bodies: which content types are read, and how a text becomes a configuration. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { type Diagnostic, printDiagnostic } from '../config/diagnostics.ts';
import { type Parsed, parseConfiguration } from '../config/parse.ts';
import { maxDocumentBytes, readSource } from '../config/source.ts';
import type { AppSpec } from '../config/spec.ts';
import { type Problem, type Result, refuse, succeed } from '../lib/problem.ts';
import { RefusedRequest } from './errors.ts';
import { unknownParameters } from './parameters.ts';
import { explainJson } from './validation.ts';

const yamlTypes = ['text/x-yaml', 'text/yaml', 'application/yaml', 'application/x-yaml', 'text/plain'];

/** In this scope bodies arrive as the document's text: YAML, JSON, or JSON that wraps YAML (public clients send all). */
export function readDocuments(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  const asText = { parseAs: 'string', bodyLimit: maxDocumentBytes } as const;
  scope.addContentTypeParser(yamlTypes, asText, async (_: unknown, body: string) => body);
  scope.addContentTypeParser('application/json', asText, async (_: unknown, body: string) => unwrap(body));
  scope.addContentTypeParser(
    '*',
    asText,
    async (request: { headers: { 'content-type'?: string | undefined } }, body: string) => {
      if (!request.headers['content-type']) return body;
      throw new RefusedRequest(unreadableType);
    },
  );
}

const unreadableType: Problem = {
  code: 'unsupported_media_type',
  error: 'The body has a content type that is not read here.',
  hint: "Send the configuration with Content-Type: text/x-yaml (curl: -H 'Content-Type: text/x-yaml' --data-binary @app.yaml).",
};

/** `{ "yaml": "…" }` and `{ "yamlContent": "…" }` → their text; any other JSON is the document itself. */
function unwrap(body: string): string {
  const value = readJson(body);
  if (typeof value !== 'object' || value === null) return body;
  const field = ['yaml', 'yamlContent'].find((name) => Object.hasOwn(value, name));
  if (field === undefined) return body;
  const text: unknown = value[field as keyof typeof value];
  if (typeof text === 'string') return text;
  throw new RefusedRequest({
    code: 'invalid_request',
    error: `"${field}" in the body must be a text that holds the configuration.`,
    hint: `Send {"${field}": "application:\\n  name: …"}, or the document itself as JSON.`,
  });
}

/** What is no JSON may be YAML that calls itself JSON; a broken `{` was meant as JSON. */
function readJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    if (!/^\s*\{/.test(body)) return undefined;
    // What is no JSON may be read as YAML; what is neither is told with the places that the reader of YAML knows.
    const { source, diagnostics } = readSource(body);
    if (source) return undefined;
    throw new RefusedRequest({
      code: 'unparsable_yaml',
      error: `The body is not valid JSON. ${explainJson(body)}`.trim(),
      hint: 'Correct it, or send YAML with Content-Type: text/x-yaml.',
      errors: printErrors(diagnostics),
      diagnostics,
    });
  }
}

/** How a configuration in a body is to be read. */
export const Strict = Type.Optional(
  Type.Enum(['true', 'false'], { description: 'Whether a field of an unknown name is an error instead of a warning.' }),
);

export type Configuration = { document: string; spec: AppSpec; remarks: Remarks };

/** What is odd about a request that is accepted all the same. */
export type Remarks = { warnings: string[]; diagnostics: Diagnostic[] };

type DocumentRequest = Pick<FastifyRequest, 'body' | 'query' | 'routeOptions'> & { query: { strict?: string } };

/** The document with its spec and what is to be said of it, or the refusal that lists every error. */
export function readConfiguration(request: DocumentRequest): Result<Configuration> {
  const { body, query } = request;
  if (typeof body !== 'string' || body.trim() === '') return emptyBody;
  const isStrict = query.strict === 'true';
  const parsed = parseConfiguration(body, { isStrict });
  const { diagnostics } = parsed;
  const ignored = unknownParameters(request);
  if (isStrict && ignored[0]) return refuse('invalid_request', ignored[0], 'GET /docs names the parameters.');
  if (parsed.kind === 'valid') {
    const warnings = [...printWarnings(diagnostics), ...ignored];
    return succeed({ document: body, spec: parsed.spec, remarks: { warnings, diagnostics } });
  }
  return refuseConfiguration(parsed);
}

/** The refusal that lists every error. */
export function refuseConfiguration({ kind, diagnostics }: Exclude<Parsed, { kind: 'valid' }>) {
  const errors = printErrors(diagnostics);
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  const { problem } = refuse(
    kind === 'unparsable' ? 'unparsable_yaml' : 'invalid_configuration',
    `The configuration is not valid: ${errors[0]}${more}`,
    'Correct the lines in "errors"; POST /validate checks a configuration without deploying it.',
  );
  return { ok: false as const, problem: { ...problem, errors, diagnostics } };
}

export const emptyBody = refuse('invalid_request', 'The body is empty.', 'Send the configuration as the body.');

export function printErrors(diagnostics: Diagnostic[]): string[] {
  return diagnostics.filter(({ severity }) => severity === 'error').map(printDiagnostic);
}

export function printWarnings(diagnostics: Diagnostic[]): string[] {
  return diagnostics.filter(({ severity }) => severity === 'warning').map(printDiagnostic);
}
