/**
 * PURE. The plan: the operations, in order, that change the observed state to the desired state. It is computed again
 * after every change until no operation is left, so it also continues after a crash between two operations.
 */
import { printBytes } from '../../config/values/units.ts';
import type { Desired, DesiredWorkload, FilledRestore, Running } from '../desired.ts';
import { asleep, type Endpoint, sameEndpoints } from '../site.ts';
import type { SleepStage } from '../sleep.ts';
import { printEgress } from '../workload/egress.ts';
import type { Neighbour, Observed, ObservedWorkload, Workload } from '../workload/workload.ts';
import {
  isOver,
  isPodReady,
  isPresent,
  isSettled,
  type Match,
  matchWorkloads,
  outdatedWorkloads,
  planPodTargets,
  requestOf,
  unsettledImages,
} from './matches.ts';
import type { Operation } from './operation.ts';

/** `endpoints`: the endpoints that the edge serves for the deployment now. */
export function plan(desired: Desired, observed: Observed, endpoints: Endpoint[]): Operation[] {
  switch (desired.kind) {
    case 'gone':
      return planRemoval({ because: desired.because, keepsVolumes: desired.keptUntil !== null }, observed, endpoints);
    case 'stopped':
      return [
        ...planRemoval({ because: 'stopped by its owner', keepsVolumes: true }, observed, endpoints),
        // Without an observation, a workload may still use the volumes.
        ...(desired.restore && observed.volumes.length > 0 ? [swap(desired.restore)] : []),
      ];
    case 'suspended':
      return planSuspension(observed, endpoints);
    case 'asleep':
      return planSleep(desired.stage, observed, endpoints);
    case 'running':
      return planRunning(desired, observed, endpoints);
  }
}

function planRemoval(
  { because, keepsVolumes }: { because: string; keepsVolumes: boolean },
  observed: Observed,
  endpoints: Endpoint[],
): Operation[] {
  const unwanted = keepsVolumes ? [] : observed.volumes;
  return [
    ...(endpoints.length > 0 ? [{ kind: 'route', endpoints: [], because } as const] : []),
    ...observed.workloads.map((workload) => removal(workload, because)),
    ...unwanted.map((volume) => ({ kind: 'remove-volume', volume, because }) as const),
    ...(observed.hasNetwork ? [{ kind: 'remove-network', because } as const] : []),
  ];
}

function planSuspension({ workloads }: Observed, endpoints: Endpoint[]): Operation[] {
  const because = 'suspended by the operator';
  return [
    ...(endpoints.length > 0 ? [{ kind: 'route', endpoints: [], because } as const] : []),
    ...workloads
      .filter(({ phase }) => phase === 'running')
      .map((workload) => ({ kind: 'stop', ...nameOf(workload), because }) as const),
  ];
}

/** From the first operation on, requests wait at the edge. The caller freezes nothing while requests are open. */
function planSleep(stage: SleepStage, { workloads, hasNetwork }: Observed, endpoints: Endpoint[]): Operation[] {
  const because = 'unused';
  const route = endpoints.every(({ isAsleep }) => isAsleep)
    ? []
    : [{ kind: 'route', endpoints: asleep(endpoints), because } as const];
  if (stage === 'frozen') {
    const awake = workloads.filter(({ phase, tampering }) => phase === 'running' && tampering !== 'paused');
    return [...route, ...awake.map((workload) => ({ kind: 'freeze', ...nameOf(workload), because }) as const)];
  }
  const removals = workloads.map((workload) => removal(workload, because));
  return [...route, ...removals, ...(hasNetwork ? [{ kind: 'remove-network', because } as const] : [])];
}

function planRunning(desired: Running, observed: Observed, endpoints: Endpoint[]): Operation[] {
  const matches = matchWorkloads(desired, observed);
  const outdated = outdatedWorkloads(matches, observed);
  const severed = observed.hasNetwork ? [] : severedWorkloads(matches, observed);
  if (severed.length > 0) {
    const removals = severed.map((workload) => removal(workload, 'its network is gone'));
    const withdrawal = { kind: 'route', endpoints: [], because: 'the network is gone' } as const;
    return [...(endpoints.length > 0 ? [withdrawal] : []), ...removals];
  }
  const frozen = observed.workloads.filter(({ phase, tampering }) => phase === 'running' && tampering === 'paused');
  if (frozen.length > 0) return frozen.map((each) => ({ kind: 'thaw', ...nameOf(each), because: 'paused' }) as const);
  if (desired.restore) return planRestore(desired.restore, matches, observed, endpoints);
  // Nothing falls back to a revision that has never served, and there may be many of them.
  const hasServed = desired.hasServed || endpoints.length > 0;
  if (!hasServed && outdated.length > 0) return outdated.map(asOutdated);
  const podTargets = planPodTargets(matches, outdated, observed);
  const unfinished = [
    ...planNetwork(desired, observed),
    ...desired.volumes
      .filter(({ volume }) => !observed.volumes.includes(volume))
      .map(({ volume, sizeBytes }) => ({ kind: 'create-volume', volume, sizeBytes, because: 'missing' }) as const),
    ...desired.volumes
      .filter(({ volume, sizeBytes }) => (observed.volumeSizes?.[volume] ?? sizeBytes) < sizeBytes)
      .map(
        ({ volume, sizeBytes }) =>
          ({ kind: 'grow-volume', volume, sizeBytes, because: `to ${printBytes(sizeBytes)}` }) as const,
      ),
    ...planStarts(desired, observed, matches, outdated).map((operation) => avoiding(operation, matches, endpoints)),
  ];
  if (unfinished.length > 0 || !matches.every(({ found }) => found?.isReady))
    return [...podTargets, ...planWithdrawal(unfinished, observed, endpoints), ...unfinished];
  return [...podTargets, ...planSwitch(desired, matches, outdated, endpoints)];
}

