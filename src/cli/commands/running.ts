/** `berth restart`, `stop` and `start`. */

import { statuses } from '../arguments.ts';
import { printable } from '../render.ts';
import { type Context, type Run, targetOf } from './command.ts';
import { followDeployment } from './follow-deployment.ts';

export const stop: Run = async (context) => {
  const target = await targetOf(context);
  if (typeof target === 'number') return target;
  const { connection, terminal, signal } = context;
  const answer = await connection.client.call('stopApplication', { body: target, signal });
  if (!answer.ok) return terminal.refuse(answer.problem);
  terminal.json(answer.value);
  terminal.print(`${printable(target.applicationName)} is stopped. "berth start" starts it again.`);
  return statuses.done;
};

export const start: Run = async (context) => await begin(context);

export const restart: Run = async (context) => await begin(context, context.given[0]);

/** Starts the whole deployment after a stop, or one pod. */
async function begin(context: Context, pod?: string): Promise<number> {
  const target = await targetOf(context);
  if (typeof target === 'number') return target;
  const { connection, terminal, options, signal } = context;
  const { client } = connection;
  const answer =
    pod === undefined
      ? await client.call('startApplication', { body: target, signal })
      : await client.call('restartPod', { body: { ...target, pod }, signal });
  if (!answer.ok) return terminal.refuse(answer.problem);
  const { message, status } = answer.value;
  if (options['no-wait']) {
    terminal.json(answer.value);
    terminal.print(printable(message));
    return statuses.done;
  }
  terminal.printNote(printable(message));
  // After a failed update, the previous revision starts, while the state still shows the failure.
  return await followDeployment(context, target, connection.token!, { wasFailed: status.state === 'failed' });
}
