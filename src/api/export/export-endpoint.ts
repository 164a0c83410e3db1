/** `GET /exportDeployment`: all files that an application needs to run elsewhere, as one tar. */

import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { type Pack, pack } from 'tar-stream';
import { Type } from 'typebox';
import { layoutFolder } from '../../config/export/compose-file.ts';
import type { BlobFolder } from '../../images/blobs/blob-folder.ts';
import { blobPath } from '../../images/pushed/oci-layout.ts';
import type { Problem } from '../../lib/problem.ts';
import { addTarPieces, addTarText } from '../../lib/tar-entries.ts';
import type { Service } from '../api-service.ts';
import { ErrorRecord } from '../deployments/deployment-schemas.ts';
import { refusalsOfApplications } from '../description/refusals.ts';
import { ApplicationFields, applicationOf, requireCaller } from '../requests/callers.ts';
import { clientKey } from '../requests/client-address.ts';
import { orRefuse, RefusedRequest } from '../requests/errors.ts';
import { untilRevoked } from '../requests/revocation.ts';
import type { Streams } from '../requests/streams.ts';
import { type ExportedApplication, openExport } from './exported-application.ts';

/** The maximum number of concurrent exports. Each holds a copy of volumes while it is read. */

const maxAtOnce = 4;

/** Maximum exports of clients without an account, so that places remain for accounts. */
const maxOfStrangers = 3;

/** `client`: what its address is counted as. */
type Exporter = { accountId: string | null; client: string };

type ExportSlots = {
  /** Takes a place and returns the function that releases it. If all are taken, returns the problem. */
  take(deploymentId: string, exporter: Exporter): (() => void) | Problem;
};

export function createExportSlots(): ExportSlots {
  const underWay = new Map<symbol, { deploymentId: string; who: string; isStranger: boolean }>();
  return {
    take(deploymentId, { accountId, client }) {
      const isStranger = accountId === null;
      const who = isStranger ? `client ${client}` : `account ${accountId}`;
      const others = [...underWay.values()];
      if (others.some((other) => other.deploymentId === deploymentId || other.who === who)) return hasOne;
      const strangers = others.filter((other) => other.isStranger).length;
      if (others.length >= maxAtOnce || (isStranger && strangers >= maxOfStrangers)) return isFull;
      const place = Symbol(who);
      underWay.set(place, { deploymentId, who, isStranger });
      return () => void underWay.delete(place);
    },
  };
}

const hasOne: Problem = {
  code: 'rate_limited',
  error: 'An export of this deployment, or another one of this account or client address, is in progress.',
  hint: 'Try again when it has ended.',
  retryAfterSeconds: 15,
};

const isFull: Problem = {
  code: 'rate_limited',
  error: 'The maximum number of exports is already in progress.',
  hint: 'Try again when an export has ended.',
  retryAfterSeconds: 15,
};

/** The minimum speed of reading an export, because an export occupies a copy of volumes on the disk of the server. */

export type ExportPace = {
  /** The speed is not checked for this long. */
  graceMs: number;
  /** The minimum average rate after that. */
  minBytesPerMs: number;
  /** The maximum time without progress. */
  idleMs: number;
};

/** 1 MB/s. */
const usualPace: ExportPace = { graceMs: 600_000, minBytesPerMs: 1_000, idleMs: 60_000 };

/** The maximum delay of a timer in Node: 25 days. */
const longestMs = 2 ** 31 - 1;

/** Aborts when its reader is too slow. */
export function untilTooSlow(response: ServerResponse, sizeBytes: number, pace = usualPace): AbortSignal {
  const idle = new AbortController();
  // The system counts the sent bytes. A socket whose client reads nothing is idle, even if data is waiting.
  response.setTimeout(pace.idleMs, () => {
    if (response.writableNeedDrain) idle.abort();
  });
  const wholeMs = Math.min(pace.graceMs + Math.ceil(sizeBytes / pace.minBytesPerMs), longestMs);
  return AbortSignal.any([idle.signal, AbortSignal.timeout(wholeMs)]);
}

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
    const places = createExportSlots();

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
        const requested = { withSecrets: secrets === 'true', withVolumes: volumes === 'true' };
        const onFault = (fault: Error) => request.log.warn({ err: fault }, 'volumes could not be copied for an export');
        const opened = await openExport(service, found, requested, { signal: given, onFault }).catch(
          (error: unknown) => {
            if (!given.aborted) throw error;
            return undefined;
          },
        );
        if (!opened) {
          // The client has disconnected or lost its access.
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

/** An export as one tar, written as fast as it is read. */

type Source = { exported: ExportedApplication; blobs: BlobFolder | undefined; at: number; signal: AbortSignal };

/** An incomplete export is an error of the stream. A reader that saw its end has the whole export. */
function packExport(source: Source): Readable {
  const tar = pack();
  const abort = () => tar.destroy(new Error('the export was given up'));
  source.signal.addEventListener('abort', abort, { once: true });
  writeAll(tar, source).then(
    () => tar.finalize(),
    (error: Error) => tar.destroy(error),
  );
  const stream = Readable.from(tar, { objectMode: false });
  // Readers get the error, too.
  tar.on('error', () => {});
  stream.on('error', () => {});
  return stream;
}

async function writeAll(tar: Pack, { exported, blobs, at, signal }: Source): Promise<void> {
  const { name, texts, archives, layout } = exported;
  // Secrets may be in any of them.
  const header = (path: string, mode = 0o600) => ({ name: `${name}/${path}`, mode, mtime: new Date(at) });
  for (const { path, content, isProgram } of texts)
    await addTarText(tar, header(path, isProgram ? 0o700 : 0o600), content);
  for (const { path, content } of layout.documents) await addTarText(tar, header(`${layoutFolder}/${path}`), content);
  for (const { digest, sizeBytes: size } of layout.blobs) {
    const blob = await blobs?.read(digest);
    if (!blob) throw new Error(`the blob ${digest} is not here any more`);
    await addWhole(tar, { ...header(`${layoutFolder}/${blobPath(digest)}`), size }, blob.stream);
  }
  for (const { file, archive } of archives)
    await addWhole(tar, { ...header(file), size: archive.sizeBytes }, archive.read(signal));
}

async function addWhole(tar: Pack, header: Parameters<typeof addTarPieces>[1], stream: Readable): Promise<void> {
  const written = await addTarPieces(tar, header, stream);
  if (written !== header.size) throw new Error(`${header.name} has ${written} bytes instead of ${header.size}`);
}
