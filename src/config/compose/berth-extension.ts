/** Reads `x-berth`: settings that Compose does not have. */
import { quote } from '../diagnostics/diagnostics.ts';
import { nearestName } from '../diagnostics/suggest.ts';
import { childOf, entriesOf, entryOf, type Field, itemsOf } from '../document/tree.ts';
import { publicPathPattern, resourceTypes } from '../schema/field-rules.ts';
import type { AppSpec, PodSpec, RegistryLogin } from '../spec/spec.ts';
import { integerOf, isTrue, keyOf, type Reading } from './compose-reader.ts';
import type { Extension } from './draft.ts';
import { renamed } from './key-rules.ts';

const serviceKeys = ['path', 'port', 'url', 'subdomain', 'resourceType', 'stripPrefix', 'sticky'];
const topKeys = ['url', 'vars', 'profiles', 'registryLogin', 'sleep'];
const publicPath = new RegExp(publicPathPattern);

export function readExtension(service: Field, reading: Reading): Extension {
  const field = childOf(service, 'x-berth');
  if (!field) return { options: {} };
  warnOfUnknown(field, serviceKeys, reading);
  const path = readPath(entryOf(field, 'path'), reading);
  const port = integerOf(reading, childOf(field, 'port'), 1);
  if (port !== undefined && port > 65535) reading.error(childOf(field, 'port')!, 'bad-port', `${port} is not a port`);
  const urlField = childOf(field, 'url');
  const url = urlField && reading.text(urlField);
  const subdomainField = childOf(field, 'subdomain');
  const subdomain = subdomainField && reading.text(subdomainField);
  if (subdomain !== undefined && !/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(subdomain)) {
    reading.error(subdomainField!, 'bad-value', `${quote(subdomain)} is not a DNS label`, 'for example admin');
  }
  const resourceType = readResourceType(childOf(field, 'resourceType'), reading);
  return {
    ...(path && { path }),
    ...(port !== undefined && { port }),
    ...(url && { url: { value: url, field: urlField } }),
    ...(subdomain !== undefined && { subdomain }),
    ...(resourceType && { resourceType }),
    options: {
      ...(isTrue(reading, childOf(field, 'stripPrefix')) && { stripPrefix: true }),
      ...(isTrue(reading, childOf(field, 'sticky')) && { sticky: true }),
    },
  };
}

function readPath(field: Field | undefined, reading: Reading): Extension['path'] {
  if (!field) return undefined;
  const text = reading.text(field);
  if (text === undefined) return undefined;
  if (field.tree.kind === 'scalar' && (field.tree.value === null || /^(?:false|none)$/.test(text))) {
    return { value: false, field };
  }
  const hint =
    'begin it with a slash, for example /api, without spaces, `?`, `#` or `%`; false keeps the service internal';
  if (!publicPath.test(text)) reading.error(field, 'bad-path', `${quote(text)} is not a path`, hint);
  return { value: text === '/' ? text : text.replace(/\/$/, ''), field };
}

function readResourceType(field: Field | undefined, reading: Reading): PodSpec['resourceType'] | undefined {
  const text = field && reading.text(field);
  if (!field || text === undefined) return undefined;
  const type = resourceTypes.find((known) => known === text);
  if (!type) reading.error(field, 'bad-value', `${quote(text)} is not known`, `known are ${resourceTypes.join(', ')}`);
  return type;
}

export type TopExtension = Pick<AppSpec, 'registryLogin' | 'sleep'> & {
  url?: { value: string; field: Field };
  profiles: string[];
};

export function readTopExtension(document: Field, reading: Reading): TopExtension {
  const field = childOf(document, 'x-berth');
  if (!field) return { profiles: [] };
  warnOfUnknown(field, topKeys, reading);
  const urlField = childOf(field, 'url');
  const url = urlField && reading.text(urlField);
  const login = readLogin(childOf(field, 'registryLogin'), reading);
  const sleep = childOf(field, 'sleep');
  return {
    ...(url && { url: { value: url, field: urlField } }),
    profiles: itemsOf(childOf(field, 'profiles')).map((item) => reading.text(item) ?? ''),
    ...(login && { registryLogin: login }),
    ...(sleep && !isTrue(reading, sleep) && { sleep: false }),
  };
}

function readLogin(field: Field | undefined, reading: Reading): RegistryLogin | undefined {
  if (!field) return undefined;
  const [registry, username, personalAccessToken] = ['registry', 'username', 'personalAccessToken'].map((key) => {
    const child = childOf(field, key);
    const text = child && reading.text(child);
    if (!text) reading.error(field, 'missing-field', `"registryLogin" has no "${key}"`, `write ${key}: below it`);
    return text ?? '';
  });
  return { registry: registry!, username: username!, personalAccessToken: personalAccessToken! };
}

function warnOfUnknown(field: Field, known: string[], reading: Reading): void {
  for (const [key, entry] of entriesOf(field)) {
    if (known.includes(key)) continue;
    const guess = nearestName(key, known);
    const hint = guess ? `did you mean "${guess}"?` : `known are ${known.join(', ')}`;
    const fix = guess ? renamed(field, entry, guess) : undefined;
    reading.warn(keyOf(entry), 'unknown-field', `"${key}" is an unknown field of x-berth and is ignored`, hint, fix);
  }
}
