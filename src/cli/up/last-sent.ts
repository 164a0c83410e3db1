/** Whether what a folder has become is what it has sent before, and what it sent is there still. */
import { createHash } from 'node:crypto';
import type { Project } from '../../folder/project.ts';
import type { PushedImage } from '../../push/push-image.ts';
import { statuses } from '../arguments.ts';
import type { Context } from '../commands/command.ts';
import { followDeployment } from '../commands/follow-deployment.ts';
import { printable } from '../render.ts';

/** PURE. Of the document and of what its images hold: another one is another deployment. */
export function contentOf({ document }: Project, images: readonly PushedImage[]): string {
  const made = images.map(({ name, digest }) => [name, digest]);
  return createHash('sha256')
    .update(JSON.stringify([document, made]))
    .digest('hex');
}

/**
 * Sends nothing where this very content runs, or is on its way; one that has failed is worth another attempt.
 * @returns the status to end with; undefined where it has to be sent.
 */
export async function skipUnchanged(context: Context, content: string): Promise<number | undefined> {
  const { connection, terminal, options, signal } = context;
  const { application, client, token, saved } = connection;
  if (!application || token === undefined || saved.sent?.content !== content) return undefined;
  const answer = await client.call('getDeploymentStatus', { query: application, signal });
  if (!answer.ok) return undefined;
  const { status, url, applicationName } = answer.value;
  if (url !== saved.url || status.revision !== saved.sent.revision) return undefined;
  if (status.health !== 'running' && status.health !== 'deploying') return undefined;
  terminal.printNote(`${printable(applicationName)}: nothing has changed, so nothing is sent.`);
  if (!options['no-wait']) return await followDeployment(context, application, token);
  terminal.json(answer.value);
  terminal.print(url);
  return statuses.done;
}
