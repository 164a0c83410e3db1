/** Container settings of a pod in the native form, except image and limits. Pure. */

import type { Path } from '../diagnostics/diagnostics.ts';
import type { Report } from '../diagnostics/report.ts';
import { childOf, entriesOf, type Field, itemsOf, textOf } from '../document/tree.ts';
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
import { parseBytes, readSize } from '../values/units.ts';
import { booleanOf, integerOf } from './scalars.ts';

/** `isPod`: names of pods, whose addresses are resolved in another way. */
export function readContainer(
  pod: Field,
  isPod: (name: string) => boolean,
  report: Report,
): ContainerOptions | undefined {
  const signal = textOf(childOf(pod, 'stopSignal'));
  const [hostname, domainname] = [textOf(childOf(pod, 'hostname')), textOf(childOf(pod, 'domainname'))];
  const seconds = integerOf(childOf(pod, 'stopGraceSeconds'));
  const say = (field: string) => reporterAt([...pod.path, field], report);
  return onlyGiven<ContainerOptions>({
    shmBytes: readBytes(childOf(pod, 'shmSize')),
    tmpfs: itemsOf(childOf(pod, 'tmpfs'), max.tmpfs).flatMap((directory) => readTmpfs(directory, report)),
    hostname: hostname === undefined ? undefined : readHostname(hostname, say('hostname')),
    domainname: domainname === undefined ? undefined : readHostname(domainname, say('domainname')),
    mayEnd: booleanOf(childOf(pod, 'mayEnd')) || undefined,
    readOnly: booleanOf(childOf(pod, 'readOnly')) || undefined,
    stopSignal: signal === undefined ? undefined : readSignal(signal, say('stopSignal')),
    stopGraceSeconds: seconds === undefined ? undefined : readStopSeconds(seconds, say('stopGraceSeconds')),
    ulimits: mapOf(childOf(pod, 'ulimits'), (name, limit) => readLimit(name, limit, reporterAt(limit.path, report))),
    groups: itemsOf(childOf(pod, 'groups'), max.groups).flatMap(
      (group) => readGroup(textOf(group) ?? '', reporterAt(group.path, report)) ?? [],
    ),
    extraHosts: mapOf(childOf(pod, 'extraHosts'), (name, field) => {
      const address = textOf(field) ?? '';
      const say = reporterAt(field.path, report);
      if (!isPod(address)) return readHost(name, address, say);
      isHostName(name, say);
      return undefined;
    }),
    sysctls: mapOf(childOf(pod, 'sysctls'), (name, field) =>
      readSysctl(name, textOf(field) ?? '', reporterAt(field.path, report)),
    ),
  });
}

/** Returns the names in `extraHosts` that lead to pods. They become aliases of those pods. */
export function podHosts(pod: Field, isPod: (name: string) => boolean): { alias: string; pod: string }[] {
  return entriesOf(childOf(pod, 'extraHosts'))
    .slice(0, max.names)
    .flatMap(([alias, field]) => {
      const name = textOf(field) ?? '';
      return isPod(name) ? [{ alias, pod: name }] : [];
    });
}

export function reporterAt(path: Path, report: Report): FieldReporter {
  return {
    refuse: (message, hint) => !report.isBroken(path) && report.error(path, 'bad-value', message, { hint }),
    note: (message, hint) => !report.isBroken(path) && report.warn(path, 'lenient-value', message, { hint }),
  };
}

function mapOf<T>(field: Field | undefined, read: (name: string, field: Field) => T | undefined): Record<string, T> {
  return Object.fromEntries(
    entriesOf(field)
      .slice(0, max.names)
      .flatMap(([name, entry]): [string, T][] => {
        const value = read(name, entry);
        return value === undefined ? [] : [[name, value]];
      }),
  );
}

function readBytes(field: Field | undefined): number | undefined {
  const bytes = parseBytes(readSize(textOf(field) ?? '') ?? '');
  return bytes > 0 ? bytes : undefined;
}

function readTmpfs(directory: Field, report: Report): TmpfsSpec[] {
  const mountPath = textOf(childOf(directory, 'mountPath'));
  if (mountPath === undefined) return [];
  const mode = textOf(childOf(directory, 'mode'));
  const options = onlyGiven({
    sizeBytes: readBytes(childOf(directory, 'size')),
    mode: mode === undefined ? undefined : readMode(mode, reporterAt([...directory.path, 'mode'], report)),
    user: integerOf(childOf(directory, 'user')),
    group: integerOf(childOf(directory, 'group')),
    isExecutable: booleanOf(childOf(directory, 'executable')) || undefined,
  });
  return [{ mountPath, ...options } as TmpfsSpec];
}

function readLimit(name: string, limit: Field, say: FieldReporter): Ulimit | undefined {
  const number = (field: Field | undefined) => {
    const text = textOf(field);
    return text !== undefined && /^-?\d{1,15}$/.test(text) ? Number(text) : undefined;
  };
  const [soft, hard] = [number(childOf(limit, 'soft')), number(childOf(limit, 'hard'))];
  const single = number(limit) ?? soft ?? hard;
  return single === undefined ? undefined : readUlimit(name, soft ?? single, hard ?? single, say);
}
