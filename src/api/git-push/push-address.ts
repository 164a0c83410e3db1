/** PURE. The addresses to push to, and the credentials that Git sends. */

import { readFolder } from '../../config/values/git-address.ts';
import { type Result, refuse, succeed } from '../../lib/problem.ts';

/** `environment`: missing for the only application of the name. `isOwn`: credentials are required. */
export type PushAddress = { applicationName: string; environment?: string; isOwn: boolean };

/** Stands for the environment of the only application of that name. */
const own = 'mine';

const repositoryForm = /^([a-z][a-z0-9-]{2,63})(?:\.git)?$/;

/**
 * `/git/shop.git` starts a new deployment if the client sends no credentials. Git sends them only when the server requires
 * them, so an application of the caller has another address: `/git/mine/shop.git`, or its environment instead of `mine`.
 * Undefined if the name cannot be of an application.
 */
export function readPushAddress(owner: string | undefined, repository: string): PushAddress | undefined {
  const applicationName = repositoryForm.exec(repository)?.[1];
  if (applicationName === undefined) return undefined;
  if (owner === undefined) return { applicationName, isOwn: false };
  return { applicationName, isOwn: true, ...(owner !== own && { environment: owner }) };
}

/** The address with credentials. `baseUrl`: of the API. */
export function addressWithToken(baseUrl: URL, applicationName: string, token: string): string {
  const { protocol, host } = baseUrl;
  return `${protocol}//berth:${token}@${host}/git/${own}/${applicationName}.git`;
}

/** Reads the options of `git push --push-option`. `path`: the folder of the source. */
export function readPushOptions(options: readonly string[]): Result<{ path: string[] }> {
  let path: string[] = [];
  for (const option of options) {
    const [, written] = /^path=(.*)$/s.exec(option) ?? [];
    if (written === undefined) return unknownOption;
    const folder = readFolder(written);
    if (!folder.ok) return folder;
    path = folder.value;
  }
  return succeed({ path });
}

const unknownOption = refuse(
  'invalid_request',
  'The push has an unknown option.',
  'Use --push-option path=<folder> to deploy one folder of the repository.',
);

/** `Basic` with a password as `Bearer`, which the service reads. Undefined without a password. */
export function bearerOf(authorization: string | undefined): string | undefined {
  const [, encoded] = /^Basic +([\w+/=-]{1,8000})$/i.exec(authorization ?? '') ?? [];
  if (encoded === undefined) return authorization;
  const [, password = ''] = /^[^:]*:([\x21-\x7e]+)$/.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
  return password === '' ? undefined : `Bearer ${password}`;
}
