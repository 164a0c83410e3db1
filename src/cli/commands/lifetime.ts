/** `berth extend`, `hold`, `release`, `claim`, `remove` and `open`. */

import { statuses } from '../arguments.ts';
import { printable } from '../render.ts';
import { type Context, type Run, targetOf } from './command.ts';

export const extend: Run = async (context) => {
  const target = await targetOf(context);
  if (typeof target === 'number') return target;
  const { connection, terminal, signal } = context;
  const answer = await connection.client.call('extendDeployment', { body: target, signal });
  if (!answer.ok) return terminal.refuse(answer.problem);
  terminal.json({ message: answer.value });
  terminal.print(printable(answer.value));
  return statuses.done;
};

export const hold: Run = (context) => printOutcome(context, 'addDeploymentReservation');

export const release: Run = (context) => printOutcome(context, 'releaseDeployment');

/** For operations that answer a sentence. */
async function printOutcome(
  context: Context,
  operation: 'addDeploymentReservation' | 'releaseDeployment',
): Promise<number> {
  const target = await targetOf(context);
  if (typeof target === 'number') return target;
  const { connection, terminal, signal } = context;
  const answer = await connection.client.call(operation, { body: target, signal });
  if (!answer.ok) return terminal.refuse(answer.problem);
  terminal.json(answer.value);
  terminal.print(printable(answer.value.message));
  return statuses.done;
}

export const claim: Run = async (context) => {
  const target = await targetOf(context);
  if (typeof target === 'number') return target;
  const { connection, terminal, signal } = context;
  const answer = await connection.client.call('claimDeployment', { body: target, signal });
  if (!answer.ok) return terminal.refuse(answer.problem);
  terminal.json(answer.value);
  const { claimUrl } = answer.value;
  terminal.print(claimUrl);
  if (!terminal.isRaw && !terminal.asJson) terminal.print(await qrCodeOf(claimUrl));
  terminal.printNote('A person who opens this link within 24 hours and signs in owns the deployment.');
  return statuses.done;
};

/** For the camera of a phone: two modules in a character, light ones as the foreground of a dark terminal. */
async function qrCodeOf(text: string): Promise<string> {
  const { renderUnicodeCompact } = await import('uqr');
  return renderUnicodeCompact(text, { border: 2 });
}

export const remove: Run = async (context) => {
  const target = await targetOf(context);
  if (typeof target === 'number') return target;
  const { connection, terminal, options, signal } = context;
  const { applicationName } = target;
  const forget = options.forget === true;
  const question = forget
    ? `Remove ${printable(applicationName)} from ${connection.server}, with its data? This can't be undone.`
    : `Remove ${printable(applicationName)} from ${connection.server}?`;
  const isSure = options.yes === true ? true : await context.confirm(question);
  if (isSure === undefined)
    return terminal.fail('Confirmation requires a terminal. --yes removes it without confirmation.');
  if (!isSure) {
    terminal.printNote('Nothing was removed.');
    return statuses.refused;
  }
  const answer = await connection.client.call('removeDeploymentReservation', {
    body: { ...target, ...(forget && { forget }) },
    signal,
  });
  if (!answer.ok) return terminal.refuse(answer.problem);
  const { saved } = connection;
  // Restorable applications are selected by their name.
  if (saved.applicationName === applicationName && answer.value.restorableUntil === undefined) {
    const { applicationName: _name, environment: _environment, url: _url, ...rest } = saved;
    await context.saveSession(rest);
  }
  terminal.json(answer.value);
  const { restorableUntil } = answer.value;
  const kept =
    restorableUntil === undefined
      ? ''
      : ` Its data is kept until ${printable(restorableUntil)}: "berth restore" brings it back.`;
  terminal.print(`${printable(applicationName)} is removed.${kept}`);
  return statuses.done;
};

export const open: Run = async (context) => {
  const target = await targetOf(context);
  if (typeof target === 'number') return target;
  const { connection, terminal, signal } = context;
  const answer = await connection.client.call('getDeploymentStatus', { query: target, signal });
  if (!answer.ok) return terminal.refuse(answer.problem);
  const { url } = answer.value;
  terminal.json({ url });
  terminal.print(url);
  if (!terminal.asJson && !(await context.open(url)))
    terminal.printNote('No browser could be started; open the address yourself.');
  return statuses.done;
};
