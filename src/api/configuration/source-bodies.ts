/** Sources of requests, archives and repositories: received to disk, and read as the configuration that they contain. */
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { archiveFormat, magicBytes } from '../../builds/archive-format.ts';
import { mostSourceBytes, type Source } from '../../builds/sources.ts';
import { maxDocumentBytes } from '../../config/document/source.ts';
import { type Problem, type Result, succeed } from '../../lib/problem.ts';
import type { Service } from '../api-service.ts';
import { clientKey } from '../requests/client-address.ts';
import { orRefuse, RefusedRequest } from '../requests/errors.ts';
import { type Configuration, type Documents, readConfiguration } from './documents.ts';
import { fetchGit, type GitRequest, goneOf, notOffered } from './git-sources.ts';

const archiveTypes = [
  ...['application/gzip', 'application/x-gzip', 'application/x-gtar', 'application/x-compressed-tar'],
  ...['application/zstd', 'application/x-tar', 'application/zip', 'application/x-zip-compressed'],
];
/** The type that curl sends for `--data-binary`, and that other clients send for files of an unknown type. */
const vagueTypes = ['application/x-www-form-urlencoded', 'application/octet-stream'];

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Its body may be a source archive, which takes longer to arrive. */
    takesSources?: boolean;
  }
}

type SourceBody = { sourceId: string };

/** In this scope bodies may also be archives. */
export function receiveSources(scope: FastifyInstance, service: Service): void {
  const read = async (request: FastifyRequest, payload: Readable): Promise<SourceBody> => {
    const { builds, settings } = service;
    if (!builds) throw new RefusedRequest(notOffered.problem);
    const client = clientKey(request, settings.networkPool);
    return { sourceId: orRefuse(await builds.sources.receive(payload, client)) };
  };
  const options = { bodyLimit: mostSourceBytes };
  scope.addContentTypeParser(archiveTypes, options, read);
  scope.addContentTypeParser('multipart/form-data', options, async (request: FastifyRequest, payload: Readable) => {
    const { builds, settings } = service;
    if (!builds) throw new RefusedRequest(notOffered.problem);
    const client = clientKey(request, settings.networkPool);
    const contentType = request.headers['content-type']!;
    return { sourceId: orRefuse(await builds.sources.receiveForm(payload, contentType, client)) };
  });
  scope.addContentTypeParser(vagueTypes, options, async (request: FastifyRequest, payload: Readable) => {
    const { isArchive, isEmpty, body } = await sniff(payload);
    // curl sends such a body for -d ''.
    if (isEmpty) return undefined;
    if (!isArchive) throw new RefusedRequest(vagueType);
    return await read(request, body);
  });
  scope.addHook('onResponse', async ({ body }) => {
    if (isSource(body)) await service.builds?.sources.release(body.sourceId);
  });
}

export type SourceConfiguration = Configuration & { source?: Source };

type ConfigurationRequest = Parameters<typeof readConfiguration>[1] & FastifyRequest & GitRequest;

/** The configuration of a document, an archive or a repository. `name`: of an application whose source has none. */
export async function readConfigurationOrSource(
  documents: Documents,
  service: Service,
  request: ConfigurationRequest & { query: { name?: string } },
  reply: FastifyReply,
): Promise<Result<SourceConfiguration>> {
  const { builds, settings } = service;
  const fetched = await fetchGit(service, request, reply);
  if (fetched && !fetched.ok) return fetched;
  let document = fetched && typeof request.body === 'string' && request.body !== '' ? request.body : undefined;
  if (fetched) request.body = { sourceId: fetched.value } satisfies SourceBody;
  const client = clientKey(request, settings.networkPool);
  if (!isSource(request.body)) {
    const read = await readConfiguration(documents, request);
    if (!read.ok || !read.value.hasSources) return read;
    if (!builds) return notOffered;
    const made = await builds.sources.receiveNothing(client);
    if (!made.ok) return made;
    document = read.value.document;
    request.body = { sourceId: made.value } satisfies SourceBody;
  }
  if (!builds || !isSource(request.body)) return notOffered;
  const { name } = request.query;
  const source = await builds.sources.open(request.body.sourceId, client, { name, document, signal: goneOf(reply) });
  if (!source.ok) return source;
  const { headers, query, routeOptions } = request;
  const read = await readConfiguration(documents, { headers, query, routeOptions, body: source.value.document });
  if (!read.ok) return read;
  const notes = source.value.notes.map(({ message, hint }) => (hint ? `${message} (${hint})` : message));
  const { findings, ...configuration } = read.value;
  const warnings = [...findings.warnings, ...notes];
  return succeed({ ...configuration, findings: { ...findings, warnings }, source: source.value });
}

function isSource(body: unknown): body is SourceBody {
  return typeof body === 'object' && body !== null && 'sourceId' in body;
}

/** Reads the beginning of a body. `body` is the complete body. */
async function sniff(payload: Readable): Promise<{ isArchive: boolean; isEmpty: boolean; body: Readable }> {
  const pieces = (payload as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  while (head.length < magicBytes) {
    const { value, done } = await pieces.next();
    if (done) break;
    head = Buffer.concat([head, value]);
  }
  async function* whole() {
    yield head;
    for (let next = await pieces.next(); !next.done; next = await pieces.next()) yield next.value;
  }
  const isArchive = archiveFormat(head) !== undefined;
  return { isArchive, isEmpty: head.length === 0, body: Readable.from(whole(), { objectMode: false }) };
}

const vagueType: Problem = {
  code: 'unsupported_media_type',
  error: 'The content type of the body is not supported.',
  hint: `Send the configuration with Content-Type: text/x-yaml (curl: -H 'Content-Type: text/x-yaml' --data-binary @app.yaml), or a tar or zip archive of the source. A configuration has at most ${maxDocumentBytes / 2 ** 20} MiB.`,
};
