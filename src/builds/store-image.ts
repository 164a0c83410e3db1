/** Stores a built image in the store of pushed images, like a push by the owner of the deployment. */
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stageFile } from '../images/blobs/staged-file.ts';
import {
  blobSize,
  type CheckRoom,
  nameBlob,
  type PushedImages,
  takeBlob,
  takeManifest,
} from '../images/pushed/pushed-image-store.ts';
import { type Digest, digestOf, isDigest } from '../lib/digest.ts';
import type { ExportedImage } from '../push/docker/exported-image.ts';
import { type Descriptor, layerType, manifestOf, manifestType } from '../push/image-documents.ts';
import type { Namespace } from '../store/image-namespaces.ts';
import { BuildFault } from './build-fault.ts';

export type ImageStoreParts = {
  images: PushedImages;
  /** Refuses blobs beyond the quota of the namespace. */
  checkRoom: CheckRoom;
};

/**
 * Stores the image under a tag and returns the digest of its manifest. Layers stay as they are: compressing them would
 * take longer than the build of most images. Throws QuotaFault.
 */
export async function storeImage(
  parts: ImageStoreParts,
  { config, layers }: ExportedImage,
  { namespace, name, tag }: { namespace: Namespace; name: string; tag: string },
): Promise<Digest> {
  const descriptors: Descriptor[] = [];
  for (const { file, digest, sizeBytes, compression } of layers) {
    await storeBlob(parts, namespace, digest, () => createReadStream(file, { highWaterMark: pieceBytes }));
    descriptors.push({ mediaType: layerType(compression), digest, size: sizeBytes });
  }
  await storeBlob(parts, namespace, digestOf(config), () => [config]);
  const taken = await takeManifest(parts.images, {
    repository: `${namespace.name}/${name}`,
    namespace,
    content: manifestOf(config, descriptors),
    declaredType: manifestType,
    reference: { kind: 'tag', tag },
  });
  if (!taken.ok) throw new BuildFault(`The image cannot be stored: ${taken.problem.error}`);
  return taken.value.digest;
}

const pieceBytes = 2 ** 20;

async function storeBlob(
  { images, checkRoom }: ImageStoreParts,
  namespace: Namespace,
  digest: string,
  open: () => AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<void> {
  if (!isDigest(digest)) throw new Error(`not a digest: ${digest}`);
  if ((await blobSize(images, namespace.name, digest)) !== undefined) return;
  // Most layers of a base image are already stored from another image.
  if (await nameBlob(images, namespace, digest, checkRoom)) return;
  const staged = await stageFile(images.folder.stagingPath(randomUUID()));
  try {
    for await (const piece of open()) await staged.write(piece);
    await takeBlob(images, namespace, staged, digest, checkRoom);
  } finally {
    await staged.discard();
  }
}
