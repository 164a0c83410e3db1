/** Configuration documents as request bodies: which content types are read, and how a text becomes a configuration. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { type Diagnostic, printWarnings } from '../../config/diagnostics/diagnostics.ts';
import { maxDocumentBytes } from '../../config/document/source.ts';
import type { AppSpec } from '../../config/spec/spec.ts';
import { type Problem, type Result, refuse, succeed } from '../../lib/problem.ts';
import { exceedsMaximum } from '../admission/capacity.ts';
import { clientKey } from '../requests/client-address.ts';
import { orRefuse, RefusedRequest } from '../requests/errors.ts';
import { unknownParameters } from '../requests/query-parameters.ts';
import type { Limits } from '../requests/rate-limits.ts';
import { moveToQuery } from '../requests/token-places.ts';
import { type Bounds, type InputOf, type Kind, type OutputOf, refuseConfiguration } from './reading/read-document.ts';
import type { Reader } from './reading/reader.ts';

const yamlTypes = ['text/x-yaml', 'text/yaml', 'application/yaml', 'application/x-yaml', 'text/plain'];

/** How the endpoints read documents, each for the client that sends it. */
export type Documents = {
  /**
   * In this scope, bodies are parsed as the text of a document: YAML, JSON, or JSON that wraps YAML. Clients use all
   * three forms.
   */
  receive(scope: FastifyInstance): void;
  read<K extends Kind>(
    request: Pick<FastifyRequest, 'headers'>,
    kind: K,
    requested: InputOf<K>,
  ): Promise<Result<OutputOf<K>>>;
};

export function createDocuments(reader: Reader, limits: Limits, networkPool: string): Documents {
  const documents: Documents = {
    read: (request, kind, requested) => reader.read(clientKey(request, networkPool), kind, requested),
    receive(scope) {
      readBodies(scope);
      scope.addHook('preValidation', async (request, reply) => {
        const { body } = request;
        if (typeof body !== 'string') return;
        if (limits.refuseByBytes(request, reply, Buffer.byteLength(body))) return reply;
        if (!isJson(request)) return;
        const { text, otherFields } = orRefuse(orRefuse(await documents.read(request, 'unwrap', { text: body })));
        request.body = text;
        if (moveToQuery(request, otherFields) && limits.refuseByToken(request, reply)) return reply;
      });
    },
  };
  return documents;
}

function readBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  const asText = { parseAs: 'string', bodyLimit: maxDocumentBytes } as const;
  scope.addContentTypeParser([...yamlTypes, 'application/json'], asText, async (_: unknown, body: string) => body);
  scope.addContentTypeParser(
    '*',
    asText,
    async (request: { headers: { 'content-type'?: string | undefined } }, body: string) => {
      if (!request.headers['content-type']) return body;
      throw new RefusedRequest(unreadableType);
    },
  );
}

function isJson({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return /^\s*application\/json\s*(?:;|$)/i.test(headers['content-type'] ?? '');
}

const unreadableType: Problem = {
  code: 'unsupported_media_type',
  error: 'The content type of the body is not supported.',
  hint: "Send the configuration with Content-Type: text/x-yaml (curl: -H 'Content-Type: text/x-yaml' --data-binary @app.yaml).",
};

/** How a configuration in a body is to be read. */
export const Strict = Type.Optional(
  Type.Enum(['true', 'false'], { description: 'Whether a field of an unknown name is an error instead of a warning.' }),
);

/** `hasSources`: images are built from repositories that the document names. */
export type Configuration = { document: string; spec: AppSpec; findings: Findings; hasSources?: boolean };

/** Remarks on an accepted request. */
type Findings = { warnings: string[]; diagnostics: Diagnostic[] };

type DocumentRequest = Pick<FastifyRequest, 'headers' | 'body' | 'query' | 'routeOptions'> & {
  query: { strict?: string };
};

/** Returns the document with its spec and its warnings, or an error that lists all problems. */
export async function readConfiguration(
  documents: Documents,
  request: DocumentRequest,
): Promise<Result<Configuration>> {
  const { body, query } = request;
  if (typeof body !== 'string' || body.trim() === '') return emptyBody;
  const isStrict = query.strict === 'true';
  const read = await documents.read(request, 'parse', { text: body, isStrict });
  if (!read.ok) return read;
  const parsed = read.value;
  const { diagnostics } = parsed;
  const ignored = unknownParameters(request);
  if (isStrict && ignored[0]) return refuse('invalid_request', ignored[0], 'GET /docs names the parameters.');
  if (parsed.kind === 'valid') {
    const warnings = [...printWarnings(diagnostics), ...ignored];
    const { spec, hasSources } = parsed;
    return succeed({ document: body, spec, findings: { warnings, diagnostics }, hasSources });
  }
  return refuseConfiguration(parsed);
}

/** Returns an error that names the line that exceeds the bounds. */
export async function refuseBeyond(
  documents: Documents,
  request: Pick<FastifyRequest, 'headers'>,
  { document, bounds }: { document: string; bounds: Bounds },
): Promise<Result<never>> {
  const read = await documents.read(request, 'parse', { text: document, bounds });
  if (!read.ok) return read;
  return read.value.kind === 'valid' ? exceedsMaximum : refuseConfiguration(read.value);
}

export const emptyBody = refuse('invalid_request', 'The body is empty.', 'Send the configuration as the body.');
