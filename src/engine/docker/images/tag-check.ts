/** Asking registries what tags mean now. Nothing is downloaded. */
import type Docker from 'dockerode';
import { pin, registryOf } from '../../../config/values/image-names.ts';
import type { ImageRequest, ResolvedImage } from '../../../deployment/plan/operation.ts';
import { ImageFault, whenItAnswers } from '../../../images/image-fault.ts';
import type { Images } from '../../../images/open.ts';
import { asEngineFault } from '../../images/as-engine-fault.ts';
import type { LocalImages } from '../../images/local-images.ts';
import { readImage } from './image-facts.ts';

/** A registry answers in 50 to 500 ms; a deployment whose images are all here need not wait for a slow one. */
const patienceMs = 2_000;

/** A registry that did not answer is not asked again for so long: most hosts without one never have one. */
const rememberMs = 60_000;

/** `deploymentId`: who asks. What one has provoked says nothing to another, whose tags may have moved. */
export type Check = (deploymentId: string, requests: readonly ImageRequest[]) => Promise<ResolvedImage[]>;

export type CheckParts = { docker: Docker; images: Images; localImages: LocalImages; uptime: () => number };

/** All at once. An image that is here is enough when its registry cannot be reached; a refusal is a fault. */
export function createCheck({ docker, images, localImages, uptime }: CheckParts): Check {
  const unreachableUntil = new Map<string, number>();

  async function check(deploymentId: string, request: ImageRequest): Promise<ResolvedImage> {
    const { image } = request;
    // No id has a blank.
    const asked = `${deploymentId} ${registryOf(image)}`;
    if ((unreachableUntil.get(asked) ?? 0) > uptime()) return presentImage(image, unreachable(image));
    try {
      return { image, reference: pin(image, await askDigest(images, request)), by: 'registry' };
    } catch (error) {
      if (!(error instanceof ImageFault) || error.kind !== 'registry-unreachable') throw asEngineFault(error);
      // One that answers, however badly, is asked again: it answers others well.
      if (error.isSilence) remember(asked);
      return presentImage(image, error);
    }
  }

  function remember(asked: string): void {
    // Tenants name registries: those of the past are forgotten, or the list would grow for ever.
    for (const [known, until] of unreachableUntil) if (until <= uptime()) unreachableUntil.delete(known);
    unreachableUntil.set(asked, uptime() + rememberMs);
  }

  async function presentImage(image: string, fault: ImageFault): Promise<ResolvedImage> {
    const facts = await readImage(docker, image, localImages);
    if (!facts) throw asEngineFault(fault);
    return { image, reference: facts.pinned ?? image, by: 'presence' };
  }

  return (deploymentId, requests) => Promise.all(requests.map((request) => check(deploymentId, request)));
}

async function askDigest(images: Images, request: ImageRequest): Promise<string> {
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
  return new ImageFault('registry-unreachable', image, words, { hint: whenItAnswers });
}
