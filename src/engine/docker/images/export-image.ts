/** An image of the host as a tar, for builds that use it as their base. */
import type { Readable } from 'node:stream';
import type Docker from 'dockerode';
import type { ExportedImage } from '../../engine.ts';
import type { LocalImages } from '../../images/local-images.ts';
import { readImage } from './image-facts.ts';

/** Undefined where the host has no image of this reference that tenants may run. */
export async function exportImage(
  docker: Docker,
  image: string,
  local: LocalImages,
): Promise<ExportedImage | undefined> {
  const facts = await readImage(docker, image, local);
  if (!facts) return undefined;
  const { Id: id } = await docker.getImage(facts.name).inspect();
  return { id, open: async () => (await docker.getImage(id).get()) as Readable };
}
