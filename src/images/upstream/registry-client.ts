/**
 * A client of the distribution protocol (pull) for one image. The credentials are only sent to its registry. All
 * requests go through the dialer.
 */

import type { ImageLocation } from '../../config/values/image-names.ts';
import type { Digest } from '../../lib/digest.ts';
import { parseObject } from '../../lib/json.ts';
import type { OpenedBlob } from '../blobs/blob-folder.ts';
import { readWhole } from '../dialer/bounded-body.ts';
import { DialFault } from '../dialer/dial-fault.ts';
import type { Answer, Dialer } from '../dialer/dialer.ts';
import type { ListedRegistry, Login } from './listed-registries.ts';
import { dockerHubHost } from './registry-faults.ts';

export type RegistryClient = {
  /** `path`: after the repository, such as `manifests/1`. The response must be read or destroyed. */
  request(method: 'GET' | 'HEAD', path: string, options: RegistryRequest): Promise<Answer>;
  /** A blob that is on this machine and was verified when it came. The caller closes it. */
  open?(digest: Digest): Promise<OpenedBlob | undefined>;
};

export type RegistryRequest = { accept: string; range?: string | undefined; signal: AbortSignal };

export type ClientOptions = {
  location: Pick<ImageLocation, 'registry' | 'repository'>;
  /** The owner's login. */
  login: Login | undefined;
  listed: ListedRegistry | undefined;
};

/** A token is short. Larger responses are refused. */
const maxTokenBytes = 65_536;

export function createRegistryClient(dialer: Dialer, { location, login, listed }: ClientOptions): RegistryClient {
  const { registry, repository } = location;
  const host = registry === 'docker.io' ? dockerHubHost : registry;
  const base = `${listed?.plainHttp ? 'http' : 'https'}://${host}/v2/${repository}/`;
  const mayUseListed = listed !== undefined;
  let authorization: string | undefined;

  async function request(
    method: 'GET' | 'HEAD',
    path: string,
    { accept, range, signal }: RegistryRequest,
  ): Promise<Answer> {
    const url = URL.parse(base + path);
    if (!url) throw new DialFault('unknown-name', registry);
    const asking = { method, headers: { accept, ...(range && { range }) }, mayUseListed, signal };
    const answer = await dialer.request(url, { ...asking, authorization });
    // Credentials for the registry are not for another host that it redirects to.
    if (answer.status !== 401 || answer.url.host !== url.host) return answer;
    answer.body.destroy();
    const shown = await authorize(answer.headers['www-authenticate'], signal);
    if (shown === undefined) return answer;
    authorization = shown;
    return await dialer.request(url, { ...asking, authorization });
  }

  /** The Authorization header for a registry's challenge; undefined without a credential. */
  async function authorize(header: string | undefined, signal: AbortSignal): Promise<string | undefined> {
    const challenge = readChallenge(header);
    if (challenge?.kind === 'basic') return login && basic(login);
    if (!challenge) return undefined;
    const realm = URL.parse(challenge.realm);
    if (!realm) return undefined;
    if (challenge.service !== undefined) realm.searchParams.set('service', challenge.service);
    realm.searchParams.set('scope', `repository:${repository}:pull`);
    const asking = { method: 'GET', mayUseListed, signal } as const;
    const answer = await dialer.request(realm, { ...asking, authorization: login && basic(login) });
    const body = await readWhole(answer.body, maxTokenBytes, answer.url.host);
    const token = answer.status === 200 ? readToken(body.toString()) : undefined;
    return token && `Bearer ${token}`;
  }

  return { request };
}

function basic({ username, password }: Login): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

/** Parses the credentials that a registry requires: the header `WWW-Authenticate` (RFC 9110, 11.6.1). */

type Challenge = { kind: 'basic' } | { kind: 'bearer'; realm: string; service: string | undefined };

const parameter = /([a-zA-Z_-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/g;

/** More than any registry writes. */
const longest = 4096;

/** Undefined for a scheme other than the two that registries use, or without a token service. */
export function readChallenge(header: string | undefined): Challenge | undefined {
  if (header === undefined || header.length > longest) return undefined;
  const bearer = /(?:^|,)\s*bearer\s+(.*)$/i.exec(header)?.[1];
  if (bearer === undefined) return /(?:^|,)\s*basic(?:\s|$)/i.test(header) ? { kind: 'basic' } : undefined;
  const parameters = new Map<string, string>();
  for (const [, name = '', quoted, plain] of bearer.matchAll(parameter)) {
    const key = name.toLowerCase();
    if (!parameters.has(key)) parameters.set(key, quoted?.replaceAll(/\\(.)/g, '$1') ?? plain ?? '');
  }
  const realm = parameters.get('realm');
  return realm === undefined ? undefined : { kind: 'bearer', realm, service: parameters.get('service') };
}

/** Returns the token in the response of a token service. Undefined without a usable token. */
export function readToken(body: string): string | undefined {
  const answer = parseObject(body);
  const token = answer.token || answer.access_token;
  return typeof token === 'string' && /^[\x21-\x7e]{1,16384}$/.test(token) ? token : undefined;
}
