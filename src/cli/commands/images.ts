/** `berth images`: what the session or the account has pushed. */
import { printBytes } from '../../config/values/units.ts';
import { statuses } from '../arguments.ts';
import { renderTable } from '../render.ts';
import { noDeployment, type Run } from './command.ts';

export const images: Run = async ({ connection: { client, token }, terminal, signal }) => {
  if (token === undefined) return terminal.fail(noDeployment);
  const answer = await client.call('listImages', { signal });
  if (!answer.ok) return terminal.refuse(answer.problem);
  terminal.json(answer.value);
  const rows = answer.value.images.map(({ image, tags, sizeBytes, pushedAt, lastUsedAt }) => [
    ...[image, tags.join(' ') || '-', printBytes(sizeBytes)],
    ...[pushedAt, lastUsedAt],
  ]);
  terminal.print(renderTable(['IMAGE', 'TAGS', 'SIZE', 'PUSHED', 'LAST USED'], rows));
  return statuses.done;
};
