/**
 * The container options of a pod in addition to its image and limits, each within safe limits. Both forms of a document
 * read their values with this. Pure.
 */

import { reservedIPv4 } from '../../lib/reserved-addresses.ts';
import { quote } from '../diagnostics/diagnostics.ts';
import type { FileAccess, Ulimit } from '../spec/spec.ts';
import { parseUrl } from './patterns.ts';

/** Reports problems of the field that is being read. */
export type FieldReporter = {
  /** The value cannot be had. */
  refuse(message: string, hint: string): void;
  /** Reports a value that is read differently, or has no effect. */
  note(message: string, hint: string): void;
};

/** The maximum numbers for a pod. Further entries are not read. */
export const max = { tmpfs: 20, groups: 20, names: 50 };

/** A stop occupies one of the service's slots. A pod that needs longer must store its data safely at any time. */
const longestStopSeconds = 30;

const signals = new Set(
  'HUP INT QUIT ABRT USR1 USR2 PIPE ALRM TERM CONT WINCH IO PWR KILL TSTP TTIN TTOU URG VTALRM'.split(' '),
);
const signalNumbers: Record<number, string> = {
  1: 'HUP',
  2: 'INT',
  3: 'QUIT',
  6: 'ABRT',
  9: 'KILL',
  10: 'USR1',
  12: 'USR2',
  15: 'TERM',
  28: 'WINCH',
};

/** `SIGQUIT`, `quit`, `3` or `SIGRTMIN+3` → the signal's full name. */
export function readSignal(text: string, say: FieldReporter): string | undefined {
  const name = text.trim().toUpperCase().replace(/^SIG/, '');
  const meant = /^\d{1,2}$/.test(name) ? signalNumbers[Number(name)] : name;
  if (meant !== undefined && (signals.has(meant) || /^RTMIN\+(?:[1-9]|[12]\d)$/.test(meant))) return `SIG${meant}`;
  say.refuse(`${quote(text)} is not a signal that ends a process`, 'for example SIGTERM, SIGINT or SIGQUIT');
  return undefined;
}

export function readStopSeconds(seconds: number, say: FieldReporter): number {
  if (seconds <= longestStopSeconds) return seconds;
  say.note(`the time for a stop is ${longestStopSeconds} s at most`, `write ${longestStopSeconds} s`);
  return longestStopSeconds;
}

/**
 * The ulimits that may be set, with their maximum: limits that all containers have, or that affect only the container
 * itself.
 */
const ulimits: Record<string, number> = {
  nofile: 16_384,
  core: 0,
  cpu: 2 ** 31,
  fsize: 2 ** 50,
  stack: 2 ** 30,
  data: 2 ** 50,
};

/** `soft` and `hard`: -1 means no limit. Undefined if the default applies. */
export function readUlimit(name: string, soft: number, hard: number, say: FieldReporter): Ulimit | undefined {
  const max = Object.hasOwn(ulimits, name) ? ulimits[name]! : undefined;
  if (max === undefined) {
    const hint =
      name === 'nproc'
        ? 'a container has 256 processes'
        : `those that can be set are ${Object.keys(ulimits).join(', ')}`;
    say.note(`the limit ${quote(name)} is set by the operator`, hint);
    return undefined;
  }
  // The kernel interprets other negative numbers as very large ones.
  if (Math.min(soft, hard) < -1) {
    say.refuse(
      `${Math.min(soft, hard)} is not a valid limit of ${name}`,
      'write a number from 0, or -1 for the most that there is',
    );
    return undefined;
  }
  const [softMost, hardMost] = [soft, hard].map((value) => (value === -1 ? Number.POSITIVE_INFINITY : value));
  if (softMost! > hardMost!) {
    say.refuse(`the soft limit of ${name} is above the hard one`, 'write one number for both');
    return undefined;
  }
  const read = { soft: Math.min(softMost!, max), hard: Math.min(hardMost!, max) };
  // "No limit" is replaced with the maximum. For limits that are never reached, no note is reported.
  const isCut = [soft, hard].some((value) => value > max || (value === -1 && max <= 16_384));
  if (isCut) say.note(`${name} is ${max} at most`, `write ${max}, or leave it out`);
  return read;
}

