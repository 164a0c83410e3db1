/** PURE. The maximum that a deployment can ever get on an empty host, by the host and by the caller's plan. */
import type { Finding } from '../../config/checks/checks.ts';
import type { AppSpec } from '../../config/spec/spec.ts';
import { printBytes } from '../../config/values/units.ts';
import { replicasOf } from '../desired-volumes.ts';
import { capsOf, strangerCapsOf } from './count-limits.ts';
import { beyondCounts } from './count-maximum.ts';
import { type Budget, growth } from './host-budget.ts';
import { type Owner, ownerPhrase } from './limit-owner.ts';
import type { Tier } from './plan-tier.ts';
import { type Amount, amountOf, copiesOf, minShare, type VolumeSizes } from './pod-resources.ts';
import type { StrangerLimits } from './stranger-limits.ts';

export type Maximum = Amount & {
  memoryOf: Owner;
  /** The maximum memory limit of one replica, of which only a part is reserved. */
  limitBytes: number;
  limitOf: Owner;
  /** Maximum numbers of containers and volumes; they do not depend on the machine. */
  countsOf: Exclude<Owner, 'server'>;
  gpusOf: Owner;
};

/** `tier`: of the caller's account; absent: a stranger. */
export function maximumOf(budget: Budget, strangers: StrangerLimits, tier?: Tier): Maximum {
  const owner = tier ? { plan: tier.name } : ('stranger' as const);
  const own = tier?.memoryBytes ?? strangers.memoryBytesPerAddress;
  // Plans count reservations, which are smaller than limits. A small plan allows no less than no account does.
  const ownLimit = Math.max(own, strangers.memoryBytesPerAddress);
  const { gpus: serverGpus = 0 } = budget;
  const { gpus, ...counts } = maxCounts(strangers, tier);
  const machine = budget.machineMemoryBytes ?? Number.POSITIVE_INFINITY;
  return {
    memoryBytes: Math.min(own, budget.memoryBytes),
    memoryOf: own < budget.memoryBytes ? owner : 'server',
    limitBytes: Math.min(ownLimit, machine),
    limitOf: ownLimit < machine ? owner : 'server',
    cpuMillis: budget.cpuMillis,
    diskBytes: budget.emptyDiskBytes ?? Number.POSITIVE_INFINITY,
    ...counts,
    countsOf: owner,
    gpus: Math.min(gpus, serverGpus),
    gpusOf: gpus < serverGpus ? owner : 'server',
  };
}

/** Limits of one deployment, at most the totals. */
function maxCounts(strangers: StrangerLimits, tier: Tier | undefined) {
  const ofStranger = strangerCapsOf(strangers);
  const caps = tier ? capsOf(tier) : ofStranger;
  const inSession = tier
    ? caps
    : { containers: ofStranger.containersPerSession, volumes: ofStranger.volumesPerSession };
  return {
    containers: Math.min(caps.containersPerDeployment, caps.containers, inSession.containers),
    volumes: Math.min(caps.volumesPerDeployment, caps.volumes, inSession.volumes),
    gpus: caps.gpus,
  };
}

const mebibyte = 2 ** 20;

/** The reservations and volumes that the updated deployment has already. */
export type Present = { has?: Amount | undefined; left?: VolumeSizes | undefined };

/** Returns the excess, at the pod that requests the most. For an update, only resources that grow. */
export function beyond(spec: AppSpec, max: Maximum, present: Present = {}): Finding[] {
  const { has, left } = present;
  const wanted = amountOf(spec, left);
  const grown = has === undefined ? wanted : growth(has, wanted);
  return [
    ...(grown.memoryBytes > 0 ? beyondMemory(spec, wanted.memoryBytes, max) : []),
    ...(grown.cpuMillis > 0 ? beyondProcessor(spec, wanted.cpuMillis, max) : []),
    ...(grown.diskBytes > 0 ? beyondDisk(spec, wanted.diskBytes, max) : []),
    ...beyondCounts(spec, max, present),
  ];
}

