/** Observes the objects of a deployment on the engine, and whether it is ready. */
import type Docker from 'dockerode';
import type { Observed, ObservedWorkload, Readiness, Tampering } from '../../deployment/workload/workload.ts';
import type { LocalImages } from '../images/local-images.ts';
import { isOwnedBy, labelKeys, labelSelector, readWorkloadLabels, type WorkloadLabels } from '../labels.ts';
import { type ContainerState, lastExitOf } from '../readiness/container-state.ts';
import { isListening, readListening } from '../readiness/listening.ts';
import { createProbe, type Probe, type ProbedReadiness } from '../readiness/probe.ts';
import {
  type ContainerInsights,
  describeProbed,
  type Instants,
  judge,
  type ProbedWorkload,
  probeAll,
  reasonElsewhere,
  type Verdict,
} from '../readiness/readiness.ts';
import { createCommandCheck } from './containers/command-check.ts';
import { type KnownEnd, lastEnd } from './containers/exits.ts';
import { containerStateOf } from './containers/inspected-state.ts';
import { tamperingOf } from './containers/tampering.ts';
import { orAbsent } from './faults.ts';
import { readImage } from './images/image-facts.ts';
import { networkName } from './names.ts';
import { listVolumes, type Volumes } from './volumes/volumes.ts';

/** The state of a container that is remembered between observations. */
export type Known = ProbedWorkload & {
  containerId: string;
  labels: WorkloadLabels;
  address?: string;
  /** Docker's text for the instant. Each start has another one. */
  startedAt: string;
  lastEnd: KnownEnd;
  tampering?: Tampering;
  /** The probe of a paused container, which continues when the container does. */
  pausedProbe?: Probe;
};

export type Observer = {
  observe(deploymentId: string, images: string[]): Promise<Observed>;
  /** The workloads of the deployment's last observation. */
  known(deploymentId: string): Known[];
  /** The same of all deployments, each with its id. */
  allKnown(): Iterable<[string, Known[]]>;
};

/** Docker's dates come from the first clock, which may be set. They are stored by the second, which never jumps. */
export type Clocks = { now: () => number; uptime: () => number };

export type ObserverOptions = {
  owner: string;
  volumes: Pick<Volumes, 'hardSizes'>;
  localImages: LocalImages;
  /** The shortest period of checks after a workload was ready. */
  minPeriodMs: number;
} & Clocks;

export function createObserver(docker: Docker, options: ObserverOptions): Observer {
  const { owner, now, uptime } = options;
  const memory = new Map<string, Known[]>();

  return {
    async observe(deploymentId, images) {
      const before = memory.get(deploymentId) ?? [];
      const filters = { label: labelSelector(owner, deploymentId) };
      const [containers, network, volumes, found] = await Promise.all([
        docker.listContainers({ all: true, filters }),
        orAbsent(docker.getNetwork(networkName(deploymentId)).inspect()),
        listVolumes(docker, owner, deploymentId),
        Promise.all(images.map((image) => readImage(docker, image, options.localImages))),
      ]);
      const looks = await Promise.all(containers.map((container) => look(docker, container, before, options)));
      const known = looks.filter((container) => container !== undefined);
      await probeAll(known);
      const volumeSizes = await options.volumes.hardSizes(deploymentId, volumes);
      // Last: it dates by the clock, with which the observation is compared.
      const workloads = await Promise.all(
        known.map((container) => describe(docker, container, { nowMs: now(), uptimeMs: uptime() })),
      );
      if (known.length > 0) memory.set(deploymentId, known);
      else memory.delete(deploymentId);
      return {
        hasNetwork: isOwnedBy(owner, network?.Labels),
        volumes: [
          ...new Set([
            ...volumes.flatMap(({ Labels }) => Labels?.[labelKeys.volume] ?? []),
            ...Object.keys(volumeSizes),
          ]),
        ].sort(),
        ...(Object.keys(volumeSizes).length > 0 && { volumeSizes }),
        images: {
          present: images.filter((_, index) => found[index]),
          local: images.filter((_, index) => found[index] && found[index].pinned === undefined),
        },
        workloads: workloads.sort((a, b) => (a.name < b.name ? -1 : 1)),
      };
    },

    known: (deploymentId) => memory.get(deploymentId) ?? [],
    allKnown: () => memory,
  };
}

/**
 * Undefined if the container is gone or not a workload. Each one is inspected, because a listing shows a restart only
 * as `Up 2 seconds`, which may equal the text of the previous listing.
 */
