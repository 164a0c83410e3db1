/** `berth restore`: brings back what was removed or has expired. */
import { printable } from '../render.ts';
import { statuses } from '../words.ts';
import { type Run, targetOf } from './command.ts';
import { followDeployment } from './follow-deployment.ts';

export const restore: Run = async (context) => {
  const target = await targetOf(context);
  if (typeof target === 'number') return target;
  const { connection, terminal, options, signal } = context;
  const answer = await connection.client.call('restoreDeployment', { body: target, signal });
  if (!answer.ok) return terminal.refuse(answer.problem);
  const { message, url, expiresAt, applicationName, environment } = answer.value;
  if (connection.memory.applicationName === undefined)
    await context.remember({ ...connection.memory, applicationName, environment, url });
  if (!options['no-wait']) {
    terminal.note(printable(message));
    return await followDeployment(context, target, connection.token!);
  }
  terminal.json({ message, url, ...(expiresAt !== undefined && { expiresAt }) });
  terminal.print(url);
  return statuses.done;
};
