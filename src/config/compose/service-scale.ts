/** Memory, processors, replicas and GPUs, where Compose has two places for each. */

import { quote } from '../diagnostics/diagnostics.ts';
import { childOf, entriesOf, type Field, isEmpty, itemsOf } from '../document/tree.ts';
import type { Resources } from '../spec/spec.ts';
import { integerOf, type Reading } from './compose-reader.ts';
import { ignore } from './key-rules.ts';

/** The maximum number of replicas of a pod. */
const maxReplicas = 20;

export type Scale = {
  replicas: number;
  resources: { requests: Resources; limits: Resources };
  useGPU: boolean;
  mode: 'deployment' | 'daemonset' | 'job';
  /** Whether the service is restarted after an exit with 0; undefined if the document does not say. */
  isRestartedWhenDone: boolean | undefined;
  /** The fields with the resources, by their paths in a pod. */
  resourcesAt: [path: string[], field: Field | undefined][];
};

export function readScale(service: Field, reading: Reading): Scale {
  const deploy = childOf(service, 'deploy');
  if (deploy) warnOfIgnored(deploy, reading);
  const resources = deploy && childOf(deploy, 'resources');
  const limits = resources && childOf(resources, 'limits');
  const reservations = resources && childOf(resources, 'reservations');
  const cpuLimit = (limits && childOf(limits, 'cpus')) ?? childOf(service, 'cpus');
  const memoryLimit = (limits && childOf(limits, 'memory')) ?? childOf(service, 'mem_limit');
  const cpuRequest = reservations && childOf(reservations, 'cpus');
  const memoryRequest = (reservations && childOf(reservations, 'memory')) ?? childOf(service, 'mem_reservation');
  const modeField = deploy && childOf(deploy, 'mode');
  const mode = modeField ? (reading.text(modeField) ?? '') : '';
  const restartPolicy = deploy && childOf(deploy, 'restart_policy');
  const restart = childOf(service, 'restart');
  const replicas = childOf(service, 'scale') ?? (deploy && childOf(deploy, 'replicas'));
  const gpu = findGPU(service, reservations, reading);
  return {
    replicas: readReplicas(replicas, reading),
    resources: {
      limits: { ...readCpu(cpuLimit, reading), ...readMemory(memoryLimit, reading) },
      requests: { ...readCpu(cpuRequest, reading), ...readMemory(memoryRequest, reading) },
    },
    useGPU: gpu !== undefined,
    mode: mode.endsWith('job') ? 'job' : mode === 'global' ? 'daemonset' : 'deployment',
    isRestartedWhenDone: readRestart(restart, restartPolicy, reading),
    resourcesAt: [
      [['resources'], limits ?? childOf(service, 'mem_limit') ?? childOf(service, 'cpus')],
      [['resources', 'limits', 'cpu'], cpuLimit],
      [['resources', 'limits', 'memory'], memoryLimit],
      [['resources', 'requests', 'cpu'], cpuRequest],
      [['resources', 'requests', 'memory'], memoryRequest],
      [['useGPU'], gpu],
    ],
  };
}

/** `deploy.restart_policy` wins over `restart`, as in Compose; without a condition it means always. */
function readRestart(restart: Field | undefined, policy: Field | undefined, reading: Reading): boolean | undefined {
  const condition = policy && childOf(policy, 'condition');
  if (policy && !isEmpty(policy)) return !/^(?:none|on-failure)$/.test((condition && reading.text(condition)) ?? '');
  const text = restart && reading.text(restart)?.trim();
  return text ? !/^(?:no|false|on-failure(?::\d+)?)$/.test(text) : undefined;
}

const ignoredOfDeploy: Record<string, string> = {
  placement: 'there is one place to run',
  update_config: 'an update starts the new container before it stops the old one; with volumes, after it',
  rollback_config: 'a failed update leaves the old one running',
  endpoint_mode: 'replicas are found by the name of their service',
  labels: 'nothing reads labels here; a public path is x-berth: { path: /… }',
};

