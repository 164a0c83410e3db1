/**
 * PURE. Metadata of objects. Labels, by which objects are found, allow only short and simple values. Everything else is
 * an annotation, named like the labels on other engines.
 */

import type { Workload, WorkloadName } from '../../../deployment/workload/workload.ts';
import { parseJson } from '../../../lib/json.ts';
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
/** The name in the other layers. */
const nameKey = 'berth.name';
/** JSON: the names by which pods reach what is behind a Service. */
const aliasesKey = 'berth.aliases';
/** On all objects of a copy of volumes, and on workloads that are stopped for it: the key of the copy. */
export const copyKey = 'berth.copy';
/** On a claim that is filled separately: the name of the volume that it will replace. */
export const madeForKey = 'berth.made-for';
/** On a claim that has become a volume: the number of previous swaps, and the key of its creation. */
const placeKey = 'berth.place';
const cameByKey = 'berth.came-by';
/** On a namespace: its deployment has a network. */
export const networkKey = 'berth.network';
/** On a policy: a hash of the settings that created it, and of the resulting rules. */
export const rulesKey = 'berth.rules';

/** On a claim that no pod has used yet. */
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

/** The values that `workloadMarks` wrote; undefined if these are not the marks of a workload. */
export function readWorkloadMarks(annotations: Labels = {}): (WorkloadLabels & { name: WorkloadName }) | undefined {
  const labels = readWorkloadLabels(annotations);
  const name = annotations[nameKey];
  return labels && name !== undefined ? { ...labels, name } : undefined;
}

export function aliasMarks(aliases: readonly string[]): Labels {
  return { [aliasesKey]: JSON.stringify(aliases) };
}

/** [] if they were damaged. */
export function readAliases(annotations: Labels = {}): string[] {
  const aliases = parseJson(annotations[aliasesKey] ?? '[]');
  return Array.isArray(aliases) ? aliases.filter((alias) => typeof alias === 'string') : [];
}

/** Empty without the label. */
export function deploymentOf({ metadata }: { metadata: { labels?: Labels } }): string {
  return metadata.labels?.[labelKeys.deployment] ?? '';
}

/** Objects that exist for the copy with this key, or are stopped for it. */
export function ofCopy<T extends { metadata: { labels?: Labels } }>(all: readonly T[], key: string): T[] {
  return all.filter(({ metadata }) => metadata.labels?.[copyKey] === key);
}

/** The marks that turn a separate claim into a volume of its deployment, instead of the previous ones. */
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
