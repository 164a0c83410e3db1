/** `berth deploy` and `berth update`: a file becomes a deployment, or the next revision of one. */
import { createHash, randomBytes } from 'node:crypto';
import type { Answer } from '../../client/request.ts';
import type { Started, Updated } from '../../client/service-types.ts';
import { statuses } from '../arguments.ts';
import { printable } from '../render.ts';
import { type Context, type Run, type Target, targetOf } from './command.ts';
import { printDomain } from './domains.ts';
import { followDeployment } from './follow-deployment.ts';

type Findings = Pick<Started, 'warnings' | 'domain'>;

/**
 * Updates the folder's deployment of the same name. Otherwise starts one, in the folder's session if there is a
 * session.
 */
export const deploy: Run = async (context) => {
  const yaml = await context.read(context.given[0]!);
  return await deployShipment(context, { body: yaml });
};

/** The request body: a document, or the archive of a source. */
export type Shipment = {
  body: string | Blob;
  /** The name of the application, if the source contains none. */
  name?: string;
  /** The digest of everything that is sent, stored in the folder's session file. Only for archives. */
  content?: string;
  /** Warnings that were already shown. */
  shown?: readonly string[];
};

/** Starts or updates an application, and follows it. Returns the exit status. */
export async function deployShipment(context: Context, shipment: Shipment): Promise<number> {
  const { connection, options, terminal } = context;
  const { token, application } = connection;
  if (token !== undefined && application && !options.new) {
    const updated = await sendUpdate(context, shipment, application);
    if (updated.ok) {
      await saveSent(context, updated.value, shipment.content);
      showFindings(context, updated.value, shipment);
      return await showUpdate(context, updated.value, application, token);
    }
    const { code } = updated.problem;
    // A new name is a new application; an ended session starts a new one.
    const isNew = code === 'application_not_found' || code === 'session_not_found';
    if (!isNew) return terminal.refuse(updated.problem);
    return await start(context, shipment, code === 'session_not_found' ? connection.key : token);
  }
  return await start(context, shipment, options.new ? (keyOf(token) ?? connection.key) : token);
}

/** Records the sent content if the deployment is the one of the folder's session. */
async function saveSent(
  { connection: { saved }, saveSession }: Context,
  answer: Updated | { dryRun: true },
  content: string | undefined,
): Promise<void> {
  if (content === undefined || 'dryRun' in answer || answer.url !== saved.url) return;
  await saveSession({ ...saved, sent: { content, revision: answer.status.revision } });
}

/** An account's key, which stays valid. A session's token does not. */
function keyOf(token: string | undefined): string | undefined {
  return token?.startsWith('berthkey_') ? token : undefined;
}

export const update: Run = async (context) => {
  const yaml = await context.read(context.given[0]!);
  const target = await targetOf(context);
  if (typeof target === 'number') return target;
  const updated = await sendUpdate(context, { body: yaml }, target);
  if (!updated.ok) return context.terminal.refuse(updated.problem);
  showFindings(context, updated.value);
  return await showUpdate(context, updated.value, target, context.connection.token!);
};