function warnOfIgnored(deploy: Field, reading: Reading): void {
  for (const [key, field] of entriesOf(deploy)) {
    const why = Object.hasOwn(ignoredOfDeploy, key) ? ignoredOfDeploy[key] : undefined;
    if (why) ignore(field, reading, `deploy.${key}`, why);
  }
}

function readReplicas(field: Field | undefined, reading: Reading): number {
  const replicas = integerOf(reading, field, 0) ?? 1;
  if (field && replicas > maxReplicas) {
    reading.error(field, 'too-many-replicas', `${replicas} replicas are too many`, `at most ${maxReplicas}`);
    return maxReplicas;
  }
  return replicas;
}

function readCpu(field: Field | undefined, reading: Reading): Resources {
  const text = field && reading.text(field);
  if (!field || text === undefined || text === '') return {};
  const cpus = /^\d+(?:\.\d+)?$|^\.\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (!(cpus <= 10_000)) {
    if (reading.needsValue(field, 'a number of processors')) return {};
    reading.error(field, 'bad-cpus', `${quote(text)} is not a number of processors`, 'for example 0.5');
    return {};
  }
  // Zero is Compose's word for no limit.
  return cpus === 0 ? {} : { cpuMillis: Math.max(1, Math.round(cpus * 1000)) };
}

function readMemory(field: Field | undefined, reading: Reading): Resources {
  const text = field && reading.text(field);
  if (!field || text === undefined || text === '') return {};
  const memoryBytes = parseSize(text);
  if (memoryBytes === undefined) {
    if (reading.needsValue(field, 'a size')) return {};
    reading.error(field, 'bad-size', `${quote(text)} is not a size`, 'for example 512m or 1.5g');
    return {};
  }
  return memoryBytes === 0 ? {} : { memoryBytes };
}

/** Compose's sizes: `512m`, `1.5GB`, `64Mi`; every unit is a power of 1024 (unlike those of the native form). */
export function parseSize(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b?)?$/i.exec(text.trim());
  if (!match) return undefined;
  const bytes = Math.floor(Number(match[1]) * 1024 ** ' kmgt'.indexOf(match[2]!.toLowerCase() || ' '));
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

/** Parses `1m30s`, `500ms` or `10s`. Returns 1 to 3600 seconds. A number without a unit is in seconds. */
export function readSeconds(field: Field | undefined, reading: Reading): number | undefined {
  if (!field || isEmpty(field)) return undefined;
  const text = reading.text(field)?.trim();
  if (text === undefined) return undefined;
  const seconds = { h: 3600, m: 60, s: 1, ms: 0.001, us: 0.000_001, µs: 0.000_001, ns: 0 } as Record<string, number>;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s|us|µs|ns)/g)];
  if (text === '' || !/^(?:\d+(?:\.\d+)?(?:h|ms|m|s|us|µs|ns))+$|^\d+$/.test(text)) {
    if (reading.needsValue(field, 'a duration')) return undefined;
    reading.error(field, 'bad-duration', `${quote(text)} is not a duration`, 'for example 10s or 1m30s');
    return undefined;
  }
  const sum =
    parts.length === 0
      ? Number(text)
      : parts.reduce((all, [, count, unit]) => all + Number(count) * seconds[unit!]!, 0);
  return Math.min(Math.max(Math.ceil(sum), 1), 3600);
}

/** Returns the field that requests a GPU. */
function findGPU(service: Field, reservations: Field | undefined, reading: Reading): Field | undefined {
  const gpus = childOf(service, 'gpus');
  const runtime = childOf(service, 'runtime');
  const asking = gpus ?? (runtime && reading.text(runtime) === 'nvidia' ? runtime : undefined);
  if (asking) return asking;
  const devices = itemsOf(reservations && childOf(reservations, 'devices'));
  return devices.find((device) => {
    const isGPU = itemsOf(childOf(device, 'capabilities')).some((item) =>
      /gpu|nvidia|compute/.test(reading.text(item) ?? ''),
    );
    if (!isGPU) {
      const instead = 'write capabilities: [gpu] for a GPU, or remove it';
      reading.error(device, 'unsupported', 'devices of the host are not available', instead);
    }
    return isGPU;
  });
}
