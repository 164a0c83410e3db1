/** Observes the objects of a deployment on the cluster, from the cache, and whether it is ready, by our own probes. */

import type { CommandCheck } from '../../config/spec/spec.ts';
import { type Egress, parseEgress, printEgress } from '../../deployment/workload/egress.ts';
import type { Observed, ObservedWorkload, Readiness } from '../../deployment/workload/workload.ts';
import { wait } from '../../lib/wait.ts';
import { type CheckEnd, checkMessage, programOf } from '../check-message.ts';
import { labelKeys } from '../labels.ts';
import type { Reason } from '../readiness/attempts.ts';
import { type ContainerState, lastExitOf } from '../readiness/container-state.ts';
import { parseListening } from '../readiness/listening.ts';
import { createProbe, type Probe, type RunCheck } from '../readiness/probe.ts';
import {
  type ContainerInsights,
  describeProbed,
  type Instants,
  judge,
  type ProbedWorkload,
  probeAll,
  reasonElsewhere,
} from '../readiness/readiness.ts';
import type { Cache } from './cache.ts';
import type { Cluster } from './cluster.ts';
import { copyKey, networkKey, readWorkloadMarks, workloadKey } from './manifests/marks.ts';
import { isPolicyFor, type PolicySettings, policyName } from './manifests/network-policy.ts';
import { containerName } from './manifests/workload.ts';
import { namespaceName } from './names.ts';
import { claimsOfVolumes, type FoundController, type FoundNamespace } from './objects.ts';
import type { PodAddress, ProgramEnd } from './pod-programs.ts';
import { type PodFacts, podFacts } from './pods.ts';

/** Reported as the egress if the policy does not match, so that it is created again. */
const otherPolicy = 'not as in its policy';

/** The state of a workload that is remembered between observations. */
export type Known = ProbedWorkload & {
  facts: PodFacts;
  /** For a copy of its volumes. */
  isStopped: boolean;
  /** Each start has another one. */
  start: string;
};

export type Observer = {
  observe(deploymentId: string): Promise<Observed>;
  /** The workloads of the deployment's last observation. */
  known(deploymentId: string): Known[];
  /** The same of all deployments, each with its id. */
  allKnown(): Iterable<[string, Known[]]>;
};

/**
 * The cluster's dates come from the first clock, which may be set. They are stored by the second, which never jumps.
 */
export type ObserverOptions = {
  minPeriodMs: number;
  now: () => number;
  uptime: () => number;
  policy: PolicySettings;
};

