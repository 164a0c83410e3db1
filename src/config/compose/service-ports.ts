/** `ports` and `expose` in all their forms → the ports that the container listens on. */

import { listOf, quote } from '../diagnostics/diagnostics.ts';
import { childOf, type Field, itemsOf } from '../document/tree.ts';
import { type Reading, spacedPair } from './compose-reader.ts';

export type Port = {
  port: number;
  /** The port on the host, if the document names one. */
  published?: number;
  /** `local`: published where only the machine itself, or its private network, reaches it. */
  reach: Reach;
  /** `http` and the like, of the long form. */
  appProtocol?: string;
  field: Field;
};

type Reach = 'public' | 'local' | 'internal';

/** The maximum number of ports of a pod. */
const maxPorts = 50;

/** Returns TCP ports in document order, published ones first, without duplicates. */
export function readPorts(service: Field, reading: Reading): Port[] {
  const published = itemsOf(childOf(service, 'ports')).flatMap((field) => readPort(field, 'public', reading));
  const exposed = itemsOf(childOf(service, 'expose')).flatMap((field) => readPort(field, 'internal', reading));
  const ports = new Map<number, Port>();
  for (const port of [...published, ...exposed]) {
    const known = ports.get(port.port);
    if (!known || (known.reach === 'local' && port.reach === 'public')) ports.set(port.port, port);
  }
  if (ports.size > maxPorts) {
    const field = childOf(service, 'ports') ?? childOf(service, 'expose')!;
    reading.error(
      field,
      'too-many-ports',
      `has ${ports.size} ports`,
      `list those that are needed, at most ${maxPorts}`,
    );
  }
  return [...ports.values()].slice(0, maxPorts);
}

function readPort(field: Field, reach: Reach, reading: Reading): Port[] {
  const pair = spacedPair(field);
  if (pair && !/^(?:target|published|port)\b/.test(pair.written)) {
    const message = `${quote(pair.written)} is a map, because of the space after its colon`;
    reading.error(field, 'bad-port', message, `write "${pair.together}", without spaces`);
    return [];
  }
  if (field.tree.kind === 'map') return readLongForm(field, reading);
  const { host, inside } = splitAtHost(field);
  const text = reading.text(inside);
  if (text === undefined) return [];
  const match = /^(.*?)(?:\/([A-Za-z]+))?$/s.exec(text.trim())!;
  // The host's port has no meaning here. A variable in it may therefore lack a value.
  const hostText = host === undefined ? undefined : reading.aside(host);
  const parts = [...(hostText === undefined ? [] : splitColons(hostText)), ...splitColons(match[1]!)];
  const container = parseRange(parts.at(-1)!);
  const published = parts.length > 1 ? parts.at(-2)! : '';
  const isHostLegal = published === '' || parseRange(published) || host?.includes('$');
  if (!container || (parts.length > 3 && !host?.includes('$')) || !isHostLegal) {
    const hint = reading.isIncomplete(inside)
      ? 'a variable in it has no value: write the port itself'
      : 'for example "80", "8080:80" or "127.0.0.1:8080:80/tcp"';
    const written = field.tree.kind === 'scalar' ? field.tree.text : text;
    reading.error(field, 'bad-port', `${quote(written)} is not a port`, hint);
    return [];
  }
  const isLocal = reach === 'public' && isPrivate(parts.slice(0, -2).join(':'));
  return expand(container, parseRange(published), match[2] ?? 'tcp', isLocal ? 'local' : reach, field, reading);
}

/**
 * Splits `${BIND:-127.0.0.1}:${PORT:-80}:3000/tcp` at the last colon outside of braces. The part before it is the
 * host's.
 */
function splitAtHost(field: Field): { host?: string; inside: Field } {
  const { tree } = field;
  if (tree.kind !== 'scalar' || typeof tree.value !== 'string') return { inside: field };
  const colon = lastColon(tree.text);
  if (colon === -1) return { inside: field };
  const text = tree.text.slice(colon + 1);
  return { host: tree.text.slice(0, colon), inside: { ...field, tree: { ...tree, text, value: text } } };
}

function lastColon(text: string): number {
  let depth = 0;
  for (let at = text.length - 1; at >= 0; at--) {
    if (text[at] === '}') depth++;
    else if (text[at] === '{' && depth > 0) depth--;
    else if (text[at] === ':' && depth === 0) return at;
  }
  return -1;
}

/** Returns whether the address is loopback or private. A port that is published there is not meant for the internet. */
function isPrivate(address: string): boolean {
  return /^(?:127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|\[?(?:::1|f[cd][0-9a-f]{2}:|fe80:)|localhost$)/i.test(
    address,
  );
}

function readLongForm(field: Field, reading: Reading): Port[] {
  const target = childOf(field, 'target');
  if (!target) {
    reading.error(field, 'bad-port', 'has no "target"', 'write the port of the container as target: 80');
    return [];
  }
  const targetText = reading.text(target);
  const container = parseRange(targetText ?? '');
  if (!container) {
    reading.error(target, 'bad-port', `${quote(targetText ?? '')} is not a port`, 'write a port from 1 to 65535');
    return [];
  }
  const textAt = (key: string) => {
    const child = childOf(field, key);
    return child && reading.text(child);
  };
  const asideAt = (key: string) => {
    const child = childOf(field, key);
    return child?.tree.kind === 'scalar' ? reading.aside(child.tree.text) : '';
  };
  const appProtocol = textAt('app_protocol')?.toLowerCase();
  const reach = isPrivate(asideAt('host_ip')) ? 'local' : 'public';
  const ports = expand(container, parseRange(asideAt('published')), textAt('protocol') ?? 'tcp', reach, field, reading);
  return ports.map((port) => ({ ...port, ...(appProtocol && { appProtocol }) }));
}

type Range = { first: number; last: number };

function expand(
  container: Range,
  host: Range | undefined,
  protocol: string,
  reach: Reach,
  field: Field,
  reading: Reading,
): Port[] {
  if (protocol.toLowerCase() !== 'tcp') {
    reading.gather(field, 'not-tcp', 'service', `${container.first}/${protocol.toLowerCase()}`, (ports) => ({
      message: `${portsOf(ports)} not reachable from outside`,
      hint: 'only HTTP is routed to applications',
    }));
    return [];
  }
  const count = container.last - container.first + 1;
  // One more than the maximum is enough to report that there are too many.
  return Array.from({ length: Math.min(count, maxPorts + 1) }, (_, index) => ({
    port: container.first + index,
    ...(host && host.last - host.first + 1 === count && { published: host.first + index }),
    reach,
    field,
  }));
}

/** Splits at colons, except those of `[::1]`. */
function splitColons(text: string): string[] {
  const bracket = /^\[[0-9A-Fa-f:.]*\]:/.exec(text);
  if (!bracket) return text.split(':');
  return [bracket[0].slice(0, -1), ...text.slice(bracket[0].length).split(':')];
}

/** `80` or `3000-3005`. */
function parseRange(text: string): Range | undefined {
  const match = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text.trim());
  if (!match) return undefined;
  const first = Number(match[1]);
  const last = Number(match[2] ?? match[1]);
  return first >= 1 && last <= 65535 && first <= last ? { first, last } : undefined;
}

/** `port 53/udp is`, `the ports 80, 443 are` */
export function portsOf(ports: readonly (string | number)[]): string {
  const list = listOf(ports.map(String));
  return ports.length === 1 ? `port ${list} is` : `the ports ${list} are`;
}
