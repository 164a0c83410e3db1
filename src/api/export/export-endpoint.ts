/** `GET /exportDeployment`: everything that an application needs to run elsewhere, as one tar. */

import type { Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { Problem } from '../../lib/problem.ts';
import type { Service } from '../api-service.ts';
import { ErrorRecord } from '../deployments/deployment-schemas.ts';
import { ApplicationFields, findApplication } from '../requests/callers.ts';
import { sendProblem } from '../requests/errors.ts';
import { untilRevoked } from '../requests/revocation.ts';
import type { Streams } from '../requests/streams.ts';
import { packExport } from './export-tar.ts';
import { openExport } from './exported-application.ts';

/** Each holds a copy of volumes while it is read. */
const mostAtOnce = 2;

/** Whoever reads more slowly than that on the whole gives the copy back. */
const graceMs = 600_000;
const leastBytesPerMs = 64;

const Choice = (description: string, value: 'true' | 'false') =>
  Type.Optional(Type.Enum(['true', 'false'], { default: value, description }));

const ExportQuery = Type.Object({
  ...ApplicationFields.properties,
  volumes: Choice('With the contents of its volumes.', 'true'),
  secrets: Choice(
    'With passwords and keys: those that the configuration has, and those that were generated. Otherwise they are left open, and the document is left out if it has any.',
    'false',
  ),
});

const Tar = {
  description: 'A tar with one folder, named after the application. It is whole if the connection was not broken.',
  content: { 'application/x-tar': { schema: Type.Unsafe<Readable>({ type: 'string', format: 'binary' }) } },
};

export function exportEndpoint(service: Service, streams: Streams): FastifyPluginAsyncTypebox {
  return async (app) => {
    const closing = new AbortController();
    app.addHook('preClose', async () => closing.abort());
    /** Of deployments. */
    const underWay = new Set<string>();

    app.get(
      '/exportDeployment',
      {
        // Copies would be made for an answer that nobody reads.
        exposeHeadRoute: false,
        config: { limit: 'export' },
        schema: {
          operationId: 'exportDeployment',
          summary: 'Take a deployment elsewhere: configuration, data and images as one tar',
          querystring: ExportQuery,
          response: { 200: Tar, '4xx': ErrorRecord, 503: ErrorRecord },
        },
      },
      async (request, reply) => {
        const { volumes = 'true', secrets = 'false' } = request.query;
        const found = await findApplication(service, request, request.query);
        if (!found.ok) return sendProblem(reply, found.problem);
        const { id, sessionId, applicationName } = found.value;
        const busy = underWay.has(id) || underWay.size >= mostAtOnce ? isBusy : undefined;
        const full = busy ?? streams.open(request, reply, sessionId);
        if (full) return sendProblem(reply, full);
        underWay.add(id);
        reply.raw.once('close', () => underWay.delete(id));
        const asked = { withSecrets: secrets === 'true', withVolumes: volumes === 'true' };
        const opened = await openExport(service, found.value, asked);
        if (!opened.ok) return sendProblem(reply, opened.problem);
        const exported = opened.value;
        const giveBack = () =>
          exported[Symbol.asyncDispose]().catch((error: unknown) => {
            request.log.error({ err: error }, 'a copy of volumes was not removed; the next start removes it');
          });
        if (reply.raw.destroyed) {
          await giveBack();
          return reply;
        }
        const { stop } = untilRevoked(service, request, reply, request.query);
        const late = AbortSignal.timeout(graceMs + Math.ceil(exported.sizeBytes / leastBytesPerMs));
        const signal = AbortSignal.any([stop, closing.signal, late]);
        const blobs = service.pushedBlobs;
        const tar = packExport({ exported, blobs, at: service.now(), signal });
        tar.once('close', () => void giveBack());
        reply.type('application/x-tar');
        reply.header('Content-Disposition', `attachment; filename="${applicationName}.tar"`);
        return reply.send(tar);
      },
    );
  };
}

const isBusy: Problem = {
  code: 'rate_limited',
  error: 'An export of this deployment is under way, or as many of others as may be at once.',
  hint: 'Try again when it has ended.',
  retryAfterSeconds: 15,
};