async function start(context: Context, shipment: Shipment, token: string | undefined): Promise<number> {
  const { body, content } = shipment;
  const { connection, options, terminal, signal } = context;
  const named = shipment.name === undefined ? {} : { name: shipment.name };
  if (options['dry-run']) {
    const answer = await connection
      .as(token)
      .call('startDeployment', { body, query: { ...named, dryRun: 'true' }, signal });
    if (!answer.ok) return terminal.refuse(answer.problem);
    showFindings(context, answer.value);
    return showDryRun(context, answer.value);
  }
  const document = createHash('sha256')
    .update(`${connection.server}\n${token ?? ''}\n${typeof body === 'string' ? body : content}`)
    .digest('hex');
  const before = connection.saved.starting;
  const key = before?.document === document ? before.key : randomBytes(16).toString('hex');
  // Saved before it is sent. If the response is lost, repeating the request does not start a second deployment.
  const saved = { ...connection.saved, server: connection.server };
  const left = await saveReplacedSession(context);
  await context.saveSession({ ...saved, starting: { key, document } });
  const headers = { 'Idempotency-Key': key };
  const answer = await connection.as(token).call('startDeployment', { body, query: named, headers, signal });
  if (!answer.ok) {
    const { status, code } = answer.problem;
    // The folder's session has ended with its last deployment, so a new one is created.
    const isOver = code === 'session_not_found' && token === connection.saved.sessionToken;
    if (isOver) return await start(context, shipment, connection.key);
    // After a refusal, nothing was started. Without a response, the start may have succeeded.
    if (status !== 0) await context.saveSession(saved);
    else if (signal.aborted)
      terminal.printNote(
        'Interrupted before the service answered: run the same command again to find what it started.',
      );
    return terminal.refuse(answer.problem);
  }
  const { applicationName, environment, url, sessionToken, status } = answer.value as Started;
  const isAccount = token?.startsWith('berthkey_');
  await context.saveSession({
    server: connection.server,
    applicationName,
    environment,
    url,
    ...(isAccount ? {} : { sessionToken }),
    ...(content !== undefined && { sent: { content, revision: status.revision } }),
  });
  if (left !== undefined) terminal.printNote(left);
  showFindings(context, answer.value, shipment);
  terminal.printNote(`${printable(applicationName)} is being deployed: ${url}`);
  const target = isAccount ? { applicationName, environment } : { applicationName };
  return await finish(context, answer.value as Started, target, isAccount ? token! : sessionToken);
}

/**
 * With `--new`, the folder leaves a session whose deployments may still run. The session is saved before the start, so
 * that a failure to save does not lose a second token. @returns the message to print after the start.
 */
async function saveReplacedSession({
  connection: { saved },
  options,
  saveEarlierSession,
}: Context): Promise<string | undefined> {
  const { sessionToken, url } = saved;
  if (!options.new || sessionToken === undefined) return undefined;
  const file = await saveEarlierSession(saved);
  return `This folder no longer remembers ${printable(url ?? 'its session')}: its token is kept in ${file}.`;
}

function sendUpdate(
  { connection, options, signal }: Context,
  { body, name }: Shipment,
  { environment }: Target,
): Promise<Answer<Updated | { dryRun: true; message: string; warnings: string[] }>> {
  const query = {
    ...(name !== undefined && { name }),
    ...(environment !== undefined && { environment }),
    ...(options['dry-run'] === true && { dryRun: 'true' as const }),
    ...(options.snapshot === true && { snapshot: 'true' as const }),
  };
  return connection.client.call('updateDeployment', { body, query, signal });
}

async function showUpdate(
  context: Context,
  answer: Updated | { dryRun: true; message: string; warnings: string[] },
  target: Target,
  token: string,
): Promise<number> {
  if ('dryRun' in answer) return showDryRun(context, answer);
  context.terminal.printNote(
    `${printable(target.applicationName)} is being updated to revision ${answer.status.revision}: ${answer.url}`,
  );
  return await finish(context, answer, target, token);
}

async function finish(context: Context, answer: Started | Updated, target: Target, token: string): Promise<number> {
  const { options, terminal } = context;
  if (!options['no-wait']) return await followDeployment(context, target, token);
  // The output has no token. Like all commands, its readers find the token in the folder's session file.
  const { sessionToken: _, ...told } = { sessionToken: '', ...answer };
  terminal.json(told);
  terminal.print(answer.url);
  return statuses.done;
}

function showDryRun({ terminal }: Context, answer: object): number {
  const { message } = answer as { message: string };
  terminal.json(answer);
  terminal.print(printable(message));
  return statuses.done;
}

function showFindings(
  { terminal }: Context,
  { warnings, domain }: Findings,
  { shown = [] }: Pick<Shipment, 'shown'> = {},
): void {
  for (const warning of warnings) if (!shown.includes(warning)) terminal.printNote(`warning: ${printable(warning)}`);
  printDomain(terminal, domain);
}
