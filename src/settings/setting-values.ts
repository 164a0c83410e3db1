/** Parsers for the values of settings. */
import { isIP, isIPv4, isIPv6 } from 'node:net';
import { parseBytes } from '../config/values/units.ts';
import { type Egress, parseEgress } from '../deployment/workload/egress.ts';
import { contains, everyIPv4 } from '../lib/ip-networks.ts';
import { type PostgresAddress, parsePostgresUrl } from '../lib/postgres-address.ts';
import type { ProofSettings } from '../lib/proof-of-work.ts';
import type { Rate } from '../lib/rate-limit.ts';

/** One environment variable, `BERTH_<variable>`. */
export type Setting<T> = { variable: string; default: string; help: string; read: (text: string) => T };

/** One environment variable that sets several settings. */
export type SettingGroup<T> = Setting<T> & { isGroup: true };

export type Table<T> = { [K in keyof T]: Setting<T[K]> };

type Field<T> = { name: string; default: string; read: (text: string) => T };

/** Thrown by a reader: what the value must be. */
export class Unreadable extends Error {}

const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `120m` → milliseconds. */
export function duration(value: string): number {
  const match = /^(\d+)(ms|s|m|h|d)$/.exec(value);
  if (!match) throw new Unreadable('must be a duration such as 30s, 120m or 24h');
  return Number(match[1]) * unitMs[match[2] as keyof typeof unitMs];
}

/** `starts=10/m requests=120/m`: a missing field has its default. A field without a default is undefined. */
export function fieldGroup<T>(
  variable: string,
  help: string,
  fields: { [K in keyof T]: Field<T[K]> },
): SettingGroup<{ [K in keyof T]: T[K] }> {
  const all = Object.entries(fields) as [keyof T, Field<T[keyof T]>][];
  const standard = all.filter(([, field]) => field.default !== '').map(([, field]) => `${field.name}=${field.default}`);
  const readAll = (text: string) => {
    const given = readWords(
      text,
      all.map(([, { name }]) => name),
    );
    const read = (field: Field<T[keyof T]>) => {
      const value = given.get(field.name) ?? field.default;
      try {
        return value === '' ? undefined : field.read(value);
      } catch (error) {
        throw error instanceof Unreadable ? new Unreadable(`(${field.name}) ${error.message}`) : error;
      }
    };
    return Object.fromEntries(all.map(([key, field]) => [key, read(field)])) as T;
  };
  return { variable, default: standard.join(' '), help, isGroup: true, read: readAll };
}

/** `a=1 b=2` → the value of each known name. */
export function readWords(text: string, known: readonly string[]): Map<string, string> {
  const words = text.split(/\s+/).filter((word) => word !== '');
  return new Map(
    words.map((word): [string, string] => {
      const [, name = '', value = ''] = /^([a-z-]+)=(.+)$/.exec(word) ?? [];
      if (!known.includes(name)) throw new Unreadable(`may set ${known.join(', ')}, each as name=value`);
      return [name, value];
    }),
  );
}

/** `512Mi` → bytes. */
export function size(value: string): number {
  const bytes = parseBytes(value);
  if (!(bytes >= 0)) throw new Unreadable('must be a size such as 512Mi or 20Gi');
  return bytes;
}

export function oneOf<T extends string>(...values: T[]): (text: string) => T {
  return (value) => {
    const found = values.find((known) => known === value);
    if (found === undefined) throw new Unreadable(`must be ${values.join(' or ')}`);
    return found;
  };
}

/** A name. The module that uses the name checks that it exists. */
export function word(text: string): string {
  if (!/^[a-z][a-z0-9-]*$/.test(text)) throw new Unreadable('must be a word of lower-case letters');
  return text;
}

/** `80%` of the machine, or a size. */
export function shareOrSize(value: string): { share: number } | { bytes: number } {
  return value.endsWith('%') ? { share: share(value) } : { bytes: size(value) };
}

export function integer(least: number, most: number): (text: string) => number {
  return (value) => {
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    if (!(number >= least && number <= most)) throw new Unreadable(`must be a whole number from ${least} to ${most}`);
    return number;
  };
}

/** `10/m` → 10 in 60,000 ms. */
export function rate(value: string): Rate {
  const match = /^([1-9]\d*)\/(s|m|h)$/.exec(value);
  if (!match) throw new Unreadable('must be a rate such as 10/m');
  return { count: Number(match[1]), windowMs: unitMs[match[2] as 's' | 'm' | 'h'] };
}

/** Parses a rate: `4Mi/m` is 4,194,304 bytes in 60,000 ms. One piece of `least` bytes must fit. */
export function byteRate(least: number): (text: string) => Rate {
  return (value) => {
    const [amount = '', unit = ''] = value.split('/');
    const count = parseBytes(amount);
    if (!(count >= least) || !Object.hasOwn(unitMs, unit))
      throw new Unreadable(`must be a rate such as 4Mi/m, of ${least} bytes or more`);
    return { count, windowMs: unitMs[unit as keyof typeof unitMs] };
  };
}

/** `80%` → 0.8. */
function share(value: string): number {
  const percent = /^(\d{1,3})%$/.exec(value)?.[1];
  if (!(Number(percent) >= 1 && Number(percent) <= 100)) throw new Unreadable('must be a share from 1% to 100%');
  return Number(percent) / 100;
}

export function domain(value: string): string {
  if (!/^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/.test(value)) {
    throw new Unreadable('must be a domain such as apps.example.com');
  }
  return value;
}

