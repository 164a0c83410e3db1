/** Keys of a service with container options, each within safe limits. */

import { quote } from '../diagnostics/diagnostics.ts';
import { childOf, entriesOf, type Field, isEmpty, itemsOf } from '../document/tree.ts';
import type { ContainerOptions, TmpfsSpec, Ulimit } from '../spec/spec.ts';
import {
  type FieldReporter,
  isHostName,
  max,
  onlyGiven,
  readGroup,
  readHost,
  readHostname,
  readMode,
  readSignal,
  readStopSeconds,
  readSysctl,
  readUlimit,
} from '../values/container-values.ts';
import { isTrue, type Pair, pairsOf, type Reading } from './compose-reader.ts';
import { parseSize, readSeconds } from './service-scale.ts';

/** `isService`: names of other services become aliases of their pods, see `hostsOfServices`. */
export function readContainer(
  service: Field,
  isService: (name: string) => boolean,
  reading: Reading,
): ContainerOptions | undefined {
  const signalAt = filled(childOf(service, 'stop_signal'));
  const graceAt = filled(childOf(service, 'stop_grace_period'));
  const signal = signalAt && reading.text(signalAt);
  const seconds = graceAt && readSeconds(graceAt, reading);
  const host = (key: 'hostname' | 'domainname') => {
    const field = filled(childOf(service, key));
    const text = field && reading.text(field);
    return text ? readHostname(text, reporterAt(field, reading)) : undefined;
  };
  return onlyGiven<ContainerOptions>({
    hostname: host('hostname'),
    domainname: host('domainname'),
    shmBytes: readSize(childOf(service, 'shm_size'), reading),
    tmpfs: readDirectories(service, reading),
    readOnly: isTrue(reading, childOf(service, 'read_only')) || undefined,
    stopSignal: signal === undefined ? undefined : readSignal(signal, reporterAt(signalAt!, reading)),
    stopGraceSeconds: seconds === undefined ? undefined : readStopSeconds(seconds, reporterAt(graceAt!, reading)),
    ulimits: readLimits(childOf(service, 'ulimits'), reading),
    groups: itemsOf(childOf(service, 'group_add'))
      .slice(0, max.groups)
      .flatMap((group) => readGroup(reading.text(group) ?? '', reporterAt(group, reading)) ?? []),
    extraHosts: readHosts(service, isService, reading),
    sysctls: Object.fromEntries(
      pairsOf(reading, childOf(service, 'sysctls'))
        .slice(0, max.names)
        .flatMap(({ name, value, field }): [string, string][] => {
          const read = readSysctl(name, value ?? '', reporterAt(field, reading));
          return read === undefined ? [] : [[name, read]];
        }),
    ),
  });
}

/** Returns names in `extra_hosts` that point to other services. */
export function hostsOfServices(
  service: Field,
  isService: (name: string) => boolean,
  reading: Reading,
): { alias: string; service: string }[] {
  return hostPairs(service, reading).flatMap(({ name, value = '' }) =>
    isService(value) ? [{ alias: name, service: value }] : [],
  );
}

function readHosts(service: Field, isService: (name: string) => boolean, reading: Reading): Record<string, string> {
  const hosts: Record<string, string> = {};
  for (const { name, value = '', field } of hostPairs(service, reading)) {
    const say = reporterAt(field, reading);
    if (isService(value)) {
      isHostName(name, say);
      continue;
    }
    const address = readHost(name, value, say);
    if (address !== undefined) hosts[name] ??= address;
  }
  return hosts;
}

/** `name=address`, or the older `name:address`, in which IPv6 has colons too, or brackets; or a map. */
function hostPairs(service: Field, reading: Reading): Pair[] {
  const field = childOf(service, 'extra_hosts');
  const pairs: Pair[] =
    field?.tree.kind === 'map'
      ? entriesOf(field).flatMap(([name, entry]) =>
          itemsOf(entry).map((item) => ({ name, value: reading.text(item), field: item })),
        )
      : itemsOf(field).map((item) => {
          const [, name = '', value] = /^([^:=]*)[:=](.*)$/s.exec(reading.text(item) ?? '') ?? [];
          return { name: name.trim(), value, field: item };
        });
  return pairs
    .slice(0, max.names)
    .map(({ name, value, field: at }) => ({ name, value: value?.trim().replace(/^\[(.*)\]$/, '$1'), field: at }));
}

