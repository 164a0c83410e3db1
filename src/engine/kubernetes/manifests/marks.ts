/**
 * PURE. What an object says of itself: labels, by which it is found, may have only short and simple values; everything
 * else is an annotation, in the words that labels have on other engines.
 */
import type { Workload, WorkloadName } from '../../../deployment/workload/workload.ts';
import {
  deploymentLabels,
  type Labels,
  labelKeys,
  readWorkloadLabels,
  type WorkloadLabels,
  workloadLabels,
} from '../../labels.ts';
import { objectName } from '../names.ts';

/** The workload that an object belongs to, by its name in the namespace. */
export const workloadKey = 'berth.workload';
/** Its name as the other layers know it. */
const nameKey = 'berth.name';
/** JSON: the names by which pods reach what is behind a Service. */
const aliasesKey = 'berth.aliases';
/** On whatever there is for a copy of volumes, and on those that are stopped for it: by which key it is known. */
export const copyKey = 'berth.copy';
/** On a claim that is filled beside the volumes in use: the name of the one whose place it is to take. */
export const madeForKey = 'berth.made-for';
/** On a claim that has taken a place: how many have had it before, and by which key it came. */
const placeKey = 'berth.place';
const cameByKey = 'berth.came-by';
/** On a namespace: its deployment has a network. */
export const networkKey = 'berth.network';
/** On a policy: by which settings it was made, and by a hash what they have made it say. */
export const rulesKey = 'berth.rules';

/** On a claim that no pod has had yet. */
const unusedKey = 'berth.unused';

export const unusedMark: Labels = { [unusedKey]: 'true' };
/** As fields to change. */
export const usedMark = { annotations: { [unusedKey]: null } };

export function isUnused({ metadata }: { metadata: { annotations?: Labels } }): boolean {
  return metadata.annotations?.[unusedKey] !== undefined;
}

export type Marks = { labels: Labels; annotations: Labels };

export function workloadMarks(owner: string, deploymentId: string, workload: Workload): Marks {
  return {
    labels: {
      ...deploymentLabels(owner, deploymentId),
      [labelKeys.pod]: workload.pod,
      [labelKeys.replica]: String(workload.replica),
      [workloadKey]: objectName(deploymentId, workload.name),
    },
    annotations: { ...workloadLabels(owner, deploymentId, workload), [nameKey]: workload.name },
  };
}

/** What `workloadMarks` wrote; undefined when these are not the marks of a workload. */
export function readWorkloadMarks(annotations: Labels = {}): (WorkloadLabels & { name: WorkloadName }) | undefined {
  const labels = readWorkloadLabels(annotations);
  const name = annotations[nameKey];
  return labels && name !== undefined ? { ...labels, name } : undefined;
}

export function aliasMarks(aliases: readonly string[]): Labels {
  return { [aliasesKey]: JSON.stringify(aliases) };
}

/** [] where somebody has damaged them. */
export function readAliases(annotations: Labels = {}): string[] {
  try {
    const aliases: unknown = JSON.parse(annotations[aliasesKey] ?? '[]');
    return Array.isArray(aliases) ? aliases.filter((alias) => typeof alias === 'string') : [];
  } catch {
    return [];
  }
}

/** Empty where it says nothing of one. */
export function deploymentOf({ metadata }: { metadata: { labels?: Labels } }): string {
  return metadata.labels?.[labelKeys.deployment] ?? '';
}

/** Those that are there for the copy of this key, or stopped for it. */
export function ofCopy<T extends { metadata: { labels?: Labels } }>(all: readonly T[], key: string): T[] {
  return all.filter(({ metadata }) => metadata.labels?.[copyKey] === key);
}

/** What a claim that was made beside becomes: a volume of its deployment, instead of those before. */
export function placedMarks(volume: string, key: string, place: number): { labels: object; annotations: Labels } {
  return {
    labels: { [copyKey]: null },
    annotations: { [labelKeys.volume]: volume, [placeKey]: String(place), [cameByKey]: key },
  };
}

/** 0 of a claim that was the first one. */
export function readPlace(annotations: Labels = {}): { place: number; cameBy: string | undefined } {
  return { place: Number(annotations[placeKey] ?? 0), cameBy: annotations[cameByKey] };
}