export function webAddress(value: string): URL {
  const url = URL.parse(value);
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search || url.hash) {
    throw new Unreadable('must be an address such as https://berth.example.com');
  }
  return url;
}

export function address(value: string): string {
  if (!/^[0-9a-fA-F.:]+$/.test(value)) throw new Unreadable('must be an IP address such as 127.0.0.1 or 0.0.0.0');
  return value;
}

/** `10.0.0.2, fd00::/8` */
export function networks(value: string): string[] {
  if (value === 'none') return [];
  return value.split(',').map((part) => {
    const [, host = '', bits] = /^([0-9a-fA-F.:]+)(?:\/(\d{1,3}))?$/.exec(part.trim()) ?? [];
    const version = isIP(host);
    // A network with all addresses would let every client forge its address.
    const isMask = bits === undefined || (Number(bits) >= 1 && Number(bits) <= (version === 4 ? 32 : 128));
    if (version === 0 || !isMask) throw new Unreadable('must be addresses or networks such as 10.0.0.2,fd00::/8');
    if (contains(part.trim(), everyIPv4)) throw new Unreadable(`must not include all of IPv4, as ${part.trim()} does`);
    return part.trim();
  });
}

export function network(value: string): string {
  const match = /^(\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3})\/(\d+)$/.exec(value);
  if (!match || !isIPv4(match[1]!) || Number(match[2]) < 8 || Number(match[2]) > 24) {
    throw new Unreadable('must be an IPv4 network from /8 to /24 such as 10.200.0.0/13');
  }
  return value;
}

/** A name of a Kubernetes object; undefined if the value is empty. */
export function clusterLabel(value: string): string | undefined {
  if (value === '') return undefined;
  if (/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/.test(value)) return value;
  throw new Unreadable('must be a name such as fast-ssd');
}

/**
 * `9.9.9.9,10.0.0.53`. Containers have no IPv6, and loopback addresses are the container's own. Docker uses at most three
 * resolvers, as does the C library with `/etc/resolv.conf`.
 */
export function resolvers(value: string): string[] {
  const addresses = value.split(',').map((part) => part.trim());
  const areUsable = addresses.every((each) => isIPv4(each) && !/^(127|0)\./.test(each));
  if (areUsable && addresses.length <= 3) return addresses;
  throw new Unreadable('must be up to three IPv4 addresses outside of loopback, such as 9.9.9.9,149.112.112.112');
}

export function domainResolvers(value: string): string[] {
  const given = value.split(',').map((part) => part.trim());
  const areUsable = given.every((each) => {
    const [, six, four, port] = /^(?:\[([0-9a-f:]+)\]|([0-9.]+))(?::(\d{1,5}))?$/i.exec(each) ?? [];
    return (isIPv4(four ?? '') || isIPv6(six ?? '')) && Number(port ?? 53) > 0 && Number(port ?? 53) < 65_536;
  });
  if (areUsable && given.length <= 3) return given;
  throw new Unreadable('must be up to three addresses, such as 9.9.9.9,[2620:fe::fe]:53');
}

export function text(value: string): string {
  if (value.length > 500 || /\p{Cc}/u.test(value)) throw new Unreadable('must be one short line');
  return value;
}

export function issuer(value: string): URL {
  const url = URL.parse(value);
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username) {
    throw new Unreadable('must be an address such as https://login.example.com');
  }
  return url;
}

export function email(value: string): string {
  if (!/^[^\s@<>,;:"]{1,100}@[^\s@<>,;:"]{1,100}$/.test(value)) throw new Unreadable('must be an email address');
  return value;
}

export function mailServer(value: string): URL {
  const url = URL.parse(value);
  if (!url || !/^smtps?:$/.test(url.protocol) || !url.hostname) {
    throw new Unreadable('must be an address such as smtp://user:password@mail.example.com:587');
  }
  return url;
}

export function databaseUrl(value: string): PostgresAddress {
  try {
    return parsePostgresUrl(value);
  } catch (error) {
    throw new Unreadable((error as Error).message);
  }
}

export function secret(value: string): string {
  if (value.length < 32) throw new Unreadable('must have 32 characters or more');
  return value;
}

export function link(value: string): URL {
  const url = URL.parse(value);
  if (!url || !/^https?:$/.test(url.protocol) || url.username) {
    throw new Unreadable('must be an address such as https://example.com/terms');
  }
  return url;
}

/** Checks that the operator can override. */
export type Unsafe = 'firewall' | 'domain' | 'cluster';

export function unsafe(value: string): Unsafe[] {
  if (value === '0') return [];
  if (value === '1') return ['firewall', 'domain'];
  return value.split(',').map(oneOf('firewall', 'domain', 'cluster'));
}

export function egress(value: string): Egress {
  const read = parseEgress(value);
  if (!read) throw new Unreadable('must be open, none, or networks such as 203.0.113.0/24:443,198.51.100.7');
  return read;
}

/** About a second of one processor (measured: 1.3 to 3.7 ms for each of some 256 attempts). */
const usualCost = 2000;

export function proofOfWork(value: string): ProofSettings {
  if (value === 'off' || value === 'auto' || value === 'always') return { mode: value, cost: usualCost };
  const cost = /^\d{1,6}$/.test(value) ? Number(value) : 0;
  if (cost < 1) throw new Unreadable('must be off, auto, always, or a cost from 1 to 999999');
  return { mode: 'always', cost };
}