async function look(
  docker: Docker,
  container: Docker.ContainerInfo,
  knownBefore: Known[],
  { now, uptime, minPeriodMs }: ObserverOptions,
): Promise<Known | undefined> {
  const labels = readWorkloadLabels(container.Labels);
  if (!labels) return undefined;
  const before = knownBefore.find(({ containerId }) => containerId === container.Id);
  const inspected = await orAbsent(docker.getContainer(container.Id).inspect());
  if (!inspected) return undefined;
  const { StartedAt: startedAt } = inspected.State;
  // If it is in the future, the clock was set back since. Then it counts from now.
  const isSameStart = before?.startedAt === startedAt;
  const ageMs = Math.max(0, now() - Date.parse(startedAt));
  const lastKnown = await lastEnd(docker, inspected, before?.lastEnd, now());
  const { exit } = lastKnown;
  if (exit && labels.readiness.mayEnd && exit.code === 0 && (await wasStoppedWithEngine(docker, exit.at)))
    lastKnown.exit = { ...exit, isStopped: true };
  const healthBefore = isSameStart ? before.state.health : undefined;
  const wasHealthy = healthBefore !== undefined && (healthBefore.isHealthy || healthBefore.wasHealthy);
  const startedAtMs = isSameStart ? before.state.startedAtMs : uptime() - ageMs;
  const state = containerStateOf(inspected, startedAtMs, lastKnown.exit, wasHealthy);
  const address = state.phase === 'running' ? addressOf(inspected, labels) : undefined;
  const newProbe = (readiness: ProbedReadiness, at: string) =>
    createProbe({
      readiness,
      address: at,
      startedAtMs: state.startedAtMs,
      uptime,
      minPeriodMs,
      runCheck: createCommandCheck(docker, container.Id),
      listens: (port) => isListening(state.pid, container.Id, port),
    });
  const tampering = tamperingOf(inspected, labels.deploymentId);
  const probe = address && probeFor(labels.readiness, state, address, before, newProbe);
  const elsewhere = isSameStart ? before.elsewhere : undefined;
  return {
    containerId: container.Id,
    name: inspected.Name.slice(1),
    labels,
    startedAt,
    state,
    ...(address && { address }),
    ...(probe && (tampering === 'paused' ? { pausedProbe: probe } : { probe })),
    ...(elsewhere && { elsewhere }),
    lastEnd: lastKnown,
    ...(tampering && { tampering }),
  };
}

/**
 * Returns whether the engine was started after the instant. It stops its containers before it ends, and does not
 * restart containers that exited with 0. Its default network is created at each start; without that network the answer
 * is unknown.
 */
async function wasStoppedWithEngine(docker: Docker, atMs: number): Promise<boolean> {
  const network = await orAbsent(docker.getNetwork('bridge').inspect());
  return network !== undefined && atMs < Date.parse(network.Created);
}

function addressOf({ NetworkSettings }: Docker.ContainerInspectInfo, labels: WorkloadLabels): string | undefined {
  return NetworkSettings.Networks[networkName(labels.deploymentId)]?.IPAddress || undefined;
}

/** Returns the probe of the previous observation, if the container's start is the same. */
function probeFor(
  readiness: Readiness,
  state: ContainerState,
  address: string,
  before: Known | undefined,
  newProbe: (readiness: ProbedReadiness, address: string) => Probe,
): Probe | undefined {
  if (readiness.kind === 'running' || readiness.kind === 'exit') return undefined;
  const known = before?.probe ?? before?.pausedProbe;
  if (known && before?.state.startedAtMs === state.startedAtMs && before.address === address) return known;
  return newProbe(readiness, address);
}

async function describe(docker: Docker, known: Known, at: Instants): Promise<ObservedWorkload> {
  const { labels, state, probe } = known;
  const { exit } = known.lastEnd;
  const because = (await reasonElsewhere(known, at.uptimeMs, () => lookInside(docker, known))) ?? probe?.because;
  if (probe) known.reportedReady = probe.isReady;
  const probed = probe && { isReady: probe.isReady, because };
  const verdict = known.state.exit ? undefined : unreachable(known.tampering);
  const judged = verdict ?? judge(labels.readiness, state, probed, exit, at.uptimeMs);
  return {
    ...describeProbed(known, judged, at),
    ...(known.tampering && { tampering: known.tampering }),
    ...(known.address && { address: known.address }),
    ...(exit && { lastExit: lastExitOf(exit) }),
  };
}

/** Overrides the probe, whose last result may be older. */
function unreachable(tampering: Tampering | undefined): Verdict | undefined {
  if (tampering === 'paused') return { isReady: false, because: 'is paused' };
  if (tampering === 'off-network') return { isReady: false, because: 'was taken off its network' };
  return undefined;
}

async function lookInside(docker: Docker, { state, containerId }: Known): Promise<ContainerInsights | undefined> {
  const listening = await readListening(state.pid, containerId);
  if (!listening) return undefined;
  // Processor time only matters if the program listens on another port, and reading it costs a request.
  return { listening, cpuMs: listening.length > 0 ? await readCpuMs(docker, containerId) : undefined };
}

/** Processor time of the container since its start. Undefined if the engine does not report it. */
async function readCpuMs(docker: Docker, containerId: string): Promise<number | undefined> {
  try {
    const { cpu_stats: cpu } = await docker.getContainer(containerId).stats({ stream: false, 'one-shot': true });
    return cpu.cpu_usage.total_usage / 1e6;
  } catch {
    return undefined;
  }
}
