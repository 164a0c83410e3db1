/** `berth admin images`. */
import { type ImageLine, listImages } from '../../admin/list-images.ts';
import { printBytes } from '../../config/values/units.ts';
import { renderTable } from '../render.ts';
import { done, type StoreCommand } from './admin-command.ts';

export const imagesCommand: StoreCommand = {
  words: [],
  help: 'lists pushed images, the largest first, with owners and times of last use',
  async run(db, _, { pushedBytes }) {
    const { images, sizeBytes } = await listImages(db);
    const rows = images.map((image) => [
      ...[image.repository, printTags(image.tags), printBytes(image.sizeBytes), ownerOf(image)],
      ...[image.pushedAt, image.lastUsedAt],
    ]);
    const table = renderTable(['IMAGE', 'TAGS', 'SIZE', 'OWNER', 'PUSHED', 'LAST USED'], rows);
    const taken = `${printBytes(sizeBytes)} of ${printBytes(pushedBytes)} (pushed in BERTH_IMAGE_LIMITS), shared layers counted once`;
    return done(`${images.length > 0 ? `${table}\n` : 'No images are pushed.\n'}${taken}\n`, {
      images,
      sizeBytes,
    });
  },
};

/** A user's builds may leave hundreds. */
const maxTags = 4;

function printTags(tags: readonly string[]): string {
  if (tags.length === 0) return '-';
  const others = tags.length - maxTags;
  return `${tags.slice(0, maxTags).join(' ')}${others > 0 ? ` and ${others} more` : ''}`;
}

/** For a session without an account, an operator can act on the address. */
function ownerOf({ email, client }: ImageLine): string {
  return email ?? `no account, from ${client}`;
}
