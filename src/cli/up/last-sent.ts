/** Decides whether the content of a folder was sent before and is still deployed. */
import { createHash } from 'node:crypto';
import type { Project } from '../../folder/project.ts';
import type { PushedImage } from '../../push/push-image.ts';
import { statuses } from '../arguments.ts';
import type { Context } from '../commands/command.ts';
import { followDeployment } from '../commands/follow-deployment.ts';
import { printable } from '../render.ts';

/** PURE. Computes a digest of the document and of the content of its images. It identifies the deployment's content. */
export function contentOf({ document }: Project, images: readonly PushedImage[]): string {
  const made = images.map(({ name, digest }) => [name, digest]);
  return createHash('sha256')
    .update(JSON.stringify([document, made]))
    .digest('hex');
}

/**
 * Sends nothing if the same content runs or is being started. A failed start is repeated. @returns the exit status.
 * Undefined if the content must be sent.
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