function readLimits(field: Field | undefined, reading: Reading): Record<string, Ulimit> {
  const numberOf = (at: Field | undefined) => {
    const text = at && reading.text(at)?.trim();
    if (at === undefined || text === undefined) return undefined;
    if (/^-?\d{1,15}$/.test(text)) return Number(text);
    reading.error(at, 'not-a-number', `${quote(text)} must be a whole number`, 'for example 4096');
    return undefined;
  };
  return Object.fromEntries(
    entriesOf(field)
      .slice(0, max.names)
      .flatMap(([name, limit]): [string, Ulimit][] => {
        const isPair = limit.tree.kind === 'map';
        const soft = numberOf(isPair ? childOf(limit, 'soft') : limit);
        const hard = isPair ? numberOf(childOf(limit, 'hard')) : soft;
        const single = soft ?? hard;
        const read =
          single === undefined
            ? undefined
            : readUlimit(name, soft ?? single, hard ?? single, reporterAt(limit, reading));
        return read ? [[name, read]] : [];
      }),
  );
}

/** Reads `tmpfs` entries of `tmpfs`, and of `volumes` in the long form. */
function readDirectories(service: Field, reading: Reading): TmpfsSpec[] {
  const short = itemsOf(childOf(service, 'tmpfs')).flatMap((field) => readShort(field, reading));
  const long = itemsOf(childOf(service, 'volumes')).flatMap((field) => readLong(field, reading));
  return [...short, ...long].slice(0, max.tmpfs);
}

/** Options that all have, or that have no meaning in memory. */
const usual = /^(?:rw|nosuid|nodev|noexec|noatime|nodiratime|relatime|strictatime|async|sync|defaults|)$/;

function readShort(field: Field, reading: Reading): TmpfsSpec[] {
  const [mountPath = '', ...rest] = (reading.text(field) ?? '').trim().split(':');
  if (!isPath(mountPath, field, reading)) return [];
  const directory: TmpfsSpec = { mountPath: withoutSlash(mountPath) };
  for (const option of rest.join(':').split(',')) {
    const [name = '', value = ''] = option.trim().split('=');
    if (name === 'size') {
      const bytes = /^\d+%$/.test(value) ? undefined : parseSize(value);
      if (bytes) directory.sizeBytes = bytes;
      else reading.error(field, 'bad-size', `${quote(value)} is not a size`, 'for example size=64m');
    } else if (name === 'mode') {
      const mode = readMode(value, reporterAt(field, reading));
      if (mode !== undefined) directory.mode = mode;
    } else if ((name === 'uid' || name === 'gid') && /^\d{1,9}$/.test(value)) {
      directory[name === 'uid' ? 'user' : 'group'] = Number(value);
    } else if (name === 'exec') {
      directory.isExecutable = true;
    } else if (!usual.test(name)) {
      const hint = 'known are size, mode, uid, gid and exec';
      reading.warn(field, 'ignored', `the option ${quote(option)} of a tmpfs is ignored`, hint);
    }
  }
  return [directory];
}

function readLong(field: Field, reading: Reading): TmpfsSpec[] {
  const type = childOf(field, 'type');
  if (!type || reading.text(type) !== 'tmpfs') return [];
  const targetAt = childOf(field, 'target') ?? childOf(field, 'dst') ?? childOf(field, 'destination');
  const target = targetAt && reading.text(targetAt);
  if (!targetAt || target === undefined || !isPath(target, targetAt, reading)) return [];
  const options = childOf(field, 'tmpfs');
  const modeAt = filled(options && childOf(options, 'mode'));
  const mode = modeAt && readMode(reading.text(modeAt) ?? '', reporterAt(modeAt, reading));
  const sizeBytes = readSize(options && childOf(options, 'size'), reading);
  return [
    {
      mountPath: withoutSlash(target),
      ...(sizeBytes !== undefined && { sizeBytes }),
      ...(mode !== undefined && { mode }),
    },
  ];
}

function isPath(text: string, at: Field, reading: Reading): boolean {
  if (text.startsWith('/')) return true;
  reading.error(at, 'bad-mount-path', `${quote(text)} is not an absolute path`, 'for example /tmp');
  return false;
}

function withoutSlash(path: string): string {
  return path === '/' ? path : path.replace(/(?<!\/)\/+$/, '') || '/';
}

function readSize(field: Field | undefined, reading: Reading): number | undefined {
  const at = filled(field);
  const text = at && reading.text(at);
  if (!at || text === undefined) return undefined;
  const bytes = parseSize(text);
  if (bytes === undefined) reading.error(at, 'bad-size', `${quote(text)} is not a size`, 'for example 256m');
  return bytes || undefined;
}

function filled(field: Field | undefined): Field | undefined {
  return field && !isEmpty(field) ? field : undefined;
}

export function reporterAt(field: Field, reading: Reading): FieldReporter {
  return {
    refuse: (message, hint) => reading.error(field, 'unsupported', message, hint),
    note: (message, hint) => reading.warn(field, 'ignored', message, hint),
  };
}
