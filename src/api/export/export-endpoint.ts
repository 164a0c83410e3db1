/** `GET /exportDeployment`: everything that an application needs to run elsewhere, as one tar. */

import type { Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { Service } from '../api-service.ts';
import { ErrorRecord } from '../deployments/deployment-schemas.ts';
import { refusalsOfApplications } from '../description/refusals.ts';
import { ApplicationFields, applicationOf, requireCaller } from '../requests/callers.ts';
import { clientKey } from '../requests/client-address.ts';
import { orRefuse, RefusedRequest } from '../requests/errors.ts';
import { untilRevoked } from '../requests/revocation.ts';
import type { Streams } from '../requests/streams.ts';
import { untilTooSlow } from './export-pace.ts';
import { createExportPlaces } from './export-places.ts';
import { packExport } from './export-tar.ts';
import { openExport } from './exported-application.ts';

const Choice = (description: string, value: 'true' | 'false') =>
  Type.Optional(Type.Enum(['true', 'false'], { default: value, description }));

const ExportQuery = Type.Object({
  ...ApplicationFields.properties,
  volumes: Choice('Whether to include the contents of the volumes.', 'true'),
  secrets: Choice(
    'Whether to include passwords and keys. Otherwise, their values are empty, and a document that contains any is omitted.',
    'false',
  ),
});

const Tar = {
  description:
    'A tar with one folder, named after the application. It is complete if the connection was not interrupted.',
  content: { 'application/x-tar': { schema: Type.Unsafe<Readable>({ type: 'string', format: 'binary' }) } },
};

export function exportEndpoint(service: Service, streams: Streams): FastifyPluginAsyncTypebox {
  return async (app) => {
    const closing = new AbortController();
    app.addHook('preClose', async () => closing.abort());
    const places = createExportPlaces();

    app.get(
      '/exportDeployment',
      {
        // A HEAD request would make copies for a body that is not sent.
        exposeHeadRoute: false,
        config: { limit: 'export' },
        schema: {
          operationId: 'exportDeployment',
          summary: 'Export a deployment: configuration, data, and images as one tar',
          tags: ['deployments'],
          description:
            'Returns a tar with the configuration, Compose and Kubernetes files, volume contents, pushed images, and start scripts. All volumes are copied at one instant; if not, `README.md` says so.',
          access: 'caller',
          refusals: [...refusalsOfApplications, 'snapshot_under_way', 'engine_unreachable', 'capacity_exhausted'],
          querystring: ExportQuery,
          response: { 200: Tar, '4xx': ErrorRecord, 503: ErrorRecord },
        },
      },
      async (request, reply) => {
        const { volumes = 'true', secrets = 'false' } = request.query;
        const caller = orRefuse(await requireCaller(service, request, request.query));
        const found = orRefuse(applicationOf(caller, request.query));
        const { id, sessionId, applicationName } = found;
        const full = streams.open(request, reply, sessionId);
        if (full) throw new RefusedRequest(full);
        const client = clientKey(request, service.settings.networkPool);
        const leave = places.take(id, { accountId: caller.accountId, client });
        if (typeof leave !== 'function') throw new RefusedRequest(leave);
        reply.raw.once('close', leave);
        const { stop } = untilRevoked(service, request, reply, request.query);
        const given = AbortSignal.any([stop, closing.signal]);
        const asked = { withSecrets: secrets === 'true', withVolumes: volumes === 'true' };
        const onFault = (fault: Error) => request.log.warn({ err: fault }, 'volumes could not be copied for an export');
        const opened = await openExport(service, found, asked, { signal: given, onFault }).catch((error: unknown) => {
          if (!given.aborted) throw error;
          return undefined;
        });
        if (!opened) {
          // The client has gone, or has lost its access.
          reply.raw.destroy();
          return reply;
        }
        const exported = orRefuse(opened);
        const giveBack = () =>
          exported[Symbol.asyncDispose]().catch((error: unknown) => {
            request.log.error({ err: error }, 'a copy of volumes was not removed; the next start removes it');
          });
        if (given.aborted) {
          await giveBack();
          reply.raw.destroy();
          return reply;
        }
        const signal = AbortSignal.any([given, untilTooSlow(reply.raw, exported.sizeBytes)]);
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
