/** `berth revisions` and `berth rollback`: lists the earlier revisions of a deployment, and returns to one of them. */
import type { AnswerOf } from '../../client/client.ts';
import { statuses } from '../arguments.ts';
import { printable, renderTable } from '../render.ts';
import { type Context, type Run, type Target, targetOf } from './command.ts';
import { followDeployment } from './follow-deployment.ts';
import { describePreview } from './preview.ts';

export const revisions: Run = async (context) => {
  const target = await targetOf(context);
  if (typeof target === 'number') return target;
  const { connection, terminal, signal } = context;
  const answer = await connection.client.call('getDeploymentRevisions', { query: target, signal });
  if (!answer.ok) return terminal.refuse(answer.problem);
  terminal.json(answer.value);
  const rows = answer.value.revisions.map((revision) => [
    ...[String(revision.number), revision.createdAt, whoOf(revision.askedBy), stateOf(revision)],
    ...[revision.durationMs === undefined ? '' : `${(revision.durationMs / 1000).toFixed(1)} s`, changesOf(revision)],
    commitOf(revision),
  ]);
  terminal.print(renderTable(['REVISION', 'REQUESTED AT', 'BY', 'STATE', 'AFTER', 'PODS', 'COMMIT'], rows));
  return statuses.done;
};

export const rollback: Run = async (context) => {
  const { given, connection, options, terminal, signal } = context;
  const [named] = given;
  if (named !== undefined && !/^[1-9]\d{0,8}$/.test(named))
    return terminal.fail(`"${printable(named)}" is not a revision number: "berth revisions" lists them.`);
  const target = await targetOf(context);
  if (typeof target === 'number') return target;
  const body = { ...target, ...(named !== undefined && { revision: Number(named) }) };
  const isTrial = options['dry-run'] === true;
  const isRequested = options.yes !== true && !isTrial;
  if (isTrial || (isRequested && terminal.isWatched)) {
    const trial = await connection.client.call('rollbackDeployment', { body, query: { dryRun: 'true' }, signal });
    if (!trial.ok) return terminal.refuse(trial.problem);
    if (isTrial) terminal.json(trial.value);
    const said = describePlan(context, target, trial.value as Trial);
    if (isTrial) terminal.print(said);
    else terminal.printNote(said.trimEnd());
    if (isTrial) return statuses.done;
    if ((await context.confirm('Go on?', { isYes: true })) === false) {
      terminal.printNote('Nothing was changed.');
      return signal.aborted ? statuses.interrupted : statuses.refused;
    }
  }
  const answer = await connection.client.call('rollbackDeployment', { body, signal });
  if (!answer.ok) return terminal.refuse(answer.problem);
  const { revision, repeats } = answer.value;
  const { url } = answer.value as { url: string };
  terminal.printNote(
    `${printable(target.applicationName)} goes back to revision ${repeats}, as revision ${revision}: ${url}`,
  );
  if (!options['no-wait']) return await followDeployment(context, target, connection.token!);
  terminal.json(answer.value);
  terminal.print(url);
  return statuses.done;
};

type Trial = Extract<AnswerOf<'rollbackDeployment'>, { dryRun: true }>;
type Revision = AnswerOf<'getDeploymentRevisions'>['revisions'][number];

function describePlan({ terminal }: Context, { applicationName }: Target, trial: Trial): string {
  const head = `${printable(applicationName)} as it was in revision ${trial.repeats}:`;
  return `${head}\n${describePreview(trial, terminal.paint)}`;
}

function whoOf(asker: Revision['askedBy']): string {
  return { session: 'session token', 'api-key': 'API key', 'sign-in': 'account' }[asker];
}

function stateOf({ state, isServing, repeats }: Revision): string {
  const more = [isServing && 'serving', repeats !== undefined && `as ${repeats}`].filter(Boolean).join(', ');
  return more ? `${state} (${more})` : state;
}

/** `3f2a9c14be07 Say hello (Ann)`. */
function commitOf({ commit }: Revision): string {
  return commit === undefined ? '' : printable(`${commit.hash.slice(0, 12)} ${commit.subject} (${commit.author})`);
}

/** `+worker ~web -cache`. */
function changesOf({ changes }: Revision): string {
  if (!changes) return '';
  const { added, changed, removed } = changes;
  const parts = [
    ...added.map((name) => `+${name}`),
    ...changed.map((name) => `~${name}`),
    ...removed.map((name) => `-${name}`),
  ];
  return parts.length === 0 ? 'nothing' : parts.join(' ');
}
