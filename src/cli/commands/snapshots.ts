/** `berth snapshots` and `berth snapshot`: lists, takes and restores snapshots of a deployment's data. */

import type { AnswerOf } from '../../client/client.ts';
import { printBytes } from '../../config/values/units.ts';
import { wait } from '../../lib/wait.ts';
import { statuses } from '../arguments.ts';
import { printable, renderTable } from '../render.ts';
import { type Context, type Run, retryRequest, type Target, targetOf } from './command.ts';
import { followDeployment } from './follow-deployment.ts';
import { verifySnapshot } from './verify-snapshot.ts';

type Listed = AnswerOf<'getSnapshots'>;
type Snapshot = Listed['snapshots'][number];

export const snapshots: Run = async (context) => {
  const target = await targetOf(context);
  if (typeof target === 'number') return target;
  const { connection, terminal, options, signal } = context;
  const wanted = options['before-updates'];
  if (wanted !== undefined) return await wish(context, target, String(wanted));
  const answer = await connection.client.call('getSnapshots', { query: target, signal });
  if (!answer.ok) return terminal.refuse(answer.problem);
  terminal.json(answer.value);
  const rows = answer.value.snapshots.map((snapshot) => [
    ...[snapshot.id, snapshot.takenAt ?? snapshot.createdAt, String(snapshot.revision), snapshot.reason],
    ...[snapshot.state, snapshot.totalBytes === undefined ? '' : printBytes(snapshot.totalBytes)],
    printable(snapshot.problem ?? ''),
  ]);
  if (rows.length === 0) terminal.printNote('None yet: "berth snapshot" takes one.');
  else terminal.print(renderTable(['SNAPSHOT', 'OF', 'REVISION', 'FOR', 'STATE', 'SIZE', ''], rows));
  if (answer.value.wishes.beforeUpdates) terminal.printNote('One is taken before each update that touches data.');
  return statuses.done;
};

async function wish(context: Context, target: Target, wanted: string): Promise<number> {
  const { connection, terminal, signal } = context;
  if (wanted !== 'on' && wanted !== 'off') return terminal.fail('Use --before-updates on or --before-updates off.');
  const body = { ...target, beforeUpdates: wanted === 'on' };
  const answer = await connection.client.call('setSnapshotWishes', { body, signal });
  if (!answer.ok) return terminal.refuse(answer.problem);
  return say(context, answer.value, answer.value.message);
}

export const snapshot: Run = async (context) => {
  const [action = 'take', id] = context.given;
  const known = id === undefined ? ['take', 'verify'] : ['restore', 'verify', 'delete'];
  if (!known.includes(action))
    return context.terminal.fail(
      'Use "berth snapshot", "berth snapshot verify", or "berth snapshot restore|delete ID".',
    );
  const target = await targetOf(context);
  if (typeof target === 'number') return target;
  if (action === 'verify') return await verifySnapshot(context, target, id);
  if (id === undefined) return await take(context, target);
  return action === 'delete' ? await remove(context, target, id) : await restore(context, target, id);
};

async function take(context: Context, target: Target): Promise<number> {
  const { connection, terminal, options, signal } = context;
  const body = { ...target, ...(options.dump === true && { dump: true }) };
  const requested = await connection.client.call('createSnapshot', { body, signal });
  if (!requested.ok) return terminal.refuse(requested.problem);
  const { id } = requested.value.snapshot;
  if (options['no-wait']) return say(context, requested.value.snapshot, id);
  terminal.printNote(printable(requested.value.message));
  const find = ({ snapshots }: Listed) => snapshots.find((each) => each.id === id);
  const ended = await untilEnded(context, target, find, ({ state }) => state !== 'asked');
  if (typeof ended === 'number') return ended;
  const size = ended.totalBytes === undefined ? '' : `: ${printBytes(ended.totalBytes)}`;
  return ended.state === 'taken' ? say(context, ended, `${id}${size}`) : failed(context, ended);
}

