/** What a client reads while it pushes. */
import { keepAlivePacket, outcomeOf, type PushCommand, shownText } from '../../builds/git/push-commands.ts';
import { printable } from '../../lib/printable.ts';
import type { Problem } from '../../lib/problem.ts';
import type { Service } from '../api-service.ts';
import type { Pushed } from './deploy-push.ts';
import { type Arrival, followPush } from './follow-push.ts';
import { addressWithToken } from './push-address.ts';

const keepAliveMs = 15_000;

/** The answer to a push that is deployed: its build, its start, and the outcome. */
export async function* conversation(
  service: Service,
  { commands, pushed, stop }: { commands: readonly PushCommand[]; pushed: Pushed; stop: AbortSignal },
): AsyncGenerator<Buffer> {
  yield shown(greeting(service, pushed));
  let saidAt = performance.now();
  const following = followPush(service, pushed.deployment, stop);
  let next = await following.next();
  for (; !next.done; next = await following.next()) {
    const isQuiet = next.value.length === 0;
    if (isQuiet && performance.now() - saidAt < keepAliveMs) continue;
    saidAt = performance.now();
    yield isQuiet ? keepAlivePacket : shown(next.value);
  }
  yield shown(farewell(service, pushed, next.value));
  yield outcomeOf(commands, next.value.kind === 'failed' ? 'deployment failed' : undefined);
}

function greeting({ settings, urlOf }: Service, { kind, deployment, sessionToken, warnings }: Pushed): string[] {
  const { applicationName, label, expiresAt } = deployment;
  const until = expiresAt === null ? '' : `, until ${new Date(expiresAt).toISOString()}`;
  const lines = [
    '',
    ...warnings,
    `Application ${applicationName} is being ${kind === 'started' ? 'deployed' : 'updated'}.`,
  ];
  lines.push(`Address: ${urlOf(label).origin}${until}`);
  if (sessionToken === undefined) return [...lines, ''];
  const address = addressWithToken(settings.baseUrl, applicationName, sessionToken);
  const terms = settings.termsUrl ? [`Its use is subject to ${settings.termsUrl.href}`] : [];
  const again = ['Only this output contains the session token. To push to the same application again:'];
  return [...lines, ...terms, `Session token: ${sessionToken}`, ...again, `  git remote set-url berth ${address}`, ''];
}

function farewell({ settings, urlOf }: Service, { deployment }: Pushed, arrival: Arrival): string[] {
  const url = urlOf(deployment.label).origin;
  switch (arrival.kind) {
    case 'running':
      return ['', `Live: ${url}`];
    case 'failed':
      return ['', ...arrival.lines];
    case 'replaced':
      return ['', 'A newer revision has replaced this one.'];
    case 'ended':
      return ['', 'The application was stopped, or has ended.'];
    case 'left':
      return ['', `The deployment continues: ${settings.baseUrl.origin}/deployments`];
  }
}

/** The answer to a push that deploys nothing. */
export function refusalOf(commands: readonly PushCommand[], problem: Problem): Buffer {
  return Buffer.concat([shown(['', ...inLines(problem)]), outcomeOf(commands, 'not deployed')]);
}

export function inLines({ error, errors, hint }: Pick<Problem, 'error' | 'errors' | 'hint'>): string[] {
  // Each of several errors has its own hint.
  return errors ?? [error, ...(hint === undefined ? [] : [hint])];
}

function shown(lines: readonly string[]): Buffer {
  return shownText(lines.map((line) => `${printable(line)}\n`).join(''));
}
