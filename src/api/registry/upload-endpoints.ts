/**
 * Uploads of blobs: a POST begins one, any number of PATCH requests continue it, and a PUT completes it. A single POST
 * or PUT is also possible.
 */
import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { StagedFile } from '../../images/blobs/staged-file.ts';
import { blobSize, shareBlob, takeBlob } from '../../images/pushed/pushed-image-store.ts';
import { isRepository, namespaceIn } from '../../images/pushed/repository-names.ts';
import type { Reserved } from '../../images/pushed/uploads.ts';
import type { Namespace, Payer } from '../../store/image-namespaces.ts';
import { allowanceOf, RegistryRefusal, readDigest, roomIn } from './push-allowance.ts';
import { mayAct, namespaceFor, payerOf } from './pushers.ts';
import type { Registry, RepositoryRequest } from './registry.ts';
import { readContentRange } from './registry-paths.ts';

/** Bytes reserved at a time. A client that announces more than it sends reserves no more than this. */
const reservedAtOnce = 2 ** 22;

type Upload = { repository: string; id: string; payer: Payer };

/** POST: begins an upload, or mounts an existing blob of another repository of the same owner. */
export async function beginUpload(
  registry: Registry,
  requested: RepositoryRequest,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const { repository, query, namespace } = requested;
  const { images, service } = registry;
  const mounted = query.get('mount');
  if (mounted !== null && (await mount(registry, requested, mounted))) return sendCreated(reply, repository, mounted);
  const payer = await payerOf(service, namespace);
  const id = await images.uploads.begin(repository, payer);
  if (id === undefined)
    throw new RegistryRefusal('TOOMANYREQUESTS', 'too many uploads are open; uploads without data end after a minute');
  const digest = query.get('digest');
  if (digest !== null) return await endUpload(registry, requested, { id, request, reply });
  return sendProgress(reply.status(202), { repository, id }, 0);
}

/** PATCH: appends a piece. Received data stays if the connection breaks, and the client can continue there. */
export async function continueUpload(
  registry: Registry,
  requested: RepositoryRequest,
  { id, request, reply }: { id: string; request: FastifyRequest; reply: FastifyReply },
) {
  const upload = await uploadOf(registry, requested, id);
  const sizeBytes = await useUpload(registry, upload, async (staged, reserved) => {
    refuseMisplaced(request, staged);
    await receive(registry, upload.payer, { request, staged, reserved });
    return staged.sizeBytes;
  });
  return sendProgress(reply.status(202), upload, sizeBytes);
}

/** PUT: completes an upload with the digest. The body may be the last piece, the whole blob, or empty. */
export async function endUpload(
  registry: Registry,
  requested: RepositoryRequest,
  { id, request, reply }: { id: string; request: FastifyRequest; reply: FastifyReply },
) {
  const { repository, query, namespace } = requested;
  const digest = readDigest(query.get('digest') ?? '');
  const upload = await uploadOf(registry, requested, id);
  const adopted = await useUpload(registry, upload, async (staged, reserved) => {
    refuseMisplaced(request, staged);
    await receive(registry, upload.payer, { request, staged, reserved });
    try {
      return await takeBlob(registry.images, namespace, staged, digest, roomIn(registry));
    } finally {
      registry.images.uploads.end(repository, id);
    }
  });
  if (adopted !== 'kept') throw new RegistryRefusal('DIGEST_INVALID', 'the uploaded data has a different digest');
  return sendCreated(reply, repository, digest);
}

/** GET: returns the received size. */
export async function sendUploadStatus(
  registry: Registry,
  requested: RepositoryRequest,
  id: string,
  reply: FastifyReply,
) {
  const upload = await uploadOf(registry, requested, id);
  const sizeBytes = await useUpload(registry, upload, async (staged) => staged.sizeBytes);
  return sendProgress(reply.status(204), upload, sizeBytes);
}

/** DELETE: forgets it. */
export async function cancelUpload(registry: Registry, requested: RepositoryRequest, id: string, reply: FastifyReply) {
  await useUpload(registry, await uploadOf(registry, requested, id), async (staged) => {
    await staged.discard();
    registry.images.uploads.end(requested.repository, id);
  });
  return reply.status(204).send();
}

