/** The service, credentials and application of a command. */
import { type Client, createClient } from '../client/client.ts';
import type { Keys } from './api-keys.ts';
import type { Options } from './arguments.ts';
import type { SavedSession } from './saved-session.ts';

const defaultServer = 'http://localhost:8080';

export type Connection = {
  /** The client with the caller's token. */
  client: Client;
  /** Returns a client with another token, or without one. */
  as(token: string | undefined): Client;
  /** The origin of the service, without a slash at the end. */
  server: string;
  token: string | undefined;
  /** The API key of the account that this user has logged in to on this machine. */
  key?: string | undefined;
  /** The folder's saved session of this service. Empty for another service. */
  saved: SavedSession;
  application: { applicationName: string; environment?: string } | undefined;
};

type ConnectOptions = { options: Options; env: Record<string, string | undefined>; saved: SavedSession; keys?: Keys };

/** PURE. Returns a message if a value is wrong. */
export function connect({ options, env, saved, keys = {} }: ConnectOptions): Connection | string {
  const given = textOf(options.server) ?? (env.BERTH_SERVER || undefined) ?? saved.server ?? defaultServer;
  const server = originOf(given);
  if (server === undefined)
    return `"${given}" is not the address of a service; write http://host:port or https://host.`;
  // A token is only sent to the service that issued it.
  const known: SavedSession = saved.server === server ? saved : {};
  const shown = textOf(options.token) ?? (env.BERTH_TOKEN || undefined);
  const isNamedByFolder = textOf(options.server) === undefined && !env.BERTH_SERVER && saved.server === server;
  const key = Object.hasOwn(keys, server) ? keys[server] : undefined;
  // The author of a repository may also have written the folder's session file.
  if (shown !== undefined && isNamedByFolder && server !== defaultServer && ![known.sessionToken, key].includes(shown))
    return `The folder names the service ${server}. A token that you give is shown to it only if you name it too: --server ${server}, or BERTH_SERVER.`;
  const token = shown ?? known.sessionToken ?? key;
  // The saved session belongs to its own token, or to an account, whose key is passed with each command.
  const isOthers = known.sessionToken !== undefined && token !== known.sessionToken;
  const savedName = isOthers ? undefined : known.applicationName;
  const name = textOf(options.app) ?? savedName;
  const isSavedName = name === savedName && known.sessionToken === undefined;
  const environment = textOf(options.environment) ?? (isSavedName ? known.environment : undefined);
  return {
    client: createClient({ baseUrl: server, token }),
    as: (token) => createClient({ baseUrl: server, token }),
    server,
    token,
    key,
    saved: known,
    application:
      name === undefined ? undefined : { applicationName: name, ...(environment !== undefined && { environment }) },
  };
}

function originOf(given: string): string | undefined {
  const text = /^[a-z]+:\/\//i.test(given) ? given : `http://${given}`;
  if (!URL.canParse(text)) return undefined;
  const { protocol, origin, username, password } = new URL(text);
  const isUsable = ['http:', 'https:'].includes(protocol) && username === '' && password === '';
  return isUsable ? origin : undefined;
}

function textOf(option: Options[string]): string | undefined {
  return typeof option === 'string' ? option : undefined;
}
