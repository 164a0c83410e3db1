/** `berth domains`: the custom domains of a deployment, and what to set in DNS for them. */
import type { AnswerOf } from '../../client/client.ts';
import { wait } from '../../lib/wait.ts';
import { statuses } from '../arguments.ts';
import { printable, renderTable } from '../render.ts';
import { type Context, type Run, retryRequest, type Target, targetOf } from './command.ts';

type Domain = AnswerOf<'listDomains'>['domains'][number];

export const domains: Run = async (context) => {
  const { given, options, terminal } = context;
  const [action = 'list', name, ...rest] = given;
  if (
    !['list', 'add', 'check', 'remove'].includes(action) ||
    rest.length > 0 ||
    (action === 'list') !== (name === undefined)
  )
    return terminal.fail('Use "berth domains", or "berth domains add|check|remove NAME".');
  const target = await targetOf(context);
  if (typeof target === 'number') return target;
  if (name === undefined) return await list(context, target);
  if (action === 'remove') return await remove(context, target, name);
  const redirectTo = typeof options['redirect-to'] === 'string' ? options['redirect-to'] : undefined;
  return await look(context, target, { name, redirectTo, isNew: action === 'add' });
};

async function list({ connection, terminal, signal }: Context, target: Target): Promise<number> {
  const answer = await connection.client.call('listDomains', { query: target, signal });
  if (!answer.ok) return terminal.refuse(answer.problem);
  terminal.json(answer.value);
  const rows = answer.value.domains.map(({ domain, state, redirectTo, reason }) => [
    ...[domain, state, redirectTo === undefined ? '-' : `to ${redirectTo}`, reason ?? ''],
  ]);
  if (rows.length === 0) terminal.printNote('None yet: "berth domains add NAME" adds one.');
  else terminal.print(renderTable(['DOMAIN', 'STATE', 'REDIRECT', 'REASON'], rows));
  return statuses.done;
}

async function remove({ connection, terminal, signal }: Context, target: Target, domain: string): Promise<number> {
  const answer = await connection.client.call('removeDomain', { body: { ...target, domain }, signal });
  if (!answer.ok) return terminal.refuse(answer.problem);
  terminal.json(answer.value);
  terminal.print(printable(answer.value.message));
  return statuses.done;
}

async function look(
  { connection: { client }, terminal, options, signal }: Context,
  target: Target,
  { name, redirectTo, isNew }: { name: string; redirectTo: string | undefined; isNew: boolean },
): Promise<number> {
  const body = { ...target, domain: name };
  const first = isNew
    ? await client.call('addDomain', { body: { ...body, ...(redirectTo !== undefined && { redirectTo }) }, signal })
    : await client.call('checkDomain', { body, signal });
  if (!first.ok) return terminal.refuse(first.problem);
  let { domain } = first.value;
  const isWaiting = options.wait === true;
  if (isNew && domain.state === 'pending') showRecords(terminal, domain);
  let reported = '';
  const isOver = () => domain.state === 'live' || domain.state === 'released' || signal.aborted;
  while (isWaiting && !isOver()) {
    if (words(domain) !== reported) terminal.printNote(words(domain));
    reported = words(domain);
    await wait(checkEveryMs, signal);
    const again = await retryRequest({ terminal, signal }, () => client.call('checkDomain', { body, signal }));
    if (!again.ok) return terminal.refuse(again.problem);
    domain = again.value.domain;
  }
  terminal.json({ domain });
  terminal.print(words(domain));
  return isWaiting && domain.state !== 'live' ? statuses.refused : statuses.done;
}

const checkEveryMs = 6_000;

function showRecords(terminal: Context['terminal'], { records }: Domain): void {
  terminal.printNote('Set these records in DNS:');
  for (const { type, name, value } of records) terminal.printNote(printable(`  ${name}  ${type}  ${value}`));
}

/** Prints the domain that a configuration names (`url:`), and the DNS records for it. */
export function printDomain(terminal: Context['terminal'], domain: Domain | undefined): void {
  if (!domain || domain.state === 'live') return;
  terminal.printNote(words(domain));
  if (domain.state === 'pending') showRecords(terminal, domain);
}

function words({ domain, state, reason, url }: Domain): string {
  if (state === 'live') return `${url} is live.`;
  return printable(`${domain} is ${state}${reason === undefined ? '' : `: ${reason}`}`);
}