export function createObserver(cluster: Pick<Cluster, 'run'>, cache: Cache, options: ObserverOptions): Observer {
  const { now, uptime, minPeriodMs, policy } = options;
  const memory = new Map<string, Known[]>();

  function look(deploymentId: string, before: readonly Known[]) {
    return ({ controller, labels, facts }: CachedWorkload): Known => {
      const { name } = labels;
      const earlier = before.find((each) => each.name === name);
      const start = `${facts.pod?.uid} ${facts.pod?.startedAt}`;
      const isSameStart = earlier?.start === start;
      const age = Math.max(0, now() - (facts.pod?.startedAt ?? now()));
      const state: ContainerState = {
        phase: facts.phase,
        startedAtMs: isSameStart ? earlier.state.startedAtMs : uptime() - age,
        restarts: facts.restarts,
        pid: 0,
        ...(facts.hasEnded && facts.lastExit && { exit: facts.lastExit }),
      };
      const address = facts.pod?.address;
      const isSamePlace = isSameStart && earlier.facts.pod?.address === address;
      const probe = isSamePlace
        ? earlier.probe
        : newProbe(podAddress(deploymentId, facts), labels.readiness, address, state);
      const elsewhere = isSameStart ? earlier.elsewhere : undefined;
      const isStopped = controller.metadata.labels?.[copyKey] !== undefined;
      return { name, labels, facts, isStopped, start, state, ...(probe && { probe }), ...(elsewhere && { elsewhere }) };
    };
  }

  function newProbe(
    pod: PodAddress | undefined,
    readiness: Readiness,
    address: string | undefined,
    { startedAtMs }: ContainerState,
  ): Probe | undefined {
    if (!pod || address === undefined || readiness.kind === 'running' || readiness.kind === 'exit') return undefined;
    const runCheck = createPodCheck(cluster, pod);
    // The sockets of another machine are only visible through a connection.
    const listens = async () => false;
    return createProbe({ readiness, address, startedAtMs, uptime, minPeriodMs, runCheck, listens });
  }

  async function describe(deploymentId: string, known: Known, at: Instants): Promise<ObservedWorkload> {
    const { facts, probe } = known;
    const pod = podAddress(deploymentId, facts);
    const because =
      (await reasonElsewhere(known, at.uptimeMs, async () => pod && inspectPod(cluster, pod))) ?? probe?.because;
    if (probe) known.reportedReady = probe.isReady;
    const verdict = verdictOf(known, probe && { isReady: probe.isReady, because }, at.uptimeMs);
    const lastExit = facts.lastExit && lastExitOf(facts.lastExit);
    return {
      ...describeProbed(known, verdict, at),
      ...(facts.phase === 'running' && facts.pod?.address !== undefined && { address: facts.pod.address }),
      ...(lastExit && { lastExit }),
    };
  }

  /** Its policy may have been removed, edited, or made with other settings. */
  function isBound(deploymentId: string, egress: Egress): boolean {
    const found = cache.find('NetworkPolicy', policyName, deploymentId);
    return found !== undefined && isPolicyFor(egress, policy, found);
  }

  return {
    async observe(deploymentId) {
      cache.check();
      const namespace = livingNamespace(cache, deploymentId);
      const before = memory.get(deploymentId) ?? [];
      const known = namespace ? cachedWorkloads(cache, deploymentId).map(look(deploymentId, before)) : [];
      await probeAll(known);
      const at = { nowMs: now(), uptimeMs: uptime() };
      const workloads = await Promise.all(known.map((each) => describe(deploymentId, each, at)));
      if (known.length > 0) memory.set(deploymentId, known);
      else memory.delete(deploymentId);
      const egress = namespace && egressOf(namespace);
      return {
        hasNetwork: egress !== undefined,
        ...(egress && { egress: isBound(deploymentId, egress) ? printEgress(egress) : otherPolicy }),
        volumes: namespace ? volumesOf(cache, deploymentId) : [],
        workloads: workloads.sort((a, b) => (a.name < b.name ? -1 : 1)),
      };
    },
    known: (deploymentId) => memory.get(deploymentId) ?? [],
    allKnown: () => memory,
  };
}

/** PURE. Obstacles come first; a workload that has not started cannot be judged. */
function verdictOf({ labels, facts, state, isStopped }: Known, probed: Parameters<typeof judge>[2], uptimeMs: number) {
  const { obstacle, lastExit, pod } = facts;
  if (isStopped) return { isReady: false as const, because: 'is stopped while its volumes are copied' };
  const isStarted = pod?.startedAt !== undefined || facts.hasEnded;
  if (obstacle)
    return { isReady: false as const, because: obstacle.words, ...(obstacle.hint && { hint: obstacle.hint }) };
  if (!isStarted) return { isReady: false as const, because: 'is being created' };
  return judge(labels.readiness, state, probed, lastExit, uptimeMs);
}

export type CachedWorkload = {
  kind: 'Deployment' | 'Job';
  controller: FoundController;
  labels: NonNullable<ReturnType<typeof readWorkloadMarks>>;
  facts: PodFacts;
};

/** Returns the workloads of one deployment, or of all. */
export function cachedWorkloads(cache: Cache, deploymentId?: string): CachedWorkload[] {
  const pods = Map.groupBy(
    cache.list('Pod', deploymentId),
    ({ metadata }) => `${metadata.namespace} ${metadata.labels?.[workloadKey]}`,
  );
  return (['Deployment', 'Job'] as const).flatMap((kind) =>
    cache.list(kind, deploymentId).flatMap((controller) => {
      const { namespace, name, annotations } = controller.metadata;
      const labels = readWorkloadMarks(annotations);
      if (!labels) return [];
      const own = pods.get(`${namespace} ${name}`) ?? [];
      return [{ kind, controller, labels, facts: podFacts(controller, own, kind === 'Job') }];
    }),
  );
}

