/** Labels: everything that Berth makes on an engine carries them, and nothing without them is ever touched. */
import type { Readiness, Workload } from '../deployment/workload/workload.ts';

export type Labels = Record<string, string>;

/** Every label there is. Those of volumes and networks are a part of those of workloads. */
export const labelKeys = {
  /** The installation, so that two of them can share one engine. */
  owner: 'berth.owner',
  deployment: 'berth.deployment',
  volume: 'berth.volume',
  /** Of a volume inside another: the path of its directory there. */
  below: 'berth.below',
  pod: 'berth.pod',
  revision: 'berth.revision',
  replica: 'berth.replica',
  fingerprint: 'berth.fingerprint',
  /** JSON: a service that was restarted knows from the engine alone when a workload counts as ready. */
  readiness: 'berth.readiness',
  /** Seconds that its process has to end; absent where the operator's setting holds. */
  stopSeconds: 'berth.stop-seconds',
  /** What a network lets out, as its deployment began. */
  egress: 'berth.egress',
  /** The static address, which an engine does not tell of a workload that is not running. */
  address: 'berth.address',
  /** The number of the GPU that a workload has. */
  gpu: 'berth.gpu',
  /** Limits and restarts that the container was made with, as `limitsText` writes them. */
  limits: 'berth.limits',
  /** The epoch of the store at creation. It reveals a store that is older than the engine. */
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

/** What `workloadLabels` wrote; undefined when these are not the labels of a workload. */
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

/** How long a stop of it takes at the most. */
export function stopSecondsOf(labels: Labels, usual: number): number {
  const seconds = Number(labels[labelKeys.stopSeconds] || Number.NaN);
  return seconds >= 0 ? seconds : usual;
}

export function isOwnedBy(owner: string, labels: Labels | null | undefined): boolean {
  return labels?.[labelKeys.owner] === owner;
}

/** `key=value` terms that an engine's label filter takes, all of which have to hold. */
export function labelSelector(owner: string, deploymentId?: string): string[] {
  const labels = deploymentId === undefined ? { [labelKeys.owner]: owner } : deploymentLabels(owner, deploymentId);
  return Object.entries(labels).map(([key, value]) => `${key}=${value}`);
}

/** A label that an operator has damaged by hand must not stop the loop: that it runs is then all we ask. */
function readReadiness(text: string | undefined): Readiness {
  try {
    const readiness: unknown = JSON.parse(text ?? '');
    if (typeof readiness === 'object' && readiness !== null && 'kind' in readiness) return readiness as Readiness;
  } catch {
    // falls through to the default
  }
  return { kind: 'running' };
}
