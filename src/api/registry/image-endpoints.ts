/** The images that the caller has pushed: names, sizes, and the last use. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { pushedRepositories } from '../../store/pushed-repositories.ts';
import type { Service } from '../api-service.ts';
import { ErrorRecord } from '../deployments/deployment-schemas.ts';
import { requireCaller, TokenQuery } from '../requests/callers.ts';
import { orRefuse } from '../requests/errors.ts';

/** More than users need. Limits the response. */
const maxListed = 500;

export function imageEndpoints(service: Service): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/images',
      {
        schema: {
          operationId: 'listImages',
          summary: 'List the pushed images of the caller, the last used first',
          tags: ['accounts'],
          description:
            'Returns the images of the session, or of the account with its sessions. A shared layer counts for each image.',
          access: 'caller',
          querystring: TokenQuery,
          response: {
            200: Type.Object({
              images: Type.Array(
                Type.Object({
                  image: Type.String({ description: 'The name in a document, without a tag: `namespace/name`.' }),
                  tags: Type.Array(Type.String()),
                  sizeBytes: Type.Integer({ description: 'The size of all versions; each layer counts once.' }),
                  pushedAt: Type.String({ format: 'date-time' }),
                  lastUsedAt: Type.String({ format: 'date-time' }),
                }),
                { description: `At most ${maxListed}.` },
              ),
            }),
            '4xx': ErrorRecord,
          },
        },
      },
      async (request) => {
        const caller = orRefuse(await requireCaller(service, request, request.query));
        const owner = caller.kind === 'session' ? { sessionId: caller.sessionId } : { accountId: caller.accountId };
        const found = await pushedRepositories(service.db, owner);
        const images = found
          .toSorted((a, b) => b.usedAt - a.usedAt)
          .slice(0, maxListed)
          .map(({ repository, tags, sizeBytes, pushedAt, usedAt }) => ({
            image: repository,
            tags,
            sizeBytes,
            pushedAt: new Date(pushedAt).toISOString(),
            lastUsedAt: new Date(usedAt).toISOString(),
          }));
        return { images };
      },
    );
  };
}