/**
 * Removes all workloads that use or may use one of the volumes, then swaps all volumes. Nothing else happens before.
 */
function planRestore(restore: FilledRestore, matches: Match[], observed: Observed, endpoints: Endpoint[]): Operation[] {
  const { snapshotId, volumes } = restore;
  const because = `snapshot ${snapshotId}`;
  const staying = new Set(matches.flatMap((match) => (canStay(match, volumes) ? [match.found?.name] : [])));
  const removals = observed.workloads
    .filter(({ name, phase }) => !staying.has(name) && phase !== 'evicted')
    .map((workload) => removal(workload, because));
  return [...planWithdrawal(removals, observed, endpoints), ...removals, swap(restore)];
}

function swap({ id: restoreId, snapshotId, fromDeploymentId, volumes, filledKey }: FilledRestore): Operation {
  const because = `snapshot ${snapshotId}`;
  return { kind: 'swap-volumes', volumes, restoreId, filledKey, snapshotId, fromDeploymentId, because };
}

/** Returns whether the workload uses none of the volumes, or has ended for good. */
function canStay({ wanted: { workload }, found }: Match, volumes: readonly string[]): boolean {
  return (found && isOver(workload, found)) || !workload.volumes.some(({ volume }) => volumes.includes(volume));
}

/** Routes away from workloads that are about to be removed, because another pod may soon get their address. */
function planWithdrawal(operations: Operation[], { workloads }: Observed, endpoints: Endpoint[]): Operation[] {
  const removed = new Set(operations.flatMap((operation) => (operation.kind === 'remove' ? [operation.name] : [])));
  const lost = new Set(workloads.filter(({ name }) => removed.has(name)).map(({ address }) => address));
  const kept = endpoints.filter(({ address }) => !lost.has(address));
  return kept.length < endpoints.length ? [{ kind: 'route', endpoints: kept, because: 'the rest stops' }] : [];
}

function planNetwork({ egress }: Running, { hasNetwork, egress: present }: Observed): Operation[] {
  if (!hasNetwork) return [{ kind: 'create-network', egress, because: 'missing' }];
  if (present === undefined || present === printEgress(egress)) return [];
  return [{ kind: 'set-egress', egress, because: `now ${present}` }];
}

/**
 * Returns the workloads without their network: they cannot connect to each other, and engines do not start them. A
 * finished job needs no network.
 */
function severedWorkloads(matches: Match[], { workloads }: Observed): ObservedWorkload[] {
  const done = new Set(
    matches.flatMap(({ found }) => (found?.isReady && found.phase === 'exited' ? [found.name] : [])),
  );
  return workloads.filter(({ name }) => !done.has(name));
}

function planStarts(desired: Running, observed: Observed, matches: Match[], outdated: ObservedWorkload[]): Operation[] {
  const operations: Operation[] = [];
  const pulled = new Set<string>();
  const neighbours = matches.map(({ wanted }) => neighbourOf(wanted.workload));
  for (const { wanted, found } of matches) {
    const { workload, isExclusive } = wanted;
    if (found && !needsStart(wanted, found)) continue;
    if (!mayStart(wanted, matches)) continue;
    const { image } = workload;
    if (!isPresent(image, observed) && !pulled.has(image)) {
      operations.push({ kind: 'pull', ...requestOf(workload), because: 'not on this host' });
      pulled.add(image);
    }
    // The tag is resolved first; the next plan starts the workload. Images are pulled one at a time, and other
    // workloads start during a pull.
    if (!isSettled(wanted, observed)) {
      const images = unsettledImages(matches, observed);
      if (isPresent(image, observed)) operations.push({ kind: 'check', images, because: 'tags may have moved' });
      return operations;
    }
    for (const other of outdated) {
      if (isExclusive && usesVolumesOf(wanted, other))
        operations.push(removal(other, 'its volumes pass to the next revision'));
      else if (isEarlierStart(wanted, other)) operations.push(removal(other, 'restarted'));
    }
    const because = found ? (found.tampering ?? found.phase) : `revision ${desired.revision}`;
    const started = found ? { ...workload, name: found.name, revision: found.revision } : workload;
    operations.push({ kind: 'start', workload: started, neighbours, because });
  }
  return operations;
}

