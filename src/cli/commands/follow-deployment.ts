/** Follows a deployment until its latest revision runs or has failed, and prints each step. */

import { hasFailedBuild } from '../../client/build-failure.ts';
import type { Problem } from '../../client/request.ts';
import type { Deployment } from '../../client/service-types.ts';
import { wait } from '../../lib/wait.ts';
import { statuses } from '../arguments.ts';
import { printable } from '../render.ts';
import { showBuild } from './build-log.ts';
import { type Context, leftUntil, retryRequest, type Target } from './command.ts';

/** Below the usual time limits of proxies. */
const waitSeconds = '50';
/**
 * While the status shows an earlier failure, the service would answer at once, so it is polled. This uses a quarter of
 * the rate limit.
 */
const lookEveryMs = 2_000;
/** Equal to the service's time limit for a revision that does not become ready. */
const patienceMs = 10 * 60_000;

/** `wasFailed`: the last update failed, and the command follows the start of an earlier revision. */
type Following = { wasFailed?: boolean };

/** Polls until it runs, has failed, is stopped or has ended. */
export async function untilSettled(
  context: Context,
  query: Target,
  token: string,
  { wasFailed = false }: Following = {},
): Promise<{ deployment: Deployment } | { problem: Problem }> {
  const { connection, signal } = context;
  const requested = { query: { ...query, wait: waitSeconds }, token, signal };
  const until = performance.now() + patienceMs;
  for (;;) {
    const answer = await retryRequest(context, () => connection.client.call('getDeploymentStatus', requested));
    if (!answer.ok) return { problem: answer.problem };
    const { state, health, pods } = answer.value.status;
    const startsEarlier = wasFailed && health === 'failed' && !pods?.some((pod) => pod.state === 'failed');
    if (startsEarlier && performance.now() < until) {
      await wait(lookEveryMs, signal);
      continue;
    }
    if (state !== 'deploying' || health === 'stopped') return { deployment: answer.value };
  }
}

/** Waits for the end of a deployment's way; on a terminal each step is a line. @returns the status to end with. */
export async function followDeployment(
  context: Context,
  target: Target,
  token: string,
  following: Following = {},
): Promise<number> {
  const { terminal, connection } = context;
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, context.signal]);
  const showing = Promise.all([
    terminal.isWatched && showSteps(context, target, { token, signal }),
    context.options.verbose === true && showBuild(context, target, { token, signal }),
  ]);
  const settled = await untilSettled(context, target, token, following);
  stop.abort();
  await showing;
  if ('problem' in settled) {
    if (context.signal.aborted) {
      terminal.printNote(
        'It continues without this command: "berth status --wait" looks again, "berth remove" removes it.',
      );
    }
    return terminal.refuse(settled.problem);
  }
  const { deployment } = settled;
  terminal.json(deployment);
  terminal.print(describe(deployment, connection.server, terminal.paint));
  const { state, health } = deployment.status;
  const isUp = state === 'running' || (following.wasFailed === true && health === 'serving');
  return isUp ? statuses.done : statuses.refused;
}

async function showSteps(
  { connection, terminal }: Context,
  target: Target,
  following: { token: string; signal: AbortSignal },
): Promise<void> {
  for await (const event of connection.client.events(target, following)) {
    if (event.kind === 'progress') continue;
    const pod = event.kind === 'pod' ? `pod ${event.pod} ` : '';
    terminal.printNote(`  ${printable(`${pod}${event.message}`)}`);
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
      paint('dim', `  Its data is kept for ${leftUntil(restorableUntil, Date.now())}: "berth restore" brings it back.`),
    );
  if (hasFailedBuild(status))
    lines.push(paint('dim', `  "berth logs --build" shows the output of the build (${server}).`));
  else if (status.state === 'failed') lines.push(paint('dim', `  "berth logs" shows what the pods wrote (${server}).`));
  return `${lines.join('\n')}\n`;
}
