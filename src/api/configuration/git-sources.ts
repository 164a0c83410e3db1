/** Git repositories as sources: `?git=` instead of a body. `source` in a configuration is in `source-bodies.ts`. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { readGitAddress } from '../../config/values/git-address.ts';
import { type Result, refuse } from '../../lib/problem.ts';
import type { Service } from '../api-service.ts';
import { clientKey } from '../requests/client-address.ts';

export const GitQuery = {
  git: Type.Optional(
    Type.String({
      description:
        'The https address of a Git repository, whose files are the source. A configuration in the body takes the place of the one in the repository.',
    }),
  ),
  ref: Type.Optional(
    Type.String({ description: 'A branch, a tag, or the complete hash of a commit. Default: the default branch.' }),
  ),
  path: Type.Optional(Type.String({ description: 'The folder of the repository that contains the source.' })),
};

export const GitHeaders = {
  'git-token': Type.Optional(
    Type.String({
      pattern: '^[\\x21-\\x7e]{1,4096}$',
      'x-says': 'must have 1 to 4096 printable ASCII characters without spaces',
      description:
        'An access token for a private repository in `git`, or `user:token`. The service sends the token to the Git server, and does not store it.',
    }),
  ),
};

export type GitRequest = Pick<FastifyRequest, 'body'> & {
  query: { git?: string; ref?: string; path?: string };
  headers: { 'git-token'?: string };
};

/** Fetches the repository in `git`, until the client leaves. Returns the id of the source; undefined without `git`. */
export async function fetchGit(
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
  raw.once('close', () => gone.abort());
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
