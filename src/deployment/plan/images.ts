/** PURE. Images that a plan needs on the host. */
import type { DesiredWorkload } from '../desired.ts';
import type { Observed, Workload } from '../workload/workload.ts';
import type { Match } from './matches.ts';
import type { ImageRequest } from './operation.ts';

/** True if the engine has no store of images: then a start pulls its image. */
export function isPresent(image: string, { images }: Pick<Observed, 'images'>): boolean {
  return images?.present.includes(image) ?? true;
}

/** Returns whether the image to run is certain. An image that was built here has no other version. */
export function isSettled({ isImageSettled, workload }: DesiredWorkload, { images }: Observed): boolean {
  return isImageSettled || (images?.local.includes(workload.image) ?? false);
}

/** Images on the host with a tag that may have moved. One check covers all pods, because registries are slow. */
export function unsettledImages(matches: Match[], observed: Observed): ImageRequest[] {
  const requests = matches
    .filter(({ wanted, found }) => !found && !isSettled(wanted, observed))
    .map(({ wanted }) => requestOf(wanted.workload))
    .filter(({ image }) => isPresent(image, observed));
  return [...new Map(requests.map((request) => [request.image, request])).values()];
}

export function requestOf({ image, registryLogin }: Workload): ImageRequest {
  return { image, ...(registryLogin && { registryLogin }) };
}
