/** Where nodes get the image of a workload from. */
import { pin } from '../../config/values/image-names.ts';
import type { ImageRequest, ResolvedImage } from '../../deployment/plan/operation.ts';
import type { Workload } from '../../deployment/workload/workload.ts';
import type { Images } from '../../images/open.ts';
import { EngineFault } from '../engine.ts';
import { asEngineFault } from '../images/as-engine-fault.ts';
import { isLocalImage } from '../images/local-images.ts';
import type { WorkloadRequest } from './manifests/workload.ts';

/** Of a start. Throws EngineFault when there is no such image, or nobody may have it. */
export type BringImage = (
  deploymentId: string,
  workload: Pick<Workload, 'image' | 'registryLogin' | 'pod'>,
) => Promise<Pick<WorkloadRequest, 'image' | 'imageVolumes' | 'pullSecret'>>;

export type ClusterImages = {
  bring: BringImage;
  check(requests: readonly ImageRequest[]): Promise<ResolvedImage[]>;
};

/** A registry answers in 50 to 500 ms. */
const patienceMs = 10_000;

export type ClusterImageParts = {
  images: Pick<Images, 'digestOf'>;
  /** Names of images that the operator has on the nodes, for everybody; `*` is anything. */
  localPatterns: readonly string[];
};

/**
 * What a stranger names is asked for by Berth alone, never by a node; and the gate is not open to nodes yet. So there are
 * the images that the operator has on them.
 */
export function createClusterImages({ images, localPatterns }: ClusterImageParts): ClusterImages {
  const isOnNodes = (image: string) => isLocalImage(image, undefined, { built: false, patterns: localPatterns });

  async function digestOf(request: ImageRequest): Promise<string> {
    try {
      return await images.digestOf(request, AbortSignal.timeout(patienceMs));
    } catch (error) {
      throw asEngineFault(error);
    }
  }

  return {
    async bring(_, { image, registryLogin, pod }) {
      if (isOnNodes(image)) return { image };
      await digestOf({ image, ...(registryLogin && { registryLogin }) });
      throw new EngineFault('image-access-denied', `Image ${image} cannot be brought to this cluster.`, {
        image,
        pods: [pod],
        hint: 'its operator has to put it on the nodes and name it in BERTH_LOCAL_IMAGES',
      });
    },
    check: (requests) =>
      Promise.all(
        requests.map(async (request): Promise<ResolvedImage> => {
          const { image } = request;
          if (isOnNodes(image)) return { image, reference: image, by: 'presence' };
          return { image, reference: pin(image, await digestOf(request)), by: 'registry' };
        }),
      ),
  };
}
