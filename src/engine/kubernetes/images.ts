/** The source from which nodes get a workload's image. */
import { readPushedReference } from '../../config/values/pushed-image.ts';
import type { OwnImageLimits } from '../../deployment/limits/pull-limits.ts';
import type { ImageRequest } from '../../deployment/plan/operation.ts';
import type { Workload } from '../../deployment/workload/workload.ts';
import type { ImageContent } from '../../images/contents/image-contents.ts';
import { isGateName } from '../../images/gate/distribution.ts';
import type { NodeGate, Pass } from '../../images/gate/node-gate.ts';
import type { Platform } from '../../images/manifests/manifest.ts';
import type { Images } from '../../images/open.ts';
import { type BaseSource, EngineFault } from '../engine.ts';
import { asEngineFault } from '../images/as-engine-fault.ts';
import { isLocalImage } from '../images/local-images.ts';
import type { WorkloadRequest } from './manifests/workload.ts';

/** `pass`: the credential with which nodes pull the image. */
export type FetchedImage = Pick<WorkloadRequest, 'image' | 'imageVolumes' | 'imageUser'> & { pass?: Pass };

/** For a start. Throws EngineFault if the image does not exist or the deployment may not use it. */
export type FetchImage = (
  workload: Pick<Workload, 'image' | 'registryLogin' | 'pod'>,
  limits?: OwnImageLimits,
) => Promise<FetchedImage>;

export type ClusterImages = {
  bring: FetchImage;
  /**
   * Returns the content of a pushed image at these paths, with which new volumes start. Empty for other images, whose
   * volumes start empty. Throws EngineFault.
   */
  contents(paths: readonly string[], ...brought: Parameters<FetchImage>): Promise<ReadonlyMap<string, ImageContent>>;
  /** Absent if nodes do not pull from Berth. */
  bases?: BaseSource;
  /**
   * Returns whether the nodes have the image. For images that nodes pull from Berth, they only have the running ones.
   */
  isOnNodes(image: string): boolean;
};

/** A registry answers in 50 to 500 ms. */
const patienceMs = 10_000;

/** The time limit for all layers of an image to arrive at the gate. A silent registry is given up long before. */
const bringMs = 30 * 60_000;

export type ClusterImageParts = {
  images: Pick<Images, 'digestOf' | 'nodes'>;
  /** Names of node images that all deployments may use; `*` matches any text. */
  localPatterns: readonly string[];
};

/**
 * Only Berth requests images that users name, never a node: nodes use the images that the operator has provided, and
 * pull others from Berth. `architectureNow`: the architecture of the nodes.
 */
export function createClusterImages(
  { images, localPatterns }: ClusterImageParts,
  architectureNow: () => string | undefined,
): ClusterImages {
  const isOnNodes = (image: string) =>
    !isGateName(image) && isLocalImage(image, undefined, { built: false, patterns: localPatterns });

  async function digestOf(request: ImageRequest): Promise<string> {
    try {
      return await images.digestOf(request, AbortSignal.timeout(patienceMs));
    } catch (error) {
      throw asEngineFault(error);
    }
  }

  function platformNow(): Platform {
    const architecture = architectureNow();
    if (architecture === undefined) throw new EngineFault('unavailable', 'The cluster has no node that takes pods.');
    return { os: 'linux', architecture };
  }

  return {
    async bring({ image, registryLogin, pod }, limits) {
      if (isOnNodes(image)) return { image };
      const request = { image, ...(registryLogin && { registryLogin }) };
      if (!images.nodes) {
        await digestOf(request);
        throw new EngineFault('image-access-denied', `Image ${image} cannot be brought to this cluster.`, {
          image,
          pods: [pod],
          hint: 'its operator has to set BERTH_GATE, or to put it on the nodes and name it in BERTH_LOCAL_IMAGES',
        });
      }
      const platform = platformNow();
      try {
        const { reference, volumes, user, pass } = await images.nodes.admit(
          request,
          platform,
          AbortSignal.timeout(bringMs),
          limits,
        );
        return { image: reference, imageVolumes: volumes, imageUser: user, pass };
      } catch (error) {
        throw asEngineFault(error);
      }
    },
    async contents(paths, { image }, limits) {
      if (!images.nodes || readPushedReference(image) === undefined) return new Map();
      const platform = platformNow();
      try {
        return await images.nodes.contents(paths, { image }, platform, AbortSignal.timeout(bringMs), limits);
      } catch (error) {
        throw asEngineFault(error);
      }
    },
    ...(images.nodes && { bases: createBaseSource(images.nodes, platformNow) }),
    isOnNodes,
  };
}

function createBaseSource(nodes: NodeGate, platformNow: () => Platform): BaseSource {
  return {
    async find(image, signal) {
      try {
        const { id, open } = await nodes.save({ image }, platformNow(), signal);
        return { id, open: async () => open(signal) };
      } catch (error) {
        throw asEngineFault(error);
      }
    },
  };
}
