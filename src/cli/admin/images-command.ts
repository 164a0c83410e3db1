/** `berth admin images`. */
import { listImages } from '../../admin/list-images.ts';
import { printBytes } from '../../config/values/units.ts';
import { renderTable } from '../render.ts';
import { type Command, done } from './admin-command.ts';

export const imagesCommand: Command = {
  words: [],
  help: 'what users have pushed, the largest first: whose it is, and when it was last used',
  async run(db) {
    const images = await listImages(db);
    const rows = images.map(({ repository, tags, sizeBytes, email, sessionId, pushedAt, lastUsedAt }) => [
      ...[repository, tags.join(' ') || '-', printBytes(sizeBytes)],
      ...[email ?? `session ${sessionId}`, pushedAt, lastUsedAt],
    ]);
    return done(renderTable(['IMAGE', 'TAGS', 'SIZE', 'OWNER', 'PUSHED', 'LAST USED'], rows), { images });
  },
};
