/** The labels of all objects that Berth creates on an engine. Objects without them are never touched. */

import type { Readiness, Workload } from '../deployment/workload/workload.ts';
import { parseObject } from '../lib/json.ts';

export type Labels = Record<string, string>;

/** All labels. Volumes and networks have a subset of the labels of workloads. */
export const labelKeys = {
  /** The installation, so that two of them can share one engine. */
  owner: 'berth.owner',
  deployment: 'berth.deployment',
  volume: 'berth.volume',
  /** For a volume inside another one: the path of its directory there. */
  below: 'berth.below',
  pod: 'berth.pod',
  revision: 'berth.revision',
  replica: 'berth.replica',
  fingerprint: 'berth.fingerprint',
  /** JSON. A restarted service reads the readiness condition from the engine. */
  readiness: 'berth.readiness',
  /** Seconds until a stopping process is killed; absent: the operator's setting. */
  stopSeconds: 'berth.stop-seconds',
  /** The egress of a network at its creation. */
  egress: 'berth.egress',
  /** The static address, which engines do not report for stopped workloads. */
  address: 'berth.address',
  /** The number of the workload's GPU. */
  gpu: 'berth.gpu',
  /** Limits and restart policy at the creation of the container, as `limitsText` writes them. */
  limits: 'berth.limits',
  /** The epoch of the store at creation. A later epoch than the store's shows that the store is an older copy. */
  epoch: 'berth.epoch',
} as const;

export type WorkloadLabels = Pick<Workload, 'pod' | 'revision' | 'replica' | 'fingerprint' | 'readiness'> & {
  deploymentId: string;
  address?: string;
};

export function deploymentLabels(owner: string, deploymentId: string): Labels {
  return { [labelKeys.owner]: owner, [labelKeys.deployment]: deploymentId };
}

export function volumeLabels(owner: string, deploymentId: string, volume: string): Labels {
  return { ...deploymentLabels(owner, deploymentId), [labelKeys.volume]: volume };
}

export function nestedVolumeLabels(owner: string, deploymentId: string, volume: string, below: string): Labels {
  return { ...volumeLabels(owner, deploymentId, volume), [labelKeys.below]: below };
}

export function workloadLabels(owner: string, deploymentId: string, workload: Workload, address?: string): Labels {
  const stopSeconds = workload.container?.stopGraceSeconds;
  return {
    ...deploymentLabels(owner, deploymentId),
    [labelKeys.pod]: workload.pod,
    [labelKeys.revision]: String(workload.revision),
    [labelKeys.replica]: String(workload.replica),
    [labelKeys.fingerprint]: workload.fingerprint,
    [labelKeys.readiness]: JSON.stringify(workload.readiness),
    ...(stopSeconds !== undefined && { [labelKeys.stopSeconds]: String(stopSeconds) }),
    ...(address && { [labelKeys.address]: address }),
  };
}

/** Added to the labels of new objects; never part of a selector. */
export function epochLabel(epoch: number): Labels {
  return { [labelKeys.epoch]: String(epoch) };
}

/** The fields of `listOwned` that come from labels. */
export function readOwnedLabels(labels: Labels | null | undefined): { revision?: number; epoch?: number } {
  const read = (key: string) => Number(labels?.[key] || Number.NaN);
  const [revision, epoch] = [read(labelKeys.revision), read(labelKeys.epoch)];
  return { ...(Number.isSafeInteger(revision) && { revision }), ...(Number.isSafeInteger(epoch) && { epoch }) };
}

/** Reads labels that `workloadLabels` wrote. Returns undefined for labels of other objects. */
export function readWorkloadLabels(labels: Labels): WorkloadLabels | undefined {
  const deploymentId = labels[labelKeys.deployment];
  const pod = labels[labelKeys.pod];
  if (!deploymentId || !pod) return undefined;
  const address = labels[labelKeys.address];
  return {
    deploymentId,
    pod,
    revision: Number(labels[labelKeys.revision]),
    replica: Number(labels[labelKeys.replica]),
    fingerprint: labels[labelKeys.fingerprint] ?? '',
    readiness: readReadiness(labels[labelKeys.readiness]),
    ...(address && { address }),
  };
}

/** Returns how long a stop may take. */
export function stopSecondsOf(labels: Labels, usual: number): number {
  const seconds = Number(labels[labelKeys.stopSeconds] || Number.NaN);
  return seconds >= 0 ? seconds : usual;
}

export function isOwnedBy(owner: string, labels: Labels | null | undefined): boolean {
  return labels?.[labelKeys.owner] === owner;
}

/** Returns `key=value` terms for an engine's label filter; all have to match. */
export function labelSelector(owner: string, deploymentId?: string): string[] {
  const labels = deploymentId === undefined ? { [labelKeys.owner]: owner } : deploymentLabels(owner, deploymentId);
  return Object.entries(labels).map(([key, value]) => `${key}=${value}`);
}

/** With a damaged label, a running workload counts as ready, so that the loop continues. */
function readReadiness(text: string | undefined): Readiness {
  const readiness = parseObject(text ?? '');
  return 'kind' in readiness ? (readiness as Readiness) : { kind: 'running' };
}
