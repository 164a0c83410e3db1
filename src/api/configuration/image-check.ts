/** Whether this server can get the images of a configuration, and which one near to a missing one it has. */
import { nearestName } from '../../config/diagnostics/suggest.ts';
import type { AppSpec } from '../../config/spec/spec.ts';
import { imagesOf, loginFor } from '../../config/spec/spec-images.ts';
import { repositoryOf, shortNameOf } from '../../config/values/image-names.ts';
import { readPushedName } from '../../config/values/pushed-image.ts';
import type { MissingImage } from '../../deployment/limits/missing-images.ts';
import { ImageFault } from '../../images/image-fault.ts';
import type { Service } from '../api-service.ts';

/** A registry that does not answer in this time is reported as unreachable. */
const patienceMs = 5_000;
/** Each image is a request to a registry that a stranger names. */
const mostImages = 20;

/**
 * Undefined if the images are not checked: nodes pull their images themselves, there are too many images, or `mayLook`
 * refuses so many lookups.
 */
export async function findMissingImages(
  service: Service,
  spec: AppSpec,
  mayLook: (images: number) => boolean,
): Promise<MissingImage[] | undefined> {
  const { engine, registries, settings } = service;
  const images = imagesOf(spec).filter((image) => readPushedName(image, settings.baseUrl.host) === undefined);
  if (!engine.images || !registries || images.length > mostImages || !mayLook(images.length)) return undefined;
  const signal = AbortSignal.timeout(patienceMs);
  const checked = await Promise.all(
    images.map(async (image): Promise<MissingImage[]> => {
      // An image that passed the gate for another tenant may be private: only the operator's are for everyone.
      if ((await engine.findImage(image))?.isOperators) return [];
      const registryLogin = loginFor(image, spec.registryLogin);
      try {
        await registries.digestOf({ image, ...(registryLogin && { registryLogin }) }, signal);
        return [];
      } catch (error) {
        if (!(error instanceof ImageFault) && !signal.aborted) throw error;
        const because = error instanceof ImageFault ? error.message : `The registry of ${image} does not answer.`;
        return [{ image, because, hint: await hintFor(image, engine) }];
      }
    }),
  );
  return checked.flat();
}

async function hintFor(image: string, engine: Service['engine']): Promise<string> {
  const nearest = await nearestHere(image, engine);
  return nearest === undefined
    ? 'name an image that its registry has, or push it to this server'
    : `this server has ${nearest}`;
}

/** Returns the operator's image with the most similar name, from the same repository or with the same last part. */
async function nearestHere(image: string, engine: Service['engine']): Promise<string | undefined> {
  const tags = ((await engine.images?.list()) ?? []).flatMap((here) => here.tags);
  const alike = tags.filter((tag) => shortNameOf(tag) === shortNameOf(image));
  const found = await Promise.all(alike.map(async (tag) => ((await engine.findImage(tag))?.isOperators ? [tag] : [])));
  const ours = found.flat();
  const same = ours.filter((tag) => repositoryOf(tag) === repositoryOf(image));
  const candidates = same.length > 0 ? same : ours;
  return nearestName(image, candidates) ?? candidates[0];
}
