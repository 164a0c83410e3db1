/** The images of the host, from any source. */
import type Docker from 'dockerode';
import { isGateName } from '../../../images/gate/distribution.ts';
import type { HostImage } from '../../engine.ts';
import { isVerifiedName, referenceOf, verifiedName } from '../../images/verified-names.ts';
import { statusOf, unless } from '../faults.ts';

export async function listImages(docker: Docker): Promise<HostImage[]> {
  const [images, containers] = await Promise.all([imagesOf(docker), docker.listContainers({ all: true })]);
  const used = new Set(containers.map(({ ImageID }) => ImageID));
  return images.map(({ Id, RepoTags, RepoDigests, Size }) => ({
    id: Id,
    // Docker names an image without tags and digests <none>.
    tags: (RepoTags ?? []).filter((tag) => !tag.startsWith('<none>') && !isVerifiedName(tag)),
    brought: (RepoTags ?? []).flatMap((tag) => referenceOf(tag) ?? []),
    digests: (RepoDigests ?? []).filter((digest) => !digest.startsWith('<none>')),
    sizeBytes: Size,
    isInUse: used.has(Id),
  }));
}

/** If an image is removed while the engine lists images, it responds with 500. The next list does not contain the image. */
async function imagesOf(docker: Docker): Promise<Docker.ImageInfo[]> {
  for (let tries = 1; ; tries++) {
    try {
      return await docker.listImages();
    } catch (error) {
      if (tries === maxTries || !/unrecognized image ID/.test(String(error))) throw error;
    }
  }
}

const maxTries = 5;

/**
 * Removes images of interrupted pulls: those with only the gate's name. A pull that is about to end in another process
 * is repeated. Images built on this engine stay, because without their last name, their build cache would be lost, and
 * the next build would create and push every layer again.
 */
export async function removeUnnamed(docker: Docker): Promise<number> {
  const unnamed = (await imagesOf(docker)).filter(({ RepoTags, RepoDigests, ParentId }) => {
    const names = [...(RepoTags ?? []), ...(RepoDigests ?? [])].filter((name) => !name.startsWith('<none>'));
    return names.length > 0 && names.every(isGateName) && !ParentId;
  });
  for (const { RepoDigests } of unnamed)
    for (const name of RepoDigests ?? []) await unless(docker.getImage(name).remove(), 404, 409);
  return unnamed.length;
}

/**
 * Removes all names of the image, never by force, so that the engine refuses if the image is in use or has another
 * name. Then returns false.
 */
export async function removeImage(docker: Docker, { tags, digests, brought }: HostImage): Promise<boolean> {
  for (const name of [...tags, ...digests, ...brought.flatMap((reference) => verifiedName(reference) ?? [])]) {
    try {
      await docker.getImage(name).remove();
    } catch (error) {
      if (statusOf(error) === 409) return false;
      // Removing the last tag of a repository also removes the digest.
      if (statusOf(error) !== 404) throw error;
    }
  }
  return true;
}
