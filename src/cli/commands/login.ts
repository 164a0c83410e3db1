/** `berth login` and `berth logout`: an account's API key, made in the browser and kept for this person alone. */
import { askSecret } from '../ask-secret.ts';
import { keepKey, keptKeys, keysFile } from '../kept-keys.ts';
import { printable } from '../render.ts';
import { statuses } from '../words.ts';
import type { Run } from './command.ts';

export const login: Run = async ({ connection, streams, terminal, signal, open }) => {
  const { server, as } = connection;
  const page = `${server}/account`;
  if (streams.stdin.isTTY) {
    terminal.note(`Sign in at ${page}, add an API key there, and paste it here. Nobody sees it.`);
    if (!(await open(page))) terminal.note('No browser could be started; open the address yourself.');
  }
  const key = await askSecret(`API key for ${server}: `, streams, signal);
  if (signal.aborted) return statuses.interrupted;
  if (key === undefined) return terminal.fail('No key was given.');
  if (!/^berthkey_[\x21-\x7e]{1,200}$/.test(key))
    return terminal.fail('This is no API key: one begins with berthkey_.');
  // Whatever is no account's is not kept.
  const account = await as(key).call('getAccount', { signal });
  if (!account.ok) return terminal.refuse(account.problem);
  await keepKey(streams.env, server, key);
  const { email, tier } = account.value;
  terminal.json({ server, account: account.value });
  terminal.print(`Logged in to ${server} as ${printable(email)} (${printable(tier.name)}).`);
  terminal.note(`The key is kept in ${keysFile(streams.env)}, for you alone. "berth logout" forgets it.`);
  return statuses.done;
};

export const logout: Run = async ({ connection: { server }, streams: { env }, terminal }) => {
  const isKnown = (await keptKeys(env))[server] !== undefined;
  if (isKnown) await keepKey(env, server, undefined);
  terminal.json({ server, wasLoggedIn: isKnown });
  terminal.print(isKnown ? `The key for ${server} is forgotten here.` : `No key for ${server} is kept here.`);
  if (isKnown) terminal.note(`Revoke it at ${server}/account, so that nobody can use it any more.`);
  return statuses.done;
};
