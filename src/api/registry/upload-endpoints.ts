/** Uploads of blobs: what a POST begins, PATCHes go on with in any number, and a PUT ends; or a single POST or PUT. */
import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { StagedFile } from '../../images/blobs/staged-file.ts';
import { blobSize, shareBlob, takeBlob } from '../../images/pushed/pushed-image-store.ts';
import { isRepository, namespaceIn } from '../../images/pushed/repository-names.ts';
import type { Namespace } from '../../store/image-namespaces.ts';
import { allowanceOf } from './push-allowance.ts';
import { mayAct } from './push-tokens.ts';
import { namespaceFor, payerOfPush } from './pushers.ts';
import type { Asked, Registry } from './registry.ts';
import { RegistryRefusal, readDigest } from './registry-errors.ts';
import { readContentRange } from './registry-paths.ts';

/** How many bytes may pass before it is asked again what may still come: other uploads count too. */
const askEveryBytes = 16 * 2 ** 20;

type Upload = { repository: string; id: string; payer: string };

/** POST: begins one, or takes a blob that is here from a repository of the same owner. */
export async function beginUpload(registry: Registry, asked: Asked, request: FastifyRequest, reply: FastifyReply) {
  const { repository, query } = asked;
  const { images } = registry;
  const mounted = query.get('mount');
  if (mounted !== null && (await mount(registry, asked, mounted))) return sendCreated(reply, repository, mounted);
  const payer = payerOfPush(asked.pusher);
  const id = await images.uploads.begin(repository, payer);
  if (id === undefined)
    throw new RegistryRefusal('TOOMANYREQUESTS', 'too many uploads are open; abandoned ones end within an hour');
  const digest = query.get('digest');
  if (digest !== null) return await endUpload(registry, asked, { id, request, reply });
  return sendProgress(reply.status(202), { repository, id, payer }, 0);
}

/** PATCH: one more piece. What has come stays when the connection is cut, and the client may go on from there. */
export async function continueUpload(
  registry: Registry,
  asked: Asked,
  { id, request, reply }: { id: string; request: FastifyRequest; reply: FastifyReply },
) {
  const upload = { repository: asked.repository, id, payer: payerOfPush(asked.pusher) };
  const sizeBytes = await useUpload(registry, upload, async (staged) => {
    refuseMisplaced(request, staged);
    await receive(registry, asked, { request, staged });
    return staged.sizeBytes;
  });
  return sendProgress(reply.status(202), upload, sizeBytes);
}

/** PUT: the last piece, or none, or all of it; and the digest that everything must have. */
export async function endUpload(
  registry: Registry,
  asked: Asked,
  { id, request, reply }: { id: string; request: FastifyRequest; reply: FastifyReply },
) {
  const { repository, query, namespace, pusher } = asked;
  const digest = readDigest(query.get('digest') ?? '');
  const upload = { repository, id, payer: payerOfPush(pusher) };
  const adopted = await useUpload(registry, upload, async (staged) => {
    refuseMisplaced(request, staged);
    await receive(registry, asked, { request, staged });
    const taken = await takeBlob(registry.images, namespace, staged, digest);
    registry.images.uploads.end(repository, id);
    return taken;
  });
  if (adopted !== 'kept') throw new RegistryRefusal('DIGEST_INVALID', 'what was sent has a different digest');
  return sendCreated(reply, repository, digest);
}

/** GET: how much has come. */
export async function tellUpload(registry: Registry, asked: Asked, id: string, reply: FastifyReply) {
  const upload = { repository: asked.repository, id, payer: payerOfPush(asked.pusher) };
  const sizeBytes = await useUpload(registry, upload, async (staged) => staged.sizeBytes);
  return sendProgress(reply.status(204), upload, sizeBytes);
}

/** DELETE: forgets it. */
export async function cancelUpload(registry: Registry, asked: Asked, id: string, reply: FastifyReply) {
  const { repository, pusher } = asked;
  await useUpload(registry, { repository, id, payer: payerOfPush(pusher) }, async (staged) => {
    await staged.discard();
    registry.images.uploads.end(repository, id);
  });
  return reply.status(204).send();
}

async function useUpload<T>(
  { images }: Registry,
  upload: Upload,
  work: (staged: StagedFile) => Promise<T>,
): Promise<T> {
  const done = await images.uploads.use(upload, work);
  if (done === 'unknown') throw new RegistryRefusal('BLOB_UPLOAD_UNKNOWN', 'there is no such upload');
  if (done === 'busy') throw new RegistryRefusal('BLOB_UPLOAD_INVALID', 'another request is writing to this upload');
  return done;
}

/**
 * A blob of another repository, without sending it again: only where the owner has it already, which is the proof. That
 * this server has the bytes, from somebody else, says nothing.
 */
async function mount(registry: Registry, { namespace, pusher, query }: Asked, mounted: string): Promise<boolean> {
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
  return source.name === namespace.name || (await shareBlob(registry.images, source.name, namespace, digest));
}

/** A piece that says where it begins has to begin where the last one ended. */
function refuseMisplaced(request: FastifyRequest, { sizeBytes }: StagedFile): void {
  const range = readContentRange(request.headers['content-range']);
  if (range === undefined) return;
  if (range === 'bad' || range.first !== sizeBytes)
    throw new RegistryRefusal('RANGE_INVALID', `this upload has ${sizeBytes} bytes, and goes on from there`);
}

/** Writes what comes, piece by piece: memory is one piece, however much there is. */
async function receive(
  { service, images, limits }: Registry,
  { pusher }: Asked,
  { request, staged }: { request: FastifyRequest; staged: StagedFile },
): Promise<void> {
  const body: IncomingMessage = request.raw;
  const announced = Number(request.headers['content-length'] ?? 0);
  let allowed = await allowanceOf(service, images, limits, pusher);
  if (announced > allowed.bytes) throw new RegistryRefusal('DENIED', allowed.refusal);
  let since = 0;
  try {
    // A refusal in the middle has to be answered on the same connection.
    for await (const piece of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      since += piece.length;
      if (since > Math.min(askEveryBytes, allowed.bytes)) {
        allowed = await allowanceOf(service, images, limits, pusher);
        if (piece.length > allowed.bytes) throw new RegistryRefusal('DENIED', allowed.refusal);
        since = piece.length;
      }
      await staged.write(piece);
    }
  } catch (error) {
    if (error instanceof RegistryRefusal) throw error;
    if (body.errored || body.destroyed) throw new RegistryRefusal('BLOB_UPLOAD_INVALID', 'the connection was cut');
    throw error;
  }
}

function sendProgress(reply: FastifyReply, { repository, id }: Upload, sizeBytes: number): FastifyReply {
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