function beyondMemory(spec: AppSpec, wanted: number, max: Maximum): Finding[] {
  const { memoryBytes, memoryOf, limitBytes, limitOf } = max;
  const limits = spec.pods.map(({ resources }) => resources.limits.memoryBytes ?? 0);
  const largestLimit = Math.max(...limits);
  if (largestLimit > limitBytes) {
    const message = `${printBytes(largestLimit)} of memory are requested, and ${possible(limitBytes, limitOf)}`;
    const field = ['resources', 'limits', 'memory'];
    return [{ ...at(limits.indexOf(largestLimit), field), message, hint: `write at most ${printMost(limitBytes)}` }];
  }
  if (wanted <= memoryBytes) return [];
  const { index, field, isRequest, room } = largest(spec, 'memoryBytes', memoryBytes);
  const bytes = Math.min(isRequest ? room : room / minShare, limitBytes);
  const message = `the application reserves ${printBytes(wanted)} of memory, and ${possible(memoryBytes, memoryOf)}`;
  return [{ ...at(index, field), message, hint: hintFor(bytes >= 6 * mebibyte ? printMost(bytes) : undefined) }];
}

function possible(bytes: number, owner: Owner): string {
  if (owner === 'server') return `this server has ${printBytes(bytes)} at most`;
  return `${ownerPhrase(owner)} ${printBytes(bytes)} are possible at most`;
}

function beyondProcessor(spec: AppSpec, wanted: number, { cpuMillis }: Maximum): Finding[] {
  if (wanted <= cpuMillis) return [];
  const { index, field, isRequest, room } = largest(spec, 'cpuMillis', cpuMillis);
  const millis = Math.floor(isRequest ? room : room / minShare);
  const message = `the application reserves ${wanted}m of processor time, and this server has ${cpuMillis}m at most`;
  return [{ ...at(index, field), message, hint: hintFor(millis >= 10 ? `${millis}m` : undefined) }];
}

function beyondDisk(spec: AppSpec, wanted: number, { diskBytes }: Maximum): Finding[] {
  if (wanted <= diskBytes) return [];
  const volumes = spec.pods.flatMap((pod, index) =>
    pod.volumes.map(({ sizeBytes }, position) => ({ pod, index, position, sizeBytes, copies: copiesOf(pod) })),
  );
  const [first] = volumes.toSorted((a, b) => b.sizeBytes * b.copies - a.sizeBytes * a.copies);
  // Without volumes, only logs need space: the disk is too full, and the request is not too large.
  if (!first) return [];
  const message = `the application requests ${printBytes(wanted)} of disk space, and this server has ${printBytes(diskBytes)} at most`;
  const room = (diskBytes - wanted) / first.copies + first.sizeBytes;
  const hint = hintFor(room >= mebibyte ? printMost(room) : undefined);
  return [{ ...at(first.index, ['volumes', first.position]), message, hint }];
}

/** Returns the pod that requests the most, and the maximum of one of its replicas if the others do not change. */
function largest(spec: AppSpec, resource: 'memoryBytes' | 'cpuMillis', max: number) {
  const amounts = spec.pods.map((pod) => amountOf({ ...spec, pods: [pod] })[resource]);
  const index = amounts.indexOf(Math.max(...amounts));
  const pod = spec.pods[index]!;
  const others = amounts.reduce((sum, amount) => sum + amount, 0) - amounts[index]!;
  const { requests } = pod.resources;
  const isRequest = amounts[index]! === replicasOf(pod) * (requests[resource] ?? 0);
  const name = resource === 'memoryBytes' ? 'memory' : 'cpu';
  return {
    index,
    field: ['resources', isRequest ? 'requests' : 'limits', name],
    isRequest,
    room: (max - others) / replicasOf(pod),
  };
}

function at(pod: number, field: Finding['field']): Pick<Finding, 'pod' | 'field' | 'code'> {
  return { pod, field, code: 'beyond-limit' };
}

function hintFor(possible: string | undefined): string {
  return possible === undefined ? 'request less in several pods' : `write at most ${possible}`;
}

/** Returns the maximum as written in a configuration; from ten GiB on, in whole GiB. */
function printMost(bytes: number): string {
  const whole = Math.floor(bytes / mebibyte);
  return whole >= 10 * 1024 || whole % 1024 === 0 ? `${Math.floor(whole / 1024)}Gi` : `${whole}Mi`;
}
