/** `berth share`: a link to a page where others see how a deployment is doing. */
import type { AnswerOf } from '../../client/client.ts';
import { statuses } from '../arguments.ts';
import { printable } from '../render.ts';
import { type Context, type Run, type Target, targetOf } from './command.ts';

export const share: Run = async (context) => {
  const { given, terminal } = context;
  const [action, ...rest] = given;
  if ((action !== undefined && action !== 'show' && action !== 'revoke') || rest.length > 0)
    return terminal.fail('Use "berth share", "berth share show" or "berth share revoke".');
  const target = await targetOf(context);
  if (typeof target === 'number') return target;
  if (action === 'revoke') return await revoke(context, target);
  const { connection, signal } = context;
  const { client } = connection;
  const answer =
    action === 'show'
      ? await client.call('getShareLink', { query: target, signal })
      : await client.call('shareDeployment', { body: target, signal });
  return answer.ok ? tell(context, answer.value) : terminal.refuse(answer.problem);
};

function tell({ terminal }: Context, link: AnswerOf<'getShareLink'>): number {
  terminal.json(link);
  terminal.print(link.url);
  terminal.printNote('Everyone with this link can see the status of the deployment, until "berth share revoke".');
  return statuses.done;
}

async function revoke({ connection, terminal, signal }: Context, target: Target): Promise<number> {
  const answer = await connection.client.call('unshareDeployment', { body: target, signal });
  if (!answer.ok) return terminal.refuse(answer.problem);
  terminal.json(answer.value);
  terminal.print(printable(answer.value.message));
  return statuses.done;
}