export function readGroup(text: string, say: FieldReporter): string | undefined {
  const group = text.trim();
  const isNumber = /^\d{1,10}$/.test(group) && Number(group) < 2 ** 31;
  if (isNumber || /^[A-Za-z_][A-Za-z0-9_.-]{0,31}$/.test(group)) return group;
  say.refuse(`${quote(text)} is not a valid group`, 'for example 1000, or www-data');
  return undefined;
}

const hostName = /^(?=.{1,253}$)[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,62})(?:\.[A-Za-z0-9_-]{1,63})*$/;

/** Reads an additional name of an address or pod. Reports an invalid name. */
export function isHostName(name: string, say: FieldReporter): boolean {
  if (hostName.test(name)) return true;
  say.refuse(`${quote(name)} is not a host name`, 'for example db.example.com');
  return false;
}

/** Returns the address for an additional host name. Names of pods are aliases instead. Undefined if it is refused. */
export function readHost(name: string, address: string, say: FieldReporter): string | undefined {
  if (!isHostName(name, say)) return undefined;
  if (address === 'host-gateway') {
    const hint = 'remove it, and add what runs there as one more of this application, or use a public address';
    say.refuse('"host-gateway" is the machine itself, which cannot be reached from a container', hint);
    return undefined;
  }
  if (address === '127.0.0.1' || address === '::1' || isPublicAddress(address)) return address;
  const hint = 'write a public address, or the name of another one of this application';
  const isAddress = /^[\d.]+$|:/.test(address);
  say.refuse(
    isAddress
      ? `${quote(address)} is not a public address and cannot be reached`
      : `${quote(address)} is not a valid address`,
    hint,
  );
  return undefined;
}

/** Kernel settings of the container's own network, each with its minimum and maximum. */
const sysctls: Record<string, readonly [number, number]> = {
  'net.core.somaxconn': [1, 65_535],
  'net.ipv4.ip_local_port_range': [1_024, 65_535],
  'net.ipv4.ip_unprivileged_port_start': [0, 65_535],
  'net.ipv4.tcp_fin_timeout': [1, 600],
  'net.ipv4.tcp_keepalive_intvl': [1, 32_767],
  'net.ipv4.tcp_keepalive_probes': [1, 127],
  'net.ipv4.tcp_keepalive_time': [1, 32_767],
  'net.ipv4.tcp_max_syn_backlog': [1, 65_536],
  'net.ipv4.tcp_syncookies': [0, 1],
  'net.ipv4.tcp_tw_reuse': [0, 2],
  'net.ipv6.conf.all.disable_ipv6': [0, 1],
  'net.ipv6.conf.default.disable_ipv6': [0, 1],
};

export function readSysctl(name: string, text: string, say: FieldReporter): string | undefined {
  const range = Object.hasOwn(sysctls, name) ? sysctls[name] : undefined;
  if (!range) {
    const hint = `remove it; those of the container's own network that can be set are ${Object.keys(sysctls).join(', ')}`;
    say.refuse(`the kernel setting ${quote(name)} belongs to the machine, or to its network`, hint);
    return undefined;
  }
  const numbers = text.trim().split(/\s+/);
  const [least, max] = range;
  const isPair = name.endsWith('_range');
  const isWithin = numbers.every((part) => /^\d{1,6}$/.test(part) && Number(part) >= least && Number(part) <= max);
  if (isWithin && numbers.length === (isPair ? 2 : 1) && (!isPair || Number(numbers[0]) < Number(numbers[1])))
    return numbers.map(Number).join(' ');
  say.refuse(
    `${quote(text)} is not a valid value of ${name}`,
    isPair ? `two numbers from ${least} to ${max}, such as "${least} ${max}"` : `a number from ${least} to ${max}`,
  );
  return undefined;
}

