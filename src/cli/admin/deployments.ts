/** `berth admin deployments`. */
import { listDeployments } from '../../admin/deployments.ts';
import { renderTable } from '../render.ts';
import { type Command, done } from './command.ts';

export const deploymentsCommand: Command = {
  words: [],
  says: 'what is deployed, and whose it is',
  async run(db) {
    const deployments = await listDeployments(db);
    const rows = deployments.map(({ id, applicationName, environment, state, email, createdAt, expiresAt, isHeld }) => [
      ...[id, applicationName, environment, state, email ?? '-', createdAt],
      isHeld ? 'held' : (expiresAt ?? 'never'),
    ]);
    return done(renderTable(['ID', 'APPLICATION', 'ENVIRONMENT', 'STATE', 'ACCOUNT', 'SINCE', 'UNTIL'], rows), {
      deployments,
    });
  },
};
