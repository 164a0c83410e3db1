/**
 * `berth login` and `berth logout`: an API key of an account, stored for this user only. It comes from a code that the
 * user confirms in a browser, or the user enters it.
 */
import { hostname, userInfo } from 'node:os';
import type { Answer } from '../../client/request.ts';
import { wait } from '../../lib/wait.ts';
import { keysFile, readKeys, saveKey } from '../api-keys.ts';
import { statuses } from '../arguments.ts';
import { askSecret } from '../ask-secret.ts';
import { printable } from '../render.ts';
import type { Context, Run } from './command.ts';

export const login: Run = async (context) => {
  const { connection, options, streams, terminal, signal } = context;
  const { server, as } = connection;
  const given = options['with-key'] === true || !streams.stdin.isTTY ? await givenKey(context) : undefined;
  if (signal.aborted) return statuses.interrupted;
  if (given !== undefined && !/^berthkey_[\x21-\x7e]{1,200}$/.test(given))
    return terminal.fail('This is not an API key: those begin with berthkey_.');
  if (given === undefined && options['with-key'] === true) return terminal.fail('No key was given.');
  const key = given ?? (await confirmedKey(context));
  if (typeof key === 'number') return key;
  // Keys that do not belong to an account are not stored.
  const account = await as(key).call('getAccount', { signal });
  if (!account.ok) return terminal.refuse(account.problem);
  await saveKey(streams.env, server, key);
  const { email, tier } = account.value;
  terminal.json({ server, account: account.value });
  terminal.print(`Logged in to ${server} as ${printable(email)} (${printable(tier.name)}).`);
  terminal.printNote(`The key is kept in ${keysFile(streams.env)}, for you alone. "berth logout" forgets it.`);
  return statuses.done;
};

/** Undefined without a key: a caller without a terminal may have no input. */
async function givenKey({ connection: { server }, streams, terminal, signal }: Context): Promise<string | undefined> {
  if (streams.stdin.isTTY)
    terminal.printNote(`Make an API key at ${server}/account and paste it here. It is not shown.`);
  return await askSecret(`API key for ${server}`, streams, signal);
}

/** The key after confirmation in a browser. A number is the exit status. */
async function confirmedKey({ connection, streams, terminal, signal, open }: Context): Promise<string | number> {
  const client = connection.as(undefined);
  const requested = await client.call('startLogin', { body: { machine: machineName() }, signal });
  if (!requested.ok) return terminal.refuse(requested.problem);
  const { deviceCode, userCode, url, urlWithCode, expiresAt } = requested.value;
  terminal.printNote(`Open ${printable(url)} in a browser and confirm this code: ${printable(userCode)}`);
  if (streams.stdin.isTTY && !(await open(urlWithCode))) terminal.printNote('No browser could be started here.');
  terminal.printNote('Waiting …');
  let { intervalSeconds } = requested.value;
  while (Date.now() < Date.parse(expiresAt)) {
    await wait(intervalSeconds * 1000, signal);
    if (signal.aborted) return statuses.interrupted;
    const fetched: Answer<{ key: string }> = await client.call('fetchKey', { body: { deviceCode }, signal });
    if (fetched.ok) return fetched.value.key;
    const { code, status, retryAfterSeconds = intervalSeconds } = fetched.problem;
    if (code === 'slow_down' || code === 'rate_limited') intervalSeconds = Math.max(intervalSeconds, retryAfterSeconds);
    // If the service does not answer, try again. The code stays valid.
    else if (code !== 'authorization_pending' && status !== 0 && status < 500) return terminal.refuse(fetched.problem);
  }
  return terminal.fail('The code was not confirmed in time. Run "berth login" again.');
}

/** The name shown on the confirmation page. */
function machineName(): string {
  return `${userName()}${hostname()}`.slice(0, 80);
}

function userName(): string {
  try {
    return `${userInfo().username}@`;
  } catch {
    // A user ID without a name, as in many containers.
    return '';
  }
}

export const logout: Run = async ({ connection: { server }, streams: { env }, terminal }) => {
  const isKnown = (await readKeys(env))[server] !== undefined;
  if (isKnown) await saveKey(env, server, undefined);
  terminal.json({ server, wasLoggedIn: isKnown });
  terminal.print(isKnown ? `The key for ${server} is forgotten here.` : `No key for ${server} is kept here.`);
  if (isKnown) terminal.printNote(`Revoke it at ${server}/account, so that it can no longer be used.`);
  return statuses.done;
};
