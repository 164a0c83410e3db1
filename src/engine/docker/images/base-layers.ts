/** The lowest layers of the images that the engine has: of an image on one of them, a pull brings only the rest. */
import type Docker from 'dockerode';
import { orAbsent } from '../faults.ts';
import { imagesOf } from './image-store.ts';

/** Whether an image with this lowest layer is there; `diffId`: the digest of what it unpacks to. */
export type HasBase = (diffId: string) => Promise<boolean>;

export function createBaseLayers(docker: Docker): HasBase {
  /** By the image's id, which is a digest of it: what is known stays right. */
  let known = new Map<string, string | undefined>();

  async function baseOf(id: string): Promise<string | undefined> {
    if (known.has(id)) return known.get(id);
    return (await orAbsent(docker.getImage(id).inspect()))?.RootFS.Layers?.[0];
  }

  return async (diffId) => {
    const bases = await Promise.all((await imagesOf(docker)).map(async ({ Id }) => [Id, await baseOf(Id)] as const));
    known = new Map(bases);
    return bases.some(([, base]) => base === diffId);
  };
}
