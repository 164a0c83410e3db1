/** `berth admin orphans`. */
import { actorOf } from '../../admin/actor.ts';
import { listOrphans, type OrphanLine, type Orphans, orderOrphans } from '../../admin/orphans.ts';
import { renderTable } from '../render.ts';
import { done, refused, type StoreCommand } from './admin-command.ts';
import { approvalHelp, approvalOptions, withoutApproval } from './approval.ts';

export const orphansCommand: StoreCommand = {
  words: [],
  help: 'lists deployments on the engine that the database does not have, and when they are removed',
  options: { adopt: 'ID', remove: 'ID', accept: '' },
  more: `The service stops the containers of deployments that are missing from its database, keeps them and their volumes for
BERTH_GRACE (at least a day), and then removes them. If the database looks older than the engine, nothing is removed.
  --adopt ID    never remove the containers and volumes of this deployment; their data can then be copied out with the
                engine's own commands (docker cp CONTAINER:PATH .). Berth does not run the deployment again: its
                configuration is lost with its row. Remove it with --remove when you have its data.
  --remove ID   remove them within a minute
  --accept      the database is right: end the hold. Unknown deployments are kept for BERTH_GRACE from now on
For --remove: ${approvalHelp}`,
  further: approvalOptions,
  async run(db, _, settings, __, options, streams) {
    const { adopt, remove, accept } = options;
    if ([adopt, remove, accept].filter((option) => option !== undefined).length > 1)
      return refused('Give one of --adopt, --remove and --accept.');
    const requested = { actor: actorOf(process.env), now: Date.now() };
    if (accept) {
      const isEnded = await orderOrphans(db, { kind: 'accept' }, requested);
      return isEnded ? done('The hold of the sweep has ended.\n', {}) : refused('The sweep is not on hold.');
    }
    if (options['dry-run'] === true && typeof remove !== 'string') return refused('--dry-run is for --remove.');
    if (typeof remove === 'string') {
      const entry = (await listOrphans(db, settings)).orphans.find(({ deploymentId }) => deploymentId === remove);
      if (!entry) return refused(notQuarantined(remove));
      const things = entry.things.map(({ kind, name }) => `${kind} ${name}`).join(', ');
      const words = `remove the engine's objects of deployment ${remove}: ${things}`;
      const answer = await withoutApproval({ words, deployments: 1, value: entry }, options, streams);
      if (answer) return answer;
    }
    for (const [kind, deploymentId] of [
      ['adopt', adopt],
      ['remove', remove],
    ] as const) {
      if (typeof deploymentId !== 'string') continue;
      const isFound = await orderOrphans(db, { kind, deploymentId }, requested);
      if (!isFound) return refused(notQuarantined(deploymentId));
      const words = kind === 'adopt' ? 'is kept until you remove it' : 'is removed within a minute';
      return done(`The engine data of deployment ${deploymentId} ${words}.\n`, { deploymentId, decision: kind });
    }
    const found = await listOrphans(db, settings);
    return done(render(found), found);
  },
};

function notQuarantined(deploymentId: string): string {
  return `Nothing of deployment ${deploymentId} is in quarantine; see berth admin orphans.`;
}

function render({ hold, orphans }: Orphans): string {
  const words = hold === null ? '' : `The sweep is on hold: ${hold}\nConfirm with berth admin orphans --accept.\n`;
  if (orphans.length === 0) return `${words}Nothing on the engine is unknown to the database.\n`;
  const rows = orphans.map((orphan) => [
    ...[orphan.deploymentId, orphan.firstSeenAt, keptUntil(orphan)],
    orphan.things.map(({ kind, name }) => `${kind} ${name}`).join(', '),
  ]);
  return `${words}${renderTable(['DEPLOYMENT', 'FIRST SEEN', 'KEPT UNTIL', 'ON THE ENGINE'], rows)}`;
}

function keptUntil({ removedAt, isAdopted }: OrphanLine): string {
  if (isAdopted) return 'adopted';
  return removedAt ?? 'on hold';
}
