/** `ports` and `expose` in all their forms → the ports that the container listens on. */

import { quote } from '../diagnostics.ts';
import { childOf, type Field, itemsOf } from '../tree.ts';
import type { Reading } from './reading.ts';

export type Port = {
  port: number;
  /** On the host, where the document says one. */
  published?: number;
  isPublic: boolean;
  /** `http` and the like, of the long form. */
  appProtocol?: string;
  field: Field;
};

/** As many as a pod may have. */
const mostPorts = 50;

/** TCP ports in document order, published ones first; the same one twice counts once. */
export function readPorts(service: Field, reading: Reading): Port[] {
  const published = itemsOf(childOf(service, 'ports')).flatMap((field) => readPort(field, true, reading));
  const exposed = itemsOf(childOf(service, 'expose')).flatMap((field) => readPort(field, false, reading));
  const ports = new Map<number, Port>();
  for (const port of [...published, ...exposed]) if (!ports.has(port.port)) ports.set(port.port, port);
  if (ports.size > mostPorts) {
    const field = childOf(service, 'ports') ?? childOf(service, 'expose')!;
    reading.error(
      field,
      'too-many-ports',
      `has ${ports.size} ports`,
      `list those that are needed, at most ${mostPorts}`,
    );
  }
  return [...ports.values()].slice(0, mostPorts);
}

function readPort(field: Field, isPublic: boolean, reading: Reading): Port[] {
  if (field.tree.kind === 'map') return readLongForm(field, reading);
  const text = reading.text(field);
  if (text === undefined) return [];
  const match = /^(.*?)(?:\/([A-Za-z]+))?$/.exec(text.trim())!;
  const parts = splitColons(match[1]!);
  const container = parseRange(parts.at(-1)!);
  const hostText = parts.length > 1 ? parts.at(-2)! : '';
  if (!container || parts.length > 3 || (hostText !== '' && !parseRange(hostText))) {
    const hint = reading.isIncomplete(field)
      ? 'a variable in it has no value: write the port itself'
      : 'for example "80", "8080:80" or "127.0.0.1:8080:80/tcp"';
    reading.error(field, 'bad-port', `${quote(text)} is not a port`, hint);
    return [];
  }
  return expand(container, parseRange(hostText), match[2] ?? 'tcp', isPublic, field, reading);
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
  const appProtocol = textAt('app_protocol')?.toLowerCase();
  const ports = expand(
    container,
    parseRange(textAt('published') ?? ''),
    textAt('protocol') ?? 'tcp',
    true,
    field,
    reading,
  );
  return ports.map((port) => ({ ...port, ...(appProtocol && { appProtocol }) }));
}

type Range = { first: number; last: number };

function expand(
  container: Range,
  host: Range | undefined,
  protocol: string,
  isPublic: boolean,
  field: Field,
  reading: Reading,
): Port[] {
  if (protocol.toLowerCase() !== 'tcp') {
    const what = `port ${container.first}/${protocol.toLowerCase()}`;
    reading.warn(field, 'not-tcp', `${what} is not reachable from outside`, 'only HTTP is routed to applications');
    return [];
  }
  const count = container.last - container.first + 1;
  // One more than allowed is enough to say that it is too many.
  return Array.from({ length: Math.min(count, mostPorts + 1) }, (_, index) => ({
    port: container.first + index,
    ...(host && host.last - host.first + 1 === count && { published: host.first + index }),
    isPublic,
    field,
  }));
}

/** At colons, but not at those of `[::1]`. */
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
