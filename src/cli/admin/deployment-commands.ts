/** `berth admin deployments`, `inspect` and `stop`. */
import { actorOf } from '../../admin/actor.ts';
import { describeAffected } from '../../admin/affected.ts';
import { type Inspection, inspect } from '../../admin/inspect-deployment.ts';
import { listDeployments } from '../../admin/list-deployments.ts';
import { findStoppable, stop } from '../../admin/stop-deployment.ts';
import { renderTable } from '../render.ts';
import { type Command, done, refused } from './admin-command.ts';
import { approvalHelp, approvalOptions, withoutApproval } from './approval.ts';

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
  help: 'stops a deployment for good and deletes its data; its owner reads the reason',
  further: approvalOptions,
  more: approvalHelp,
  async run(db, [which = '', reason = ''], _, __, options, streams) {
    const found = await findStoppable(db, which);
    if (!found) return refused(noDeployment(which));
    if (found.hasEnded) return refused(`Deployment ${found.id} has ended already.`);
    const { id, applicationName, affected } = found;
    const words = `stop deployment ${id} (${applicationName}, ${describeAffected(affected)}) and delete its data`;
    const answer = await withoutApproval({ words, deployments: 1, value: { id, affected } }, options, streams);
    if (answer) return answer;
    const stopped = await stop(db, { which: id, reason, actor: actorOf(process.env), now: Date.now() });
    if (!stopped?.isNews) return refused(`Deployment ${id} has ended already.`);
    return done(`Deployment ${id} is being stopped\n`, { id });
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