/** A namespace that is being removed counts as gone, with all its content. */
export function livingNamespace(cache: Cache, deploymentId: string): FoundNamespace | undefined {
  const found = cache.find('Namespace', namespaceName(deploymentId));
  return found?.metadata.deletionTimestamp === undefined ? found : undefined;
}

/** Undefined without a network. */
export function egressOf({ metadata }: FoundNamespace): Egress | undefined {
  if (metadata.labels?.[networkKey] === undefined) return undefined;
  return parseEgress(metadata.annotations?.[labelKeys.egress] ?? '') ?? { kind: 'none' };
}

export function volumesOf(cache: Cache, deploymentId: string): string[] {
  return [...claimsOfVolumes(cache.list('PersistentVolumeClaim', deploymentId)).keys()].sort();
}

function podAddress(deploymentId: string, { pod }: PodFacts): PodAddress | undefined {
  return pod && { namespace: namespaceName(deploymentId), pod: pod.name, container: containerName };
}

/** Queries that need a process in the pod: health checks that are commands, and the ports on which it listens. */

/** Reading the kernel's numbers of a busy process does not take longer. */
const lookPatienceMs = 3_000;

/** An abandoned check may continue for at most this long. */
const longestCheckMs = 10 * 60_000;

/** The check for one start of a container. */
export function createPodCheck(cluster: Pick<Cluster, 'run'>, pod: PodAddress): RunCheck {
  /** An abandoned check still runs, and the cluster cannot end it. */
  let isLeft = false;

  return async ({ command, timeoutSeconds }) => {
    if (isLeft) return reasonOf(command, { kind: 'left' });
    const enough = new AbortController();
    const ended = cluster.run(pod, command, AbortSignal.timeout(longestCheckMs)).catch(() => undefined);
    const late = wait(timeoutSeconds * 1000, enough.signal).then(() => 'late' as const);
    const first = await Promise.race([ended, late]);
    enough.abort();
    if (first === 'late') {
      isLeft = true;
      void ended.then(() => {
        isLeft = false;
      });
      return reasonOf(command, { kind: 'timed-out', afterSeconds: timeoutSeconds });
    }
    const end = first && endOf(first);
    // Between two starts, no command can run in the pod, and the cluster may be unavailable.
    if (!end) return { kind: 'unreachable', words: `health check \`${programOf(command)}\` has not been run yet` };
    return reasonOf(command, end);
  };
}

/** PURE. Undefined if the result of the program is unknown. */
function endOf({ code, output, isFlood }: ProgramEnd): CheckEnd | undefined {
  if (isFlood) return { kind: 'flood' };
  if (code !== undefined) return { kind: 'exited', code, output };
  return /exec failed|executable file not found|no such file/i.test(output)
    ? { kind: 'not-startable', output }
    : undefined;
}

function reasonOf(command: CommandCheck['command'], end: CheckEnd): Reason | undefined {
  const reported = checkMessage(command, end);
  return reported && { kind: 'unhealthy', ...reported };
}

/** Reads a file with the image's own `cat`. Undefined if the image has none. */
export async function inspectPod(
  cluster: Pick<Cluster, 'run'>,
  pod: PodAddress,
): Promise<ContainerInsights | undefined> {
  const files = ['/proc/net/tcp', '/proc/net/tcp6', '/sys/fs/cgroup/cpu.stat', '/sys/fs/cgroup/cpuacct/cpuacct.usage'];
  try {
    const { output } = await cluster.run(pod, ['cat', ...files], AbortSignal.timeout(lookPatienceMs));
    return output.includes('local_address') ? readInside(output) : undefined;
  } catch {
    return undefined;
  }
}

/** PURE. Control groups version 1 report nanoseconds on a separate line, version 2 `usage_usec`. */
export function readInside(output: string): ContainerInsights {
  const nanoseconds = /^(\d+)$/m.exec(output)?.[1];
  const microseconds = /^usage_usec (\d+)$/m.exec(output)?.[1];
  const cpuMs =
    nanoseconds !== undefined
      ? Number(nanoseconds) / 1e6
      : microseconds !== undefined
        ? Number(microseconds) / 1e3
        : undefined;
  return { listening: parseListening(output), cpuMs };
}