/** Reads `1777`. Of the special bits, only the sticky bit is allowed. */
export function readMode(text: string, say: FieldReporter): string | undefined {
  const mode = text.trim().replace(/^0o/, '');
  if (/^0?[01]?[0-7]{3}$/.test(mode)) return mode.replace(/^0(?=.{3})/, '');
  say.refuse(`${quote(text)} is not a mode`, 'for example "0644", or "0755" for a program');
  return undefined;
}

/** The mode and owner of a file, as the document writes them; undefined if missing. */
export function readAccess(
  { mode, user, group }: { mode: string | undefined; user: string | undefined; group: string | undefined },
  sayOf: (field: 'mode' | 'user' | 'group') => FieldReporter,
): FileAccess {
  const id = (text: string | undefined, field: 'user' | 'group') => {
    if (text === undefined || text === '' || /^\d{1,9}$/.test(text)) return text ? Number(text) : undefined;
    sayOf(field).note(`${quote(text)} is not a number and is ignored`, 'write the number of the user or group');
    return undefined;
  };
  const [uid, gid] = [id(user, 'user'), id(group, 'group')];
  const read = mode === undefined || mode === '' ? undefined : readMode(mode, sayOf('mode'));
  return {
    ...(read !== undefined && { mode: read }),
    ...(uid !== undefined && { user: uid }),
    ...(gid !== undefined && { group: gid }),
  };
}

/** Reads the hostname of a container, or its domain. Undefined if the text is not made of DNS labels. */
export function readHostname(text: string, say: FieldReporter): string | undefined {
  const name = text.trim();
  if (/^(?=.{1,63}$)[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/.test(name)) return name;
  say.note(`${quote(text)} is not a host name and is ignored`, 'write letters, digits and hyphens');
  return undefined;
}

/** The options that are set. Undefined without any, so that pods without options do not change. */
export function onlyGiven<T extends object>(options: T): Partial<T> | undefined {
  const given = Object.entries(options).filter(([, value]) => {
    if (value === undefined || value === false) return false;
    return typeof value !== 'object' || Object.keys(value).length > 0;
  });
  return given.length > 0 ? (Object.fromEntries(given) as Partial<T>) : undefined;
}

/**
 * Decides which addresses are on the public internet. Pure, and without Node because the checks also run in a browser.
 */

/** Returns whether an address is not on a list of special addresses. False if the text is not an address. */
export function isPublicAddress(text: string): boolean {
  return /^[\d.]+$/.test(text) ? isPublicIPv4(text) : text.includes(':') && isPublicIPv6(text);
}

function isPublicIPv4(text: string): boolean {
  const bits = bitsOf(text);
  return bits !== undefined && !reservedIPv4.some((range) => isWithin(bits, range));
}

/**
 * Returns the address as a 32-bit number. Only the common form is accepted, because some programs read a leading zero
 * as octal.
 */
function bitsOf(text: string): number | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256))
    return undefined;
  return parts.reduce((sum, part) => sum * 256 + Number(part), 0);
}

function isWithin(bits: number, range: string): boolean {
  const [network = '', length = ''] = range.split('/');
  const size = 2 ** (32 - Number(length));
  return Math.floor(bits / size) === Math.floor(bitsOf(network)! / size);
}

/** Returns whether the address is in 2000::/3, the public part of IPv6, and contains no IPv4 address (Teredo, 6to4). */
function isPublicIPv6(text: string): boolean {
  if (!/^[0-9a-f:]{2,39}$/i.test(text)) return false;
  const host = parseUrl(`http://[${text}]/`)?.hostname;
  if (host === undefined) return false;
  const [first = '', second = ''] = host.slice(1).split(':');
  const leading = Number.parseInt(first, 16);
  if (!(leading >= 0x2000 && leading <= 0x3fff) || leading === 0x2002) return false;
  return !(leading === 0x2001 && (second === '' || second === '0'));
}
