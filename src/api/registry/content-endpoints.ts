/** Requests about stored images: manifests, blobs, tags. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { blobSize, forgetBlob, takeManifest } from '../../images/pushed/pushed-image-store.ts';
import { maxManifestBytes } from '../../images/pushed/pushed-manifest.ts';
import { readReference } from '../../images/pushed/repository-names.ts';
import { isDigest } from '../../lib/digest.ts';
import {
  findPushedManifest,
  hasRepository,
  recordManifestPull,
  removePushedManifest,
  removePushedTag,
  tagsOf,
} from '../../store/pushed-images.ts';
import { allowanceOf, RegistryRefusal, readDigest } from './push-allowance.ts';
import { payerOf } from './pushers.ts';
import type { Registry, RepositoryRequest } from './registry.ts';
import { readRange } from './registry-paths.ts';

const maxTags = 1_000;

/** HEAD and GET. */
export async function sendBlob(
  { images }: Registry,
  { namespace }: RepositoryRequest,
  { digest, request, reply }: { digest: string; request: FastifyRequest; reply: FastifyReply },
) {
  const wanted = readDigest(digest);
  const sizeBytes = await blobSize(images, namespace.name, wanted);
  if (sizeBytes === undefined) throw noSuchBlob;
  reply.headers({
    'Content-Type': 'application/octet-stream',
    'Docker-Content-Digest': digest,
    'Accept-Ranges': 'bytes',
    ETag: `"${digest}"`,
  });
  if (request.method === 'HEAD') return reply.header('Content-Length', sizeBytes).send();
  const range = readRange(request.headers.range, sizeBytes);
  if (range === 'unsatisfiable') throw new RegistryRefusal('RANGE_INVALID', `the blob has ${sizeBytes} bytes`);
  const found = await images.folder.read(wanted, range === 'whole' ? undefined : range);
  if (!found) throw new RegistryRefusal('BLOB_UNKNOWN', 'the blob is gone');
  if (range === 'whole') return reply.header('Content-Length', sizeBytes).send(found.stream);
  const { first, last } = range;
  return reply
    .status(206)
    .headers({ 'Content-Length': last - first + 1, 'Content-Range': `bytes ${first}-${last}/${sizeBytes}` })
    .send(found.stream);
}

/** HEAD and GET. */
export async function sendManifest(
  { service, images }: Registry,
  { repository }: RepositoryRequest,
  { reference, request, reply }: { reference: string; request: FastifyRequest; reply: FastifyReply },
) {
  const wanted = referenceOf(reference);
  const manifest = await findPushedManifest(service.db, repository, wanted);
  if (!manifest || !isDigest(manifest.digest)) throw new RegistryRefusal('MANIFEST_UNKNOWN', 'manifest unknown');
  const { digest, mediaType, sizeBytes } = manifest;
  if ((await images.folder.sizeOf(digest)) === undefined) throw manifestHasLeft;
  reply.headers({ 'Content-Type': mediaType, 'Docker-Content-Digest': digest, ETag: `"${digest}"` });
  if (request.method === 'HEAD') return reply.header('Content-Length', sizeBytes).send();
  await recordManifestPull(service.db, manifest, service.now());
  const found = await images.folder.read(digest);
  if (!found) throw manifestHasLeft;
  return reply.header('Content-Length', sizeBytes).send(found.stream);
}

/** PUT: creates an image from pushed blobs. */
export async function receiveManifest(
  registry: Registry,
  { repository, namespace }: RepositoryRequest,
  { reference, request, reply }: { reference: string; request: FastifyRequest; reply: FastifyReply },
) {
  const wanted = readReference(reference);
  if (!wanted) throw noReference;
  const { service, images } = registry;
  const allowed = await allowanceOf(registry, await payerOf(service, namespace));
  const content = await readWhole(request, maxManifestBytes);
  if (content.length > allowed.bytes) throw new RegistryRefusal('DENIED', allowed.refusal);
  const taken = await takeManifest(images, {
    repository,
    namespace,
    content,
    declaredType: request.headers['content-type'],
    reference: wanted,
  });
  if (!taken.ok) {
    const { code, error } = taken.problem;
    throw new RegistryRefusal(code === 'not_found' ? 'MANIFEST_BLOB_UNKNOWN' : 'MANIFEST_INVALID', error);
  }
  const { digest } = taken.value;
  return reply
    .status(201)
    .headers({ Location: `/v2/${repository}/manifests/${digest}`, 'Docker-Content-Digest': digest })
    .send();
}

/** DELETE: a digest with all its tags, or only a tag. Unreferenced content is removed later. */
export async function removeManifest(
  { service }: Registry,
  { repository }: RepositoryRequest,
  reference: string,
  reply: FastifyReply,
) {
  const wanted = referenceOf(reference);
  const isRemoved =
    'tag' in wanted
      ? await removePushedTag(service.db, repository, wanted.tag)
      : await removePushedManifest(service.db, repository, wanted.digest);
  if (!isRemoved) throw new RegistryRefusal('MANIFEST_UNKNOWN', 'manifest unknown');
  return reply.status(202).send();
}

/** DELETE: removes an unused blob. Unused blobs are also removed automatically after some time. */
export async function removeBlob(
  { images }: Registry,
  { namespace }: RepositoryRequest,
  digest: string,
  reply: FastifyReply,
) {
  const forgotten = await forgetBlob(images, namespace.name, readDigest(digest));
  if (forgotten === 'absent') throw noSuchBlob;
  if (forgotten === 'named') throw new RegistryRefusal('DENIED', 'an image uses this blob; remove the image first');
  return reply.status(202).send();
}

/** GET `/v2/<name>/tags/list?n=&last=` */
export async function sendTags({ service }: Registry, { repository, query }: RepositoryRequest, reply: FastifyReply) {
  if (!(await hasRepository(service.db, repository)))
    throw new RegistryRefusal('NAME_UNKNOWN', 'nothing was pushed under this name');
  const requested = /^\d{1,6}$/.test(query.get('n') ?? '') ? Number(query.get('n')) : maxTags;
  const limit = Math.min(requested, maxTags);
  const tags = limit === 0 ? [] : await tagsOf(service.db, repository, { limit, last: query.get('last') ?? undefined });
  if (tags.length === limit && limit > 0)
    reply.header(
      'Link',
      `</v2/${repository}/tags/list?n=${limit}&last=${encodeURIComponent(tags.at(-1)!)}>; rel="next"`,
    );
  return reply.send({ name: repository, tags });
}

const noSuchBlob = new RegistryRefusal('BLOB_UNKNOWN', 'the repository does not contain this blob');
const manifestHasLeft = new RegistryRefusal('MANIFEST_UNKNOWN', 'the manifest is gone');
const noReference = new RegistryRefusal('MANIFEST_INVALID', 'what follows the name is neither a tag nor a digest');

function referenceOf(text: string) {
  const reference = readReference(text);
  if (!reference) throw noReference;
  return reference.kind === 'tag' ? { tag: reference.tag } : { digest: reference.digest };
}

/** Reads at most one byte more than the limit, to detect larger bodies. */
async function readWhole(request: FastifyRequest, maxBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  // An error in the middle of the body is sent on the same connection.
  for await (const piece of request.raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length > maxBytes) throw new RegistryRefusal('SIZE_INVALID', `manifests may have ${maxBytes / 2 ** 20} MiB`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces, length);
}
