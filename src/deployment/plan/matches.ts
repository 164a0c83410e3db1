/** PURE. Matches desired workloads with those that run for them. */
import type { DesiredWorkload, Running } from '../desired.ts';
import { addressesOfPod, type PodTargets, podAddressesOf, printTargets } from '../workload/pod-addresses.ts';
import type { Observed, ObservedWorkload, Workload } from '../workload/workload.ts';
import type { ImageRequest, Operation } from './operation.ts';

/** A desired workload and the observed one that matches it, if any. */
export type Match = { wanted: DesiredWorkload; found: ObservedWorkload | undefined };

/** Matches by fingerprint: a pod that an update does not change keeps its workload of an older revision. */
export function matchWorkloads(desired: Running, { workloads }: Observed): Match[] {
  return desired.workloads.map((wanted) => {
    const { pod, replica, fingerprint } = wanted.workload;
    const candidates = workloads.filter(
      (found) => found.pod === pod && found.replica === replica && found.fingerprint === fingerprint,
    );
    // After a crash during an update, two can exist. Keeps the ready one, otherwise the newest.
    const found = candidates.toSorted((a, b) => Number(b.isReady) - Number(a.isReady) || b.revision - a.revision)[0];
    return { wanted, found };
  });
}

/** Returns observed workloads without a match. */
export function outdatedWorkloads(matches: Match[], { workloads }: Observed): ObservedWorkload[] {
  const kept = new Set(matches.map(({ found }) => found?.name));
  return workloads.filter(({ name }) => !kept.has(name));
}

export function isPodReady(pod: string, matches: Match[]): boolean {
  return matches.filter(({ wanted }) => wanted.workload.pod === pod).every(({ found }) => found?.isReady);
}

/** Returns whether the workload has ended for good. A failed job stays ended; a failed service does not. */
export function isOver({ readiness }: Pick<Workload, 'readiness'>, { phase, isReady }: ObservedWorkload): boolean {
  return phase === 'exited' && (readiness.kind === 'exit' || isReady);
}

/** Images that a plan needs on the host. */

/** True if the engine has no store of images: then a start pulls its image. */
export function isPresent(image: string, { images }: Pick<Observed, 'images'>): boolean {
  return images?.present.includes(image) ?? true;
}

/** Returns whether the image to run is certain. An image that was built here has no other version. */
export function isSettled({ isImageSettled, workload }: DesiredWorkload, { images }: Observed): boolean {
  return isImageSettled || (images?.local.includes(workload.image) ?? false);
}

/** Images on the host with a tag that may have moved. One check covers all pods, because registries are slow. */
export function unsettledImages(matches: Match[], observed: Observed): ImageRequest[] {
  const requests = matches
    .filter(({ wanted, found }) => !found && !isSettled(wanted, observed))
    .map(({ wanted }) => requestOf(wanted.workload))
    .filter(({ image }) => isPresent(image, observed));
  return [...new Map(requests.map((request) => [request.image, request])).values()];
}

export function requestOf({ image, registryLogin }: Workload): ImageRequest {
  return { image, ...(registryLogin && { registryLogin }) };
}

/** The targets of a deployment's pod addresses. */

/** Returns no operation if all addresses have the right targets, or if the engine uses Services instead. */
export function planPodTargets(matches: Match[], outdated: ObservedWorkload[], observed: Observed): Operation[] {
  const { podTargets: present } = observed;
  if (present === undefined || !observed.hasNetwork) return [];
  const isComplete = matches.every(({ found }) => found?.isReady);
  const wanted = { ...(isComplete ? {} : stillUsed(present, outdated)), ...targetsOf(matches, outdated, isComplete) };
  if (printTargets(wanted) === printTargets(present)) return [];
  const because = isComplete ? 'all are ready' : 'its container was changed';
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
