/** PURE. The targets of a deployment's pod addresses. */
import { addressesOfPod, type PodTargets, podAddressesOf, printTargets } from '../workload/pod-addresses.ts';
import type { Observed, ObservedWorkload, Workload } from '../workload/workload.ts';
import type { Match } from './matches.ts';
import type { Operation } from './operation.ts';

/** Returns no operation if all addresses have the right targets, or if the engine uses Services instead. */
export function planPodTargets(matches: Match[], outdated: ObservedWorkload[], observed: Observed): Operation[] {
  const { podTargets: present } = observed;
  if (present === undefined || !observed.hasNetwork) return [];
  const isComplete = matches.every(({ found }) => found?.isReady);
  const wanted = { ...(isComplete ? {} : stillUsed(present, outdated)), ...targetsOf(matches, outdated, isComplete) };
  if (printTargets(wanted) === printTargets(present)) return [];
  const because = isComplete ? 'all are ready' : 'what is there has changed';
  return [{ kind: 'set-pod-targets', targets: wanted, because }];
}

/** A pod that the next revision lacks serves until that revision is ready. */
function stillUsed(present: PodTargets, outdated: ObservedWorkload[]): PodTargets {
  const running = new Set(addressesIn(outdated));
  const kept = Object.entries(present).filter(([, leadsTo]) => leadsTo.some((address) => running.has(address)));
  return Object.fromEntries(kept);
}

function targetsOf(matches: Match[], outdated: ObservedWorkload[], isComplete: boolean): PodTargets {
  const addresses = podAddressesOf(matches.map(({ wanted }) => wanted.workload));
  const members = new Map<string, Match[]>();
  for (const match of matches)
    for (const address of addressesOfPod(match.wanted.workload, addresses))
      members.set(address, [...(members.get(address) ?? []), match]);
  return Object.fromEntries(
    [...members].flatMap(([address, group]) => {
      const leadsTo = backendsOf(group, isComplete ? [] : outdated);
      return leadsTo.length > 0 ? [[address, leadsTo]] : [];
    }),
  );
}

/**
 * Returns the serving workloads: those of the previous revision until the next one is ready. If none serves, returns
 * the running ones, because two pods may need each other to become ready.
 */
function backendsOf(group: Match[], outdated: ObservedWorkload[]): string[] {
  const before = outdated.filter((each) => group.some(({ wanted }) => isSamePlace(each, wanted.workload)));
  const wanted = group.flatMap(({ found }) => found ?? []);
  const choices = [before, wanted].map((workloads) => workloads.filter(({ isReady }) => isReady));
  const [first] = [...choices, wanted, before].map(addressesIn).filter((addresses) => addresses.length > 0);
  return (first ?? []).sort();
}

function isSamePlace(found: ObservedWorkload, { pod, replica }: Workload): boolean {
  return found.pod === pod && found.replica === replica;
}

function addressesIn(workloads: readonly ObservedWorkload[]): string[] {
  return workloads.flatMap(({ phase, address }) => (phase === 'running' && address !== undefined ? [address] : []));
}