async function uploadOf(
  { service }: Registry,
  { repository, namespace }: RepositoryRequest,
  id: string,
): Promise<Upload> {
  return { repository, id, payer: await payerOf(service, namespace) };
}

async function useUpload<T>(
  { images }: Registry,
  upload: Upload,
  work: (staged: StagedFile, reserved: Reserved) => Promise<T>,
): Promise<T> {
  const done = await images.uploads.use(upload, work);
  if (done === 'unknown') throw new RegistryRefusal('BLOB_UPLOAD_UNKNOWN', 'the upload does not exist');
  if (done === 'busy') throw new RegistryRefusal('BLOB_UPLOAD_INVALID', 'another request is writing to this upload');
  return done;
}

/**
 * Mounts a blob of another repository without an upload, only if the owner already has it, which proves possession. An
 * upload by another owner proves nothing.
 */
async function mount(
  registry: Registry,
  { namespace, pusher, query }: RepositoryRequest,
  mounted: string,
): Promise<boolean> {
  const from = query.get('from') ?? '';
  const digest = readDigest(mounted);
  const { db } = registry.service;
  const isFromOther = isRepository(from) && mayAct(pusher.access, from, 'pull');
  const source: Namespace | undefined = isFromOther
    ? await namespaceFor(db, pusher, namespaceIn(from))
    : from === ''
      ? namespace
      : undefined;
  if (!source || (await blobSize(registry.images, source.name, digest)) === undefined) return false;
  return (
    source.name === namespace.name ||
    (await shareBlob(registry.images, source.name, namespace, digest, roomIn(registry)))
  );
}

/** The piece must begin at the end of the previous one. */
function refuseMisplaced(request: FastifyRequest, { sizeBytes }: StagedFile): void {
  const range = readContentRange(request.headers['content-range']);
  if (range === undefined) return;
  if (range === 'bad' || range.first !== sizeBytes)
    throw new RegistryRefusal('RANGE_INVALID', `this upload has ${sizeBytes} bytes, and goes on from there`);
}

/** Writes the body in chunks, and reserves each chunk before reading it. At most one chunk is in memory. */
async function receive(
  registry: Registry,
  payer: Payer,
  { request, staged, reserved }: { request: FastifyRequest; staged: StagedFile; reserved: Reserved },
): Promise<void> {
  const body: IncomingMessage = request.raw;
  const announced = Number(request.headers['content-length'] ?? 0);
  const reserve = async (minBytes: number, wantedBytes: number) => {
    const { bytes, refusal } = await allowanceOf(registry, payer, (allowed) => {
      if (allowed.bytes >= minBytes) reserved.bytes += Math.max(0, Math.min(allowed.bytes, wantedBytes));
    });
    if (bytes < minBytes) throw new RegistryRefusal('DENIED', refusal);
  };
  await reserve(announced, Math.min(announced, reservedAtOnce));
  try {
    // An error in the middle of the body is sent on the same connection.
    for await (const piece of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      const missing = piece.length - reserved.bytes;
      if (missing > 0) await reserve(missing, Math.max(missing, reservedAtOnce));
      reserved.bytes -= piece.length;
      await staged.write(piece);
    }
  } catch (error) {
    if (error instanceof RegistryRefusal) throw error;
    if (body.errored || body.destroyed)
      throw new RegistryRefusal('BLOB_UPLOAD_INVALID', 'the connection was interrupted');
    throw error;
  }
}

function sendProgress(
  reply: FastifyReply,
  { repository, id }: Pick<Upload, 'repository' | 'id'>,
  sizeBytes: number,
): FastifyReply {
  return reply
    .headers({
      // Relative: clients drop their login where the host or the scheme changes.
      Location: `/v2/${repository}/blobs/uploads/${id}`,
      Range: `0-${Math.max(0, sizeBytes - 1)}`,
      'Docker-Upload-UUID': id,
    })
    .send();
}

function sendCreated(reply: FastifyReply, repository: string, digest: string): FastifyReply {
  return reply
    .status(201)
    .headers({ Location: `/v2/${repository}/blobs/${digest}`, 'Docker-Content-Digest': digest })
    .send();
}
