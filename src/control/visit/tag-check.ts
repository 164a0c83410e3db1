/** Asking registries what tags mean now. Nothing is downloaded. */
import { pin, registryOf } from '../../config/values/image-names.ts';
import type { ImageRequest, ResolvedImage } from '../../deployment/plan/operation.ts';
import type { Engine } from '../../engine/engine.ts';
import { asEngineFault } from '../../engine/images/as-engine-fault.ts';
import { ImageFault, whenItAnswers } from '../../images/image-fault.ts';
import type { Images } from '../../images/open.ts';

/** A registry answers in 50 to 500 ms; a deployment whose images are all here need not wait for a slow one. */
const patienceMs = 2_000;

/** A registry that did not answer is not asked again for so long: most hosts without one never have one. */
const rememberMs = 60_000;

/**
 * `deploymentId`: who asks. What one has provoked says nothing to another, whose tags may have moved. Each registry is
 * asked with the login of the request and no other, all at once. Of one that cannot be reached, or was not a minute ago,
 * the image that the engine has is taken; the operator's own are taken unasked. Throws EngineFault when one refuses, or
 * when there is nothing to take.
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
    // No id has a blank.
    const asked = `${deploymentId} ${registryOf(image)}`;
    if ((unreachableUntil.get(asked) ?? 0) > uptime()) return present(unreachable(image));
    try {
      return { image, reference: pin(image, await askDigest(images, request)), by: 'registry' };
    } catch (error) {
      if (!(error instanceof ImageFault) || error.kind !== 'registry-unreachable') throw asEngineFault(error);
      // One that answers, however badly, is asked again: it answers others well.
      if (error.isSilence) remember(asked);
      return present(error);
    }
  }

  function remember(asked: string): void {
    // Tenants name registries: those of the past are forgotten, or the list would grow for ever.
    for (const [known, until] of unreachableUntil) if (until <= uptime()) unreachableUntil.delete(known);
    unreachableUntil.set(asked, uptime() + rememberMs);
  }

  return (deploymentId, requests) => Promise.all(requests.map((request) => check(deploymentId, request)));
}

async function askDigest(images: Pick<Images, 'digestOf'>, request: ImageRequest): Promise<string> {
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
