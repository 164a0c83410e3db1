/** The images that a project must build: one for each different build or stack of layers. */
import { slugOf } from '../../config/compose/compose-names.ts';
import { knownImage } from '../../config/compose/known-images.ts';
import { databaseOf } from '../../config/software/software.ts';
import { shortNameOf, splitImage } from '../../config/values/image-names.ts';
import type { FolderLayer, ImageToMake, Place } from '../project.ts';

export type Images = {
  /** Returns the name of the image that the service runs. The same base and layers give the same name. */
  nameFor(service: string, wanted: Wanted): string;
  all(): ImageToMake[];
};

export type Wanted = {
  base: ImageToMake['base'];
  /** The image of a registry that it is built on in the end. */
  root: string | undefined;
  layers: FolderLayer[];
  at: Place;
};

/** A tag that does not mean the newest image, because a start resolves it. */
const tag = '1';

export function openImages(): Images {
  const images = new Map<string, ImageToMake>();
  const taken = new Set<string>();
  return {
    nameFor(service, { base, root, layers, at }) {
      const content = layers.map(({ at: _, ...layer }) => layer);
      // The tag only says under which name Compose would store the result.
      const made = base.kind === 'build' ? Object.entries(base.build).filter(([key]) => key !== 'tag') : base.image;
      const id = JSON.stringify([made, content]);
      const known = images.get(id);
      if (known) {
        known.services.push(service);
        return known.name;
      }
      const name = freeName(service, root, base.kind, taken);
      images.set(id, { name, services: [service], base, layers, at });
      return name;
    },
    all: () => [...images.values()],
  };
}

/**
 * The last part of an image's name identifies it, with its version if that matters: a database with an added file is
 * still that database.
 */
function freeName(
  service: string,
  root: string | undefined,
  kind: ImageToMake['base']['kind'],
  taken: Set<string>,
): string {
  const own = slugOf(service) || 'service';
  const isKnown = root !== undefined && (databaseOf(root) !== undefined || knownImage(root) !== undefined);
  const software = isKnown ? `/${shortNameOf(root)}` : '';
  const version = isKnown ? splitImage(root).tag : undefined;
  const end = version !== undefined && (kind === 'image' || databaseOf(root!)) ? version : tag;
  let name = own;
  for (let number = 2; taken.has(name); number++) name = `${own}-${number}`;
  taken.add(name);
  return `./${name}${software}:${end}`;
}
