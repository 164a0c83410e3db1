/** Values for tests: deployments, specs and observations in a line. */
import type { AppSpec, PodSpec } from '../../src/config/spec/spec.ts';
import { type Deployment, type Instant, newDeployment, type PodStatus } from '../../src/deployment/deployment.ts';
import type { Desired, Resolution } from '../../src/deployment/desired.ts';
import { openEgress } from '../../src/deployment/workload/egress.ts';
import type { Observed, ObservedWorkload, Workload } from '../../src/deployment/workload/workload.ts';

export const url = new URL('http://jolly-tapir-shop.localhost:8080');

export function deploymentOf(fields: Partial<Deployment>): Deployment {
  const shop = { id: 'shop', sessionId: 'session', applicationName: 'shop', environment: 'jolly-tapir' };
  return {
    ...newDeployment({ ...shop, label: 'jolly-tapir-shop', createdAt: 0, expiresAt: null, claimedAt: null }),
    ...fields,
  };
}

export function pod(name: string, fields: Partial<PodSpec> = {}): PodSpec {
  return {
    name,
    image: 'node:26-slim',
    servicePorts: [],
    vars: {},
    files: [],
    volumes: [],
    resourceType: 'deployment',
    replicas: 1,
    resources: { requests: {}, limits: {} },
    useGPU: false,
    dependsOn: [],
    ...fields,
  };
}

/** A ready pod without restarts, except for `fields`. */
export function podStatusOf(name: string, fields: Partial<PodStatus> = {}): PodStatus {
  const fresh = { revision: 1, restarts: 0, restartedAt: [], settledRestarts: [] };
  return { name, state: 'ready', image: 'node:26-slim', ...fresh, ...fields };
}

export function specOf(...pods: PodSpec[]): AppSpec {
  return { name: 'shop', pods };
}

/** How revisions are resolved at an instant. */
export function resolvedAt(now: Instant): Resolution {
  return { now, url, egress: openEgress };
}

/** The address that `observedOf` gives to a pod of a revision. */
export function address(podName: string, revision: number): string {
  return `10.200.0.${revision * 10 + podName.length}`;
}

/** The observation of an engine if the named pods of `desired` are in these conditions. */
export function observedOf(given: {
  desired?: Desired;
  ready?: string[];
  starting?: string[];
  created?: string[];
  exited?: string[];
  images?: string[];
  /** Default: all of `images`, as if they had been built here. */
  localImages?: string[];
  network?: boolean;
  additional?: Observed;
}): Observed {
  const { desired, additional } = given;
  const workloads = desired?.kind === 'running' ? desired.workloads.map(({ workload }) => workload) : [];
  const inCondition = (names: string[] | undefined, fields: Partial<ObservedWorkload>): ObservedWorkload[] =>
    workloads
      .filter(({ pod }) => names?.includes(pod))
      .map(({ name, pod, revision, replica, fingerprint }) => ({
        name,
        pod,
        revision,
        replica,
        fingerprint,
        restarts: 0,
        address: address(pod, revision),
        phase: 'running' as const,
        isReady: false,
        ...fields,
      }));
  const images = given.images ?? (additional ? workloads.map(({ image }) => image) : []);
  return {
    hasNetwork: given.network ?? desired !== undefined,
    volumes: desired?.kind === 'running' ? desired.volumes.map(({ volume }) => volume) : [],
    images: { present: images, local: given.localImages ?? images },
    workloads: [
      ...inCondition(given.ready, { isReady: true }),
      ...inCondition(given.starting, { notReadyBecause: 'does not listen on port 80' }),
      ...inCondition(given.created, { phase: 'created' }),
      ...inCondition(given.exited, {
        phase: 'exited',
        lastExit: { code: 0, reason: 'exited with code 0', at: 0 },
        notReadyBecause: 'exited with code 0',
      }),
      ...(additional?.workloads ?? []),
    ],
  };
}

/** A workload of the pod `web`, which listens on port 80. */
export function webWorkload(fields: Partial<Workload> & Pick<Workload, 'name'>): Workload {
  return {
    pod: 'web',
    revision: 1,
    replica: 0,
    fingerprint: 'f',
    image: 'web:1',
    env: {},
    files: [],
    volumes: [],
    ports: [80],
    aliases: ['web'],
    resources: { requests: {}, limits: {} },
    useGPU: false,
    readiness: { kind: 'port', port: 80 },
    ...fields,
  };
}
