/** `berth version`: of this command, and of the service that it would ask. */
import manifest from '../../../package.json' with { type: 'json' };
import { printable } from '../render.ts';
import { statuses } from '../words.ts';
import type { Run } from './command.ts';

export const version: Run = async ({ connection, terminal, signal }) => {
  const { client, server } = connection;
  const answer = await client.call('getLimits', { signal });
  // Whoever is refused has heard the service all the same.
  const isThere = answer.ok || answer.problem.status > 0;
  terminal.json({ client: manifest.version, node: process.versions.node, server, answers: isThere });
  terminal.print(
    `berth ${manifest.version} (Node ${process.versions.node})\n${printable(server)} ${isThere ? 'answers' : 'does not answer'}\n`,
  );
  return statuses.done;
};
