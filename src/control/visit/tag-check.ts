/** Resolves tags at their registries, without a download. */
import { pin, registryOf } from '../../config/values/image-names.ts';
import type { ImageRequest, ResolvedImage } from '../../deployment/plan/operation.ts';
import type { Engine } from '../../engine/engine.ts';
import { asEngineFault } from '../../engine/images/as-engine-fault.ts';
import { ImageFault, whenItAnswers } from '../../images/image-fault.ts';
import type { Images } from '../../images/open.ts';

/** Registries respond in 50 to 500 ms. A deployment with all its images on the host does not wait for a slow one. */
const patienceMs = 2_000;

/** How long an unreachable registry is not requested again. */
const rememberMs = 60_000;

/**
 * Resolves the tags of a deployment, all at the same time, each with the login of its request. If a registry is
 * unreachable or was in the last minute, the image on the host is used. Unreachable registries are remembered per
 * deployment, so that tenants do not affect each other. Images of the operator need no registry. Throws EngineFault if
 * a registry refuses or no image is found.
 */
export type CheckTags = (deploymentId: string, requests: readonly ImageRequest[]) => Promise<ResolvedImage[]>;

export type TagCheckParts = {
  images: Pick<Images, 'digestOf'>;
  engine: Pick<Engine, 'findImage'>;
  /** Milliseconds; never goes back. */
  uptime?: () => number;
};

export function createTagCheck({ images, engine, uptime = () => performance.now() }: TagCheckParts): CheckTags {
  const unreachableUntil = new Map<string, number>();

  async function check(deploymentId: string, request: ImageRequest): Promise<ResolvedImage> {
    const { image } = request;
    const found = await engine.findImage(image);
    if (found?.isOperators) return { image, reference: found.reference, by: 'operator' };
    const present = (fault: ImageFault): ResolvedImage => {
      if (!found) throw asEngineFault(fault);
      return { image, reference: found.reference, by: 'presence' };
    };
    // Ids contain no spaces.
    const requested = `${deploymentId} ${registryOf(image)}`;
    if ((unreachableUntil.get(requested) ?? 0) > uptime()) return present(unreachable(image));
    try {
      return { image, reference: pin(image, await requestDigest(images, request)), by: 'registry' };
    } catch (error) {
      if (!(error instanceof ImageFault) || error.kind !== 'registry-unreachable') throw asEngineFault(error);
      // Only silence is remembered. A registry that responds with an error may serve other requests.
      if (error.isSilence) remember(requested);
      return present(error);
    }
  }

  function remember(requested: string): void {
    // Tenants choose registries, so expired entries are removed to bound the map.
    for (const [known, until] of unreachableUntil) if (until <= uptime()) unreachableUntil.delete(known);
    unreachableUntil.set(requested, uptime() + rememberMs);
  }

  return (deploymentId, requests) => Promise.all(requests.map((request) => check(deploymentId, request)));
}

async function requestDigest(images: Pick<Images, 'digestOf'>, request: ImageRequest): Promise<string> {
  const late = AbortSignal.timeout(patienceMs);
  try {
    return await images.digestOf(request, late);
  } catch (error) {
    if (!late.aborted) throw error;
    const { image } = request;
    const words = `The registry ${registryOf(image)} did not answer within ${patienceMs / 1000} s for ${image}.`;
    const options = { cause: error, hint: whenItAnswers, isSilence: true };
    throw new ImageFault('registry-unreachable', image, words, options);
  }
}

function unreachable(image: string): ImageFault {
  const words = `The registry ${registryOf(image)} cannot be reached for ${image}.`;
  return new ImageFault('registry-unreachable', image, words, { hint: `check its name; ${whenItAnswers}` });
}
