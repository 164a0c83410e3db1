/**
 * `berth snapshot verify`: restores a snapshot into a temporary deployment to prove that it works. The running
 * deployment does not change.
 */
import type { AnswerOf } from '../../client/client.ts';
import { printBytes } from '../../config/values/units.ts';
import { statuses } from '../arguments.ts';
import { printable } from '../render.ts';
import type { Context, Target } from './command.ts';
import { untilSettled } from './follow-deployment.ts';

type Listed = AnswerOf<'getSnapshots'>;
type Snapshot = Listed['snapshots'][number];
type Started = NonNullable<Extract<AnswerOf<'restoreSnapshot'>, { restore: object }>['started']>;

/** The time limit of the cleanup after Ctrl-C. Only this command knows the deployment that it started. */
const answerMs = 60_000;

/** @param id Which; undefined: the newest that can be restored so. */
export async function verifySnapshot(context: Context, target: Target, id: string | undefined): Promise<number> {
  const { connection, terminal, options, signal } = context;
  const listed = await connection.client.call('getSnapshots', { query: target, signal });
  if (!listed.ok) return terminal.refuse(listed.problem);
  const snapshot = chosenOf(listed.value, id);
  if (typeof snapshot === 'string') {
    terminal.printNote(printable(snapshot));
    return statuses.refused;
  }
  const question = `Start another ${printable(target.applicationName)} from snapshot ${snapshot.id}, and remove it again?`;
  const isSure = options.yes === true ? true : await context.confirm(question);
  if (isSure === undefined)
    return terminal.fail('Confirmation requires a terminal. --yes starts it without confirmation.');
  if (!isSure) {
    terminal.printNote('Nothing was started.');
    return signal.aborted ? statuses.interrupted : statuses.refused;
  }
  const beganAt = performance.now();
  const body = { ...target, snapshot: snapshot.id, beside: true };
  const requested = await connection.client.call('restoreSnapshot', { body, signal: AbortSignal.timeout(answerMs) });
  if (!requested.ok) return terminal.refuse(requested.problem);
  const { started } = requested.value as { started: Started };
  terminal.printNote(printable(requested.value.message));
  try {
    return await look(context, started, { snapshot, beganAt });
  } finally {
    await remove(context, started);
  }
}

/** PURE. A text explains why no snapshot can be chosen. */
export function chosenOf({ snapshots }: Pick<Listed, 'snapshots'>, id: string | undefined): Snapshot | string {
  const taken = snapshots.filter(({ state }) => state === 'taken');
  const named = id === undefined ? taken : taken.filter((each) => each.id === id);
  const found = named.find(({ dumps }) => dumps.every(({ volumes }) => volumes.length === 0));
  if (found) return found;
  if (named.length > 0) return 'It has dumps, which can only be loaded in place: verify a snapshot without dumps.';
  return id === undefined
    ? 'None yet: "berth snapshot" takes one.'
    : `This application has no snapshot ${id} that is kept.`;
}

async function look(
  context: Context,
  { sessionToken: token, applicationName, environment }: Started,
  { snapshot, beganAt }: { snapshot: Snapshot; beganAt: number },
): Promise<number> {
  const { terminal } = context;
  const settled = await untilSettled(context, { applicationName, environment }, token);
  if ('problem' in settled) return terminal.refuse(settled.problem);
  const { status } = settled.deployment;
  const seconds = Math.round((performance.now() - beganAt) / 1000);
  const isBack = status.state === 'running';
  const { id, totalBytes = 0, volumes } = snapshot;
  const pods = status.pods ?? [];
  terminal.json({ snapshot: id, isBack, seconds, totalBytes, health: status.health, message: status.message, pods });
  for (const { name, state, message } of pods)
    terminal.print(printable(`pod ${name}: ${state}${message ? `, ${message}` : ''}`));
  const names = volumes.map(({ name }) => name).join(', ');
  terminal.print(
    printable(
      isBack
        ? `Snapshot ${id} comes back: ${names} (${printBytes(totalBytes)}), ${status.health} after ${seconds} s.`
        : `Snapshot ${id} did not come back: ${status.message || status.health}.`,
    ),
  );
  return isBack ? statuses.done : statuses.refused;
}

async function remove({ connection, terminal }: Context, started: Started): Promise<void> {
  const { sessionToken: token, applicationName, environment, url } = started;
  const removed = await connection.client.call('removeDeploymentReservation', {
    body: { applicationName, environment, forget: true },
    token,
    signal: AbortSignal.timeout(answerMs),
  });
  terminal.printNote(
    printable(
      removed.ok
        ? 'The deployment of this check is removed with its data.'
        : `${url} could not be removed: ${removed.problem.error} Its session token is ${token}.`,
    ),
  );
}
