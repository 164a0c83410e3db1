/**
 * Determines the images that a build is based on, and fetches them to the host under the same rules as images of pods.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { registryOf, repositoryOf } from '../config/values/image-names.ts';
import { pushedRegistry } from '../config/values/pushed-image.ts';
import { EngineFault, facetOf, type ExportedImage as HostImage } from '../engine/engine.ts';
import { type BaseName, baseImagesOf } from '../folder/dockerfile.ts';
import type { Build } from '../folder/project.ts';
import { isGranted, mayUse } from '../store/image-access.ts';
import { recordPull } from '../store/pulled-images.ts';
import { BuildFault } from './build-fault.ts';
import type { BuildParts } from './build-parts.ts';

/** The images that a build needs, as its Dockerfile writes them. Throws BuildFault for a build that needs a local Docker. */
export async function basesOf(build: Build): Promise<BaseName[]> {
  refuseUnsupported(build);
  const text = build.inline ?? (await readFile(build.dockerfile ?? join(build.context, 'Dockerfile'), 'utf8'));
  return baseImagesOf(text, build.args);
}

/** Refuses features that only a build on the developer's machine supports. */
function refuseUnsupported({ isRemote, context, additionalContexts, ssh }: Build): void {
  const hint = 'Build and push it with berth up and a local Docker.';
  if (isRemote) throw new BuildFault(`The build context ${context} is not in the source.`, { hint });
  if (Object.keys(additionalContexts).length > 0)
    throw new BuildFault('additional_contexts are not supported in builds on the server.', { hint });
  if (ssh.length > 0) throw new BuildFault('SSH mounts are not supported in builds on the server.', { hint });
}

/** Throws EngineFault if the deployment may not use the image, or if its registry does not send it. */
export async function fetchBase(
  { db, engine, now }: Pick<BuildParts, 'db' | 'engine' | 'now'>,
  { deploymentId, image, stop }: { deploymentId: string; image: string; stop: AbortSignal },
): Promise<HostImage> {
  if (registryOf(image) === pushedRegistry && !(await isGranted(db, deploymentId, repositoryOf(image))))
    throw noAccess(image);
  if (engine.bases) return await engine.bases.find(image, stop);
  const images = facetOf(engine, 'images');
  const { by, reference } = await images.pull(deploymentId, { image }, { signal: stop });
  if (by === 'pull') await recordPull(db, [image, reference], now());
  // Another deployment may have pulled it with a login.
  else if (!(await mayUse(db, deploymentId, repositoryOf(image))) && !(await engine.findImage(image))?.isOperators)
    throw noAccess(image);
  const found = await images.export(image);
  if (found) return found;
  const hint = 'Start the build again.';
  throw new EngineFault('unavailable', `The base image ${image} is gone from the host.`, { hint });
}

function noAccess(image: string): EngineFault {
  const words = `The base image ${image} does not belong to this application.`;
  return new EngineFault('image-access-denied', words, { image, hint: 'Use a public image in FROM.' });
}
