/** Sources of requests, archives and repositories: received to disk, and read as the configuration that they contain. */
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { archiveFormat, magicBytes } from '../../builds/archive-format.ts';
import { maxSourceBytes, type Source } from '../../builds/sources.ts';
import { maxDocumentBytes } from '../../config/document/source.ts';
import { readGitAddress } from '../../config/values/git-address.ts';
import { type Problem, type Result, refuse, succeed } from '../../lib/problem.ts';
import type { Service } from '../api-service.ts';
import { clientKey } from '../requests/client-address.ts';
import { orRefuse, RefusedRequest } from '../requests/errors.ts';
import { type Configuration, type Documents, readConfiguration } from './documents.ts';

const archiveTypes = [
  ...['application/gzip', 'application/x-gzip', 'application/x-gtar', 'application/x-compressed-tar'],
  ...['application/zstd', 'application/x-tar', 'application/zip', 'application/x-zip-compressed'],
];
/** The type that curl sends for `--data-binary`, and that other clients send for files of an unknown type. */
const vagueTypes = ['application/x-www-form-urlencoded', 'application/octet-stream'];

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body may be a source archive, which takes longer to arrive. */
    takesSources?: boolean;
  }
}

type SourceBody = { sourceId: string };

/** In this scope, bodies may also be archives. */
export function receiveSources(scope: FastifyInstance, service: Service): void {
  const read = async (request: FastifyRequest, payload: Readable): Promise<SourceBody> => {
    const { builds, settings } = service;
    if (!builds) throw new RefusedRequest(notOffered.problem);
    const client = clientKey(request, settings.networkPool);
    return { sourceId: orRefuse(await builds.sources.receive(payload, client)) };
  };
  const options = { bodyLimit: maxSourceBytes };
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
  // `onResponse` is not called when the client has left.
  scope.addHook('onSend', async ({ body }) => {
    if (isSource(body)) await service.builds?.sources.release(body.sourceId);
  });
}

export type SourceConfiguration = Configuration & { source?: Source };

type ConfigurationRequest = Parameters<typeof readConfiguration>[1] & FastifyRequest & GitRequest;

/**
 * Reads the configuration of a document, an archive or a repository. `name`: the name for an application whose source
 * has none.
 */
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
  const { sourceId } = request.body;
  const opening = { sourceId, name: request.query.name, document, signal: goneOf(reply) };
  return await configurationOfSource(documents, service, request, opening);
}

type OpeningSource = { sourceId: string; name: string | undefined; document?: string | undefined; signal: AbortSignal };

/** The configuration that a received source contains. */
export async function configurationOfSource(
  documents: Documents,
  { builds, settings }: Service,
  request: Omit<Parameters<typeof readConfiguration>[1], 'body'>,
  { sourceId, ...opening }: OpeningSource,
): Promise<Result<SourceConfiguration>> {
  if (!builds) return notOffered;
  const source = await builds.sources.open(sourceId, clientKey(request, settings.networkPool), opening);
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

/** Git repositories as sources: `?git=` instead of a body. `source` in a configuration is in `source-bodies.ts`. */

export const GitQuery = {
  git: Type.Optional(
    Type.String({
      description:
        'The https address of a Git repository with the source. A configuration in the body replaces its own.',
    }),
  ),
  ref: Type.Optional(
    Type.String({ description: 'A branch, tag, or complete commit hash. Default: the default branch.' }),
  ),
  path: Type.Optional(Type.String({ description: 'The folder of the repository with the source.' })),
};

export const SourceName = Type.Optional(
  Type.String({
    pattern: '^[a-z][a-z0-9-]{2,63}$',
    'x-says': 'must have 3 to 64 lowercase letters, digits and hyphens',
    description: 'The name of an application whose source contains none.',
  }),
);

export const GitHeaders = {
  'git-token': Type.Optional(
    Type.String({
      pattern: '^[\\x21-\\x7e]{1,4096}$',
      'x-says': 'must have 1 to 4096 printable ASCII characters without spaces',
      description: 'An access token for a private repository in `git`, or `user:token`. The service does not store it.',
    }),
  ),
};

type GitRequest = Pick<FastifyRequest, 'body'> & {
  query: { git?: string; ref?: string; path?: string };
  headers: { 'git-token'?: string };
};

/** Fetches the repository in `git`, until the client leaves. Returns the id of the source; undefined without `git`. */
async function fetchGit(
  { builds, settings }: Service,
  request: FastifyRequest & GitRequest,
  reply: FastifyReply,
): Promise<Result<string> | undefined> {
  const { git, ref, path } = request.query;
  if (git === undefined) return ref === undefined && path === undefined ? undefined : withoutGit;
  if (!builds) return notOffered;
  if (request.body !== undefined && typeof request.body !== 'string') return withArchive;
  const address = readGitAddress({ git, ref, path });
  if (!address.ok) return address;
  const token = request.headers['git-token'];
  const client = clientKey(request, settings.networkPool);
  return await builds.sources.fetch(address.value, client, { token, signal: goneOf(reply) });
}

/** Aborts when the client leaves. */
export function goneOf({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  if (raw.closed) gone.abort();
  else raw.once('close', () => gone.abort());
  return gone.signal;
}

export const notOffered = refuse(
  'unsupported_media_type',
  'This service builds no images from source.',
  'Build and push the images with berth up and a local Docker, and send the configuration.',
);

const withoutGit = refuse('invalid_request', '`ref` and `path` require `git`.', 'Add the address of the repository.');

const withArchive = refuse(
  'invalid_request',
  'The request has both an archive and `git`.',
  'Send either an archive, or `git`. A configuration may come with `git`.',
);
