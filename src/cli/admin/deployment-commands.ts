/** `berth admin deployments`, `inspect` and `stop`. */
import { actorOf } from '../../admin/actor.ts';
import { type Inspection, inspect } from '../../admin/inspect-deployment.ts';
import { listDeployments } from '../../admin/list-deployments.ts';
import { stop } from '../../admin/stop-deployment.ts';
import { renderTable } from '../render.ts';
import { type Command, done, refused } from './admin-command.ts';

export const deploymentsCommand: Command = {
  words: [],
  help: 'what is deployed, and whose it is',
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

export const inspectCommand: Command = {
  words: ['WHICH'],
  help: 'one deployment, by its id or the first part of its host: images, pods, whose it is, what happened',
  async run(db, [which = '']) {
    const inspection = await inspect(db, which);
    return inspection ? done(renderInspection(inspection), inspection) : refused(noDeployment(which));
  },
};

export const stopCommand: Command = {
  words: ['WHICH', 'REASON'],
  help: 'stops a deployment for good, its data too; its owner is told the reason',
  async run(db, [which = '', reason = '']) {
    const stopped = await stop(db, { which, reason, actor: actorOf(process.env), now: Date.now() });
    if (!stopped) return refused(noDeployment(which));
    if (!stopped.isNews) return refused(`Deployment ${stopped.id} has ended already.`);
    return done(`Deployment ${stopped.id} is being stopped\n`, { id: stopped.id });
  },
};

function renderInspection(inspection: Inspection): string {
  const { events, pods, images, ...facts } = inspection;
  const lines = Object.entries(facts).map(([name, value]) => [name, String(value)]);
  const all = [...lines, ...images.map((image) => ['image', image])];
  const states = pods.map(({ name, state, message }) => [name, state, message ?? '']);
  const happened = events.map(({ at, kind, count, message }) => [
    ...[new Date(at).toISOString(), kind],
    `${message.split('\n')[0]}${count > 1 ? ` (${count} times)` : ''}`,
  ]);
  return [
    renderTable(['FIELD', 'VALUE'], all),
    renderTable(['POD', 'STATE', 'MESSAGE'], states),
    renderTable(['AT', 'EVENT', 'MESSAGE'], happened),
  ].join('\n');
}

function noDeployment(which: string): string {
  return `There is no deployment ${which}; \`berth admin deployments\` lists them.`;
}