function neighbourOf({ pod, replica, aliases, ports }: Workload): Neighbour {
  return { pod, replica, aliases, ports };
}

/** A start avoids the addresses of all endpoints except its own, whose path should lead to it. */
function avoiding(operation: Operation, matches: Match[], endpoints: Endpoint[]): Operation {
  if (operation.kind !== 'start') return operation;
  const { pod, ports } = operation.workload;
  const wanted = matches.find(({ wanted }) => wanted.workload.pod === pod)?.wanted;
  const own = wanted ? routesOf(wanted) : [];
  const isOwn = ({ host, path, port }: Endpoint) =>
    port === ports[0] && own.some((route) => route.host === host && route.path === path);
  const avoid = endpoints.filter((endpoint) => !isOwn(endpoint));
  return avoid.length === 0 ? operation : { ...operation, avoid: avoid.map(({ address }) => address) };
}

/** Returns whether the workload has to be started: it does not run and has not ended for good. */
function needsStart({ workload }: DesiredWorkload, found: ObservedWorkload): boolean {
  if (found.phase === 'created' || found.tampering) return true;
  return found.phase === 'exited' && !isOver(workload, found);
}

function mayStart({ workload, dependsOn, isOrdered }: DesiredWorkload, matches: Match[]): boolean {
  if (!dependsOn.every((pod) => isPodReady(pod, matches))) return false;
  const isBefore = ({ wanted }: Match) =>
    wanted.workload.pod === workload.pod && wanted.workload.replica < workload.replica;
  return !isOrdered || matches.filter(isBefore).every(({ found }) => found?.isReady);
}

/** A workload that has ended for good uses no volume. It is kept, so that it need not run again if the update fails. */
function usesVolumesOf({ workload }: DesiredWorkload, found: ObservedWorkload): boolean {
  if (found.pod !== workload.pod || found.replica !== workload.replica) return false;
  return !isOver(workload, found);
}

/** Returns whether `found` is the same workload before a restart and is not ready, so that nothing falls back to it. */
function isEarlierStart({ workload }: DesiredWorkload, { pod, replica, revision, isReady }: ObservedWorkload): boolean {
  const isSame = pod === workload.pod && replica === workload.replica && revision === workload.revision;
  return isSame && !isReady;
}

/**
 * All desired workloads are ready: the edge switches to them, and the old ones complete their requests and are removed.
 */
function planSwitch(
  desired: Running,
  matches: Match[],
  outdated: ObservedWorkload[],
  endpoints: Endpoint[],
): Operation[] {
  const { revision } = desired;
  const because = `revision ${revision}`;
  const wanted = endpointsOf(matches);
  const drained = addressesToDrain(matches, outdated, endpoints);
  return [
    ...(sameEndpoints(wanted, endpoints) ? [] : [{ kind: 'route', endpoints: wanted, revision, because } as const]),
    ...(drained.length > 0 ? [{ kind: 'drain', addresses: drained, because } as const] : []),
    ...outdated.map(asOutdated),
  ];
}

/** Returns addresses that receive requests, or may have until a process died while it drained them. */
function addressesToDrain(matches: Match[], outdated: ObservedWorkload[], endpoints: Endpoint[]): string[] {
  const served = new Set(endpoints.map(({ address }) => address));
  const publicPods = new Set(matches.flatMap(({ wanted }) => routesOf(wanted).map(() => wanted.workload.pod)));
  return outdated.flatMap(({ pod, address }) =>
    address !== undefined && (served.has(address) || publicPods.has(pod)) ? [address] : [],
  );
}

function asOutdated(workload: ObservedWorkload): Operation {
  return removal(workload, 'outdated');
}

function removal(workload: ObservedWorkload, because: string): Operation {
  return { kind: 'remove', ...nameOf(workload), because };
}

function nameOf({ name, pod, revision, replica }: ObservedWorkload) {
  return { name, pod, revision, replica };
}

function endpointsOf(matches: Match[]): Endpoint[] {
  return matches.flatMap(({ wanted, found }) => {
    const [port] = wanted.workload.ports;
    const address = found?.address;
    if (port === undefined || !address) return [];
    return routesOf(wanted).map(({ path, host }) => ({
      path,
      address,
      port,
      ...(host !== undefined && { host }),
      ...wanted.options,
    }));
  });
}

/** Returns its public paths, at the deployment's hosts and at its own custom domain. */
function routesOf({ path, subdomain }: DesiredWorkload): Pick<Endpoint, 'path' | 'host'>[] {
  return [...(path === undefined ? [] : [{ path }]), ...(subdomain ? [subdomain] : [])];
}
