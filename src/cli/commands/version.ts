/** `berth version`: of this command, and of the service that it would ask. */
import manifest from '../../../package.json' with { type: 'json' };
import { request } from '../../client/request.ts';
import { statuses } from '../arguments.ts';
import { printable } from '../render.ts';
import type { Run } from './command.ts';

export const version: Run = async ({ connection: { server }, terminal, signal }) => {
  const answer = await request<{ version?: unknown }>({ baseUrl: server }, '/healthz', { signal });
  // A refusal also shows that the service is there.
  const isThere = answer.ok || answer.problem.status > 0;
  const served = answer.ok && typeof answer.value.version === 'string' ? { service: answer.value.version } : {};
  terminal.json({ client: manifest.version, node: process.versions.node, server, answers: isThere, ...served });
  const reported = served.service === undefined ? '' : `, Berth ${printable(served.service)}`;
  terminal.print(
    `berth ${manifest.version} (Node ${process.versions.node})\n${printable(server)} ${isThere ? `answers${reported}` : 'does not answer'}\n`,
  );
  return statuses.done;
};
