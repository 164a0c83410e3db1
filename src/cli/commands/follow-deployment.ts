/** Follows a deployment until its latest revision runs or has failed, and tells each step on the way. */
import type { Problem } from '../../client/ask.ts';
import type { Deployment } from '../../client/service-types.ts';
import { printable } from '../render.ts';
import { statuses } from '../words.ts';
import { type Context, leftUntil, type Target } from './command.ts';

/** Below what proxies on the way usually wait. */
const waitSeconds = '50';

/** Asks until it runs, has failed, is stopped or has ended. */
async function untilSettled(
  { connection, signal }: Context,
  query: Target,
  token: string,
): Promise<{ deployment: Deployment } | { problem: Problem }> {
  for (;;) {
    const answer = await connection.client.call('getDeploymentStatus', {
      query: { ...query, wait: waitSeconds },
      token,
      signal,
    });
    if (!answer.ok) return { problem: answer.problem };
    const { state, health } = answer.value.status;
    if (state !== 'deploying' || health === 'stopped') return { deployment: answer.value };
  }
}

/** Waits for the end of a deployment's way; on a terminal each step is a line. @returns the status to end with. */
export async function followDeployment(context: Context, target: Target, token: string): Promise<number> {
  const { terminal, connection } = context;
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, context.signal]);
  const telling = terminal.isWatched ? tellSteps(context, target, { token, signal }) : Promise.resolve();
  const settled = await untilSettled(context, target, token);
  stop.abort();
  await telling;
  if ('problem' in settled) {
    if (context.signal.aborted) {
      terminal.note('It goes on without this command: "berth status --wait" looks again, "berth remove" removes it.');
    }
    return terminal.refuse(settled.problem);
  }
  const { deployment } = settled;
  terminal.json(deployment);
  terminal.print(describe(deployment, connection.server, terminal.paint));
  return deployment.status.state === 'running' ? statuses.done : statuses.refused;
}

async function tellSteps(
  { connection, terminal }: Context,
  target: Target,
  following: { token: string; signal: AbortSignal },
): Promise<void> {
  for await (const event of connection.client.events(target, following)) {
    if (event.kind === 'progress') continue;
    const pod = event.kind === 'pod' ? `pod ${event.pod} ` : '';
    terminal.note(`  ${printable(`${pod}${event.message}`)}`);
  }
}

function certificateWords({ because, message }: NonNullable<Deployment['status']['certificate']>): string {
  return because === 'late' ? printable(message) : `It cannot be opened yet. ${printable(message)}`;
}

/** How it does, for people. */
export function describe(deployment: Deployment, server: string, paint: Context['terminal']['paint']): string {
  const { applicationName, url, status, expiresAt, restorableUntil, claim, extend } = deployment;
  const good = status.health === 'running';
  const lines = [
    `${paint('bold', printable(applicationName))}: ${paint(good ? 'green' : status.state === 'failed' ? 'red' : 'yellow', status.health)}${status.state === 'deploying' ? ` ${status.progress} %` : ''}`,
    `  ${paint('cyan', url)}`,
    ...(status.message ? [`  ${printable(status.message)}`] : []),
    ...(status.certificate ? [`  ${certificateWords(status.certificate)}`] : []),
    ...(status.pods ?? []).map(
      ({ name, state, message }) => `  pod ${printable(name)}: ${state}${message ? `, ${printable(message)}` : ''}`,
    ),
    ...(status.lastLines ?? []).map((line) => `  | ${printable(line)}`),
  ];
  if (expiresAt !== undefined && status.state !== 'expired') {
    const more = [extend.available && '"berth extend" gives it more', !claim.claimed && '"berth claim" keeps it'];
    const words = more.filter(Boolean).join(', ');
    lines.push(paint('dim', `  It ends in ${leftUntil(expiresAt, Date.now())}${words ? `: ${words}` : ''}.`));
  }
  if (restorableUntil !== undefined)
    lines.push(
      paint(
        'dim',
        `  Its data are kept for ${leftUntil(restorableUntil, Date.now())}: "berth restore" brings it back.`,
      ),
    );
  if (status.state === 'failed') lines.push(paint('dim', `  "berth logs" shows what the pods wrote (${server}).`));
  return `${lines.join('\n')}\n`;
}
