/** `berth admin deployments`, `inspect`, `stop`, `suspend` and `unsuspend`. */
import { actorOf } from '../../admin/actor.ts';
import { describeAffected } from '../../admin/affected.ts';
import { type Inspection, inspect } from '../../admin/inspect-deployment.ts';
import { listDeployments } from '../../admin/list-deployments.ts';
import { findStoppable, stop } from '../../admin/stop-deployment.ts';
import { suspend, unsuspend } from '../../admin/suspend-deployment.ts';
import { renderTable } from '../render.ts';
import { type Command, done, refused } from './admin-command.ts';
import { approvalHelp, approvalOptions, withoutApproval } from './approval.ts';

export const deploymentsCommand: Command = {
  words: [],
  help: 'lists the deployments and their owners',
  async run(db) {
    const deployments = await listDeployments(db);
    const rows = deployments.map(({ id, applicationName, environment, state, email, createdAt, ...deployment }) => [
      ...[id, applicationName, environment, deployment.sleep ?? state, email ?? '-', createdAt],
      deployment.isHeld ? 'held' : (deployment.expiresAt ?? 'never'),
    ]);
    return done(renderTable(['ID', 'APPLICATION', 'ENVIRONMENT', 'STATE', 'ACCOUNT', 'SINCE', 'UNTIL'], rows), {
      deployments,
    });
  },
};

export const inspectCommand: Command = {
  words: ['WHICH'],
  help: 'shows one deployment, by its id or the first part of its host: images, pods, owner, events',
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

export const suspendCommand: Command = {
  words: ['WHICH', 'REASON'],
  help: 'stops a deployment and keeps its volumes, revisions, and logs; its owner reads the reason',
  async run(db, [which = '', reason = '']) {
    const suspended = await suspend(db, { which, reason, actor: actorOf(process.env), now: Date.now() });
    if (!suspended) return refused(noDeployment(which));
    if (suspended.kind === 'ended') return refused(`Deployment ${suspended.id} has ended already.`);
    if (suspended.kind === 'unchanged') return refused(`Deployment ${suspended.id} is suspended already.`);
    return done(`Deployment ${suspended.id} is being suspended\n`, { id: suspended.id });
  },
};

export const unsuspendCommand: Command = {
  words: ['WHICH'],
  help: 'ends a suspension: the deployment runs again, with its data',
  async run(db, [which = '']) {
    const ended = await unsuspend(db, { which, actor: actorOf(process.env), now: Date.now() });
    if (!ended) return refused(noDeployment(which));
    if (ended.kind === 'unchanged') return refused(`Deployment ${ended.id} is not suspended.`);
    return done(`Ended the suspension of deployment ${ended.id}\n`, { id: ended.id });
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
  return `No deployment matches ${which}; \`berth admin deployments\` lists them.`;
}
