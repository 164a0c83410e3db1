/** `berth restore`: restores a removed or expired deployment. */

import { statuses } from '../arguments.ts';
import { printable } from '../render.ts';
import { type Run, targetOf } from './command.ts';
import { followDeployment } from './follow-deployment.ts';

export const restore: Run = async (context) => {
  const target = await targetOf(context);
  if (typeof target === 'number') return target;
  const { connection, terminal, options, signal } = context;
  const answer = await connection.client.call('restoreDeployment', { body: target, signal });
  if (!answer.ok) return terminal.refuse(answer.problem);
  const { message, url, expiresAt, applicationName, environment } = answer.value;
  if (connection.saved.applicationName === undefined)
    await context.saveSession({ ...connection.saved, applicationName, environment, url });
  if (!options['no-wait']) {
    terminal.printNote(printable(message));
    return await followDeployment(context, target, connection.token!);
  }
  terminal.json({ message, url, ...(expiresAt !== undefined && { expiresAt }) });
  terminal.print(url);
  return statuses.done;
};
