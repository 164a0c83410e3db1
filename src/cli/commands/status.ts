/** `berth status`, `list` and `whoami`: the state of deployments and of the login. */

import { statuses } from '../arguments.ts';
import { printable, renderTable } from '../render.ts';
import { leftUntil, type Run, targetOf } from './command.ts';
import { describe, followDeployment } from './follow-deployment.ts';

export const status: Run = async (context) => {
  const { connection, options, terminal, signal } = context;
  const target = await targetOf(context);
  if (typeof target === 'number') return target;
  if (options.wait) return await followDeployment(context, target, connection.token!);
  const answer = await connection.client.call('getDeploymentStatus', { query: target, signal });
  if (!answer.ok) return terminal.refuse(answer.problem);
  terminal.json(answer.value);
  terminal.print(describe(answer.value, connection.server, terminal.paint));
  return answer.value.status.state === 'failed' ? statuses.refused : statuses.done;
};

export const list: Run = async ({ connection, terminal, signal }) => {
  const answer = await connection.client.call('listDeployments', { signal });
  if (!answer.ok) return terminal.refuse(answer.problem);
  const { reservedDeployments } = answer.value;
  terminal.json(reservedDeployments);
  const rows = reservedDeployments.map(({ applicationName, environment, status, url, expiresAt }) => [
    ...[applicationName, environment, status.health, url],
    expiresAt === undefined ? '' : leftUntil(expiresAt, Date.now()),
  ]);
  terminal.print(renderTable(['APPLICATION', 'ENVIRONMENT', 'STATE', 'URL', 'ENDS IN'], rows));
  return statuses.done;
};

export const whoami: Run = async ({ connection, terminal, signal }) => {
  const { client, token, server } = connection;
  const limits = await client.call('getLimits', { signal });
  if (!limits.ok) return terminal.refuse(limits.problem);
  const account = token?.startsWith('berthkey_') ? await client.call('getAccount', { signal }) : undefined;
  if (account && !account.ok) return terminal.refuse(account.problem);
  const name = account?.value.email;
  const kind = token === undefined ? 'anonymous' : name === undefined ? 'session' : 'account';
  terminal.json({ server, kind, ...(account && { account: account.value }), limits: limits.value });
  const who = {
    anonymous: 'no token is stored for this folder',
    session: 'a session, by its token',
    account: printable(name ?? ''),
  };
  const { used, most } = limits.value.deployments;
  terminal.print(`${server}\n${who[kind]}\ndeployments: ${used} of ${most}\n`);
  return statuses.done;
};
