/** PURE. Parses the credentials that a registry requires: the header `WWW-Authenticate` (RFC 9110, 11.6.1). */

export type Challenge = { kind: 'basic' } | { kind: 'bearer'; realm: string; service: string | undefined };

const parameter = /([a-zA-Z_-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/g;
/** More than any registry writes. */
const longest = 4096;

/** Undefined when it is neither of the two that registries use, or says not where a token is given. */
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

/** The token in the answer of a token service. Undefined if the answer has no usable token. */
export function readToken(body: string): string | undefined {
  const answer = parseObject(body);
  const token = answer?.token || answer?.access_token;
  return typeof token === 'string' && /^[\x21-\x7e]{1,16384}$/.test(token) ? token : undefined;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
