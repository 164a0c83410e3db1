/** Registries that the operator lists. They may have private addresses and a login that all users share. */
import { readFile } from 'node:fs/promises';
import { StartError } from '../../lib/start-error.ts';
import type { ListedHost } from '../dialer/dialer.ts';

/** The setting's text. The files are read when the service starts. */
export type RegistrySetting = {
  host: string;
  plainHttp: boolean;
  caFile?: string;
  loginFile?: string;
  open?: string[];
};

export type Login = { username: string; password: string };

export type ListedRegistry = ListedHost & {
  login?: Login;
  /** The prefixes of repositories that its login opens to all users. Default: see `opens`. */
  open?: readonly string[];
};

/**
 * Returns whether the login of a registry opens a repository to all users. On Docker Hub, a login is only for the pull
 * limit: it opens the official images and the listed repositories. Elsewhere, it opens all by default.
 */
export function opens({ open }: ListedRegistry, { registry, repository }: { registry: string; repository: string }) {
  if (registry === 'docker.io' && repository.startsWith('library/')) return true;
  return open ? open.some((beginning) => repository.startsWith(beginning)) : registry !== 'docker.io';
}

/**
 * Returns the registries by host. `variable`: the name of the setting. Throws StartError if a file cannot be read or is
 * empty.
 */
export async function readRegistries(
  settings: readonly RegistrySetting[],
  variable = 'BERTH_REGISTRIES',
): Promise<Map<string, ListedRegistry>> {
  const entries = settings.map(
    async ({ host, plainHttp, caFile, loginFile, open }): Promise<[string, ListedRegistry]> => {
      const ca = caFile === undefined ? undefined : await readText(caFile, variable);
      const login = loginFile === undefined ? undefined : readLogin(await readText(loginFile, variable), loginFile);
      return [host, { plainHttp, ...(ca !== undefined && { ca }), ...(login && { login }), ...(open && { open }) }];
    },
  );
  return new Map(await Promise.all(entries));
}

async function readText(file: string, variable: string): Promise<string> {
  return await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new StartError(`${variable}: ${file} cannot be read (${error.code}).`);
  });
}

/** `name:token`, in one line. */
function readLogin(text: string, file: string): Login {
  const [, username, password] = /^([^:\s]+):(\S+)\s*$/.exec(text) ?? [];
  if (username === undefined || password === undefined)
    throw new StartError(`BERTH_REGISTRIES: ${file} has to hold one line, such as name:token.`);
  return { username, password };
}
