/** The output of a build, as plain text: what there is, or as it is written until the build ends. */
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deployment } from '../../deployment/deployment.ts';
import { wait } from '../../lib/wait.ts';
import { buildLogOf } from '../../store/builds.ts';
import type { Service } from '../api-service.ts';
import { RefusedRequest } from '../requests/errors.ts';

const lookEveryMs = 1_000;

/**
 * `stop`: follows the build until this aborts, for example because the caller has left. Refuses with `not_found` for a revision whose images were not
 * built here.
 */
export async function sendBuildLog(
  { db }: Pick<Service, 'db'>,
  { id, revision: last }: Deployment,
  { query }: FastifyRequest<{ Querystring: { revision?: string } }>,
  reply: FastifyReply,
  stop: AbortSignal | undefined,
) {
  const revision = query.revision === undefined ? last : Number(query.revision);
  const begun = await buildLogOf(db, id, revision);
  if (begun === undefined)
    throw new RefusedRequest({
      code: 'not_found',
      error: `No image was built from source for revision ${revision}.`,
      hint: 'Leave out build=true to read the logs of the pods.',
    });
  reply.type('text/plain; charset=utf-8');
  if (!stop) return reply.send(begun.log);
  async function* written(stop: AbortSignal) {
    let sent = 0;
    while (!stop.aborted) {
      const build = await buildLogOf(db, id, revision);
      const text = build?.log ?? '';
      // A build that was begun again, or whose middle was left out, is shorter.
      if (text.length > sent) yield text.slice(sent);
      sent = text.length;
      if (!build || build.state === 'built' || build.state === 'failed') return;
      await wait(lookEveryMs, stop);
    }
  }
  return reply.send(Readable.from(written(stop), { objectMode: false }));
}