async function restore(context: Context, target: Target, id: string): Promise<number> {
  const { connection, terminal, options, signal } = context;
  const volumes = options.volume as readonly string[] | undefined;
  const isBeside = options.beside === true;
  const body = {
    ...target,
    snapshot: id,
    ...(volumes && { volumes: [...volumes] }),
    ...(isBeside && { beside: true }),
    ...(options['without-snapshot'] === true && { withoutSnapshot: true }),
  };
  const isTrial = options['dry-run'] === true;
  if (isTrial || options.yes !== true) {
    const trial = await connection.client.call('restoreSnapshot', { body, query: { dryRun: 'true' }, signal });
    if (!trial.ok) return terminal.refuse(trial.problem);
    const { message, stopped, left } = trial.value as Extract<AnswerOf<'restoreSnapshot'>, { dryRun: true }>;
    const leftWords = isBeside ? 'Empty at the beginning' : 'Left as they are';
    const words = [
      message,
      ...(isBeside
        ? []
        : [stopped.length === 0 ? 'No pod is stopped.' : `Stopped and started again: ${stopped.join(', ')}.`]),
      ...(left.length === 0 ? [] : [`${leftWords}: ${left.join(', ')}.`]),
    ];
    if (isTrial) return say(context, trial.value, ...words);
    for (const line of words) terminal.printNote(printable(line));
    const isSure = await context.confirm('Restore it?');
    if (isSure === undefined)
      return terminal.fail('Confirmation requires a terminal. --yes restores it without confirmation.');
    if (!isSure) {
      terminal.printNote('Nothing was changed.');
      return signal.aborted ? statuses.interrupted : statuses.refused;
    }
  }
  const requested = await connection.client.call('restoreSnapshot', { body, signal });
  if (!requested.ok) return terminal.refuse(requested.problem);
  const { restore, started } = requested.value as Restoring;
  if (started) return await reportNewDeployment(context, requested.value as Restoring, started);
  if (options['no-wait']) return say(context, restore, restore.id);
  terminal.printNote(printable(requested.value.message));
  const find = ({ restores }: Listed) => restores.find((each) => each.id === restore.id);
  const ended = await untilEnded(context, target, find, ({ state }) => state === 'done' || state === 'failed');
  if (typeof ended === 'number') return ended;
  if (ended.state === 'failed') return failed(context, ended);
  const before = ended.before === undefined ? '' : ` The previous data is in snapshot ${ended.before}.`;
  return say(context, ended, `${ended.volumes.join(', ')} restored from ${id}.${before}`);
}

type Restoring = Extract<AnswerOf<'restoreSnapshot'>, { restore: object }>;

/** The folder's saved session stays. */
async function reportNewDeployment(
  context: Context,
  answer: Restoring,
  { url, sessionToken, applicationName, environment }: NonNullable<Restoring['started']>,
): Promise<number> {
  const { options, terminal } = context;
  terminal.printNote(printable(answer.message));
  if (options['no-wait']) return say(context, answer, url);
  terminal.printNote(`Its session token, which is shown once: ${sessionToken}`);
  return await followDeployment(context, { applicationName, environment }, sessionToken);
}

async function remove(context: Context, target: Target, id: string): Promise<number> {
  const { connection, terminal, options, signal } = context;
  const isSure =
    options.yes === true ? true : await context.confirm(`Delete snapshot ${printable(id)}? This can't be undone.`);
  if (isSure === undefined)
    return terminal.fail('Confirmation requires a terminal. --yes deletes it without confirmation.');
  if (!isSure) {
    terminal.printNote('Nothing was deleted.');
    return statuses.refused;
  }
  const answer = await connection.client.call('deleteSnapshot', { body: { ...target, snapshot: id }, signal });
  if (!answer.ok) return terminal.refuse(answer.problem);
  return say(context, answer.value, answer.value.message);
}

const lookEveryMs = 1_000;

/** Prints the reasons of failed tries. A number is the exit status. */
async function untilEnded<T extends { state: string; problem?: string; progress?: number }>(
  context: Context,
  query: Target,
  find: (listed: Listed) => T | undefined,
  isOver: (found: T) => boolean,
): Promise<T | number> {
  const { connection, terminal, signal } = context;
  let reported: string | undefined;
  let toldPercent = 0;
  for (;;) {
    const answer = await retryRequest(context, () => connection.client.call('getSnapshots', { query, signal }));
    if (!answer.ok) {
      if (signal.aborted)
        terminal.printNote('It continues without this command: "berth snapshots" shows the progress.');
      return terminal.refuse(answer.problem);
    }
    const found = find(answer.value);
    if (!found) return terminal.fail('It is no longer kept.');
    if (isOver(found)) return found;
    if (found.problem !== undefined && found.problem !== reported)
      terminal.printNote(`  ${printable(found.problem)} It will be tried again.`);
    reported = found.problem;
    const { progress = 0 } = found;
    if (progress >= toldPercent + 10 && progress < 100) {
      toldPercent = progress;
      terminal.printNote(`  ${progress} % of the data is restored.`);
    }
    await wait(lookEveryMs, signal);
  }
}

function say({ terminal }: Context, value: object, ...lines: string[]): number {
  terminal.json(value);
  for (const line of lines) terminal.print(printable(line));
  return statuses.done;
}

function failed({ terminal }: Context, ended: Pick<Snapshot, 'problem'>): number {
  terminal.json(ended);
  terminal.printNote(printable(ended.problem ?? 'It has failed.'));
  return statuses.refused;
}
