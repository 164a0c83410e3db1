/** Workloads, as engines run and observe them. Only engine-neutral values. */
import { createHash } from 'node:crypto';
import stringify from 'safe-stable-stringify';
import type {
  CommandCheck,
  ContainerOptions,
  FileAccess,
  HttpCheck,
  RegistryLogin,
  Resources,
  StartPatience,
} from '../../config/spec/spec.ts';
import type { Instant, LastExit } from '../deployment.ts';
import type { PodTargets } from './pod-addresses.ts';

/**
 * `berth-<deployment>-<pod>-<revision>-<replica>`, and `-r<n>` after the owner's restart. Deterministic, so that a
 * second create finds the first.
 */
export type WorkloadName = string;

/** One replica of one pod of one revision, with all values resolved. */
export type Workload = {
  name: WorkloadName;
  pod: string;
  revision: number;
  replica: number;
  /** A hash of the fields below. A running workload with an equal fingerprint is kept. */
  fingerprint: string;
  image: string;
  registryLogin?: RegistryLogin;
  /** The workload's own host name. Default: the pod's name. */
  hostname?: string;
  entrypoint?: string[];
  command?: string[];
  workingDir?: string;
  user?: string;
  env: Record<string, string>;
  files: (FileAccess & { path: string; content: string })[];
  volumes: { volume: string; mountPath: string }[];
  ports: number[];
  /** Names that other pods of the deployment use for it. */
  aliases: string[];
  resources: { requests: Resources; limits: Resources };
  useGPU: boolean;
  /** Absent if all options have their defaults. */
  container?: ContainerOptions;
  readiness: Readiness;
  /** Fingerprints of the pods in `restartsWith`; absent if that is empty. */
  restartsWith?: string[];
  /** The number of restarts by the owner. Absent: none. */
  restart?: number;
  /**
   * Whether the workload builds images of the deployment and may create user namespaces for that. No configuration can
   * set this.
   */
  buildsImages?: true;
  /** Folders of the service that workloads share, read-only by default. No configuration can set this. */
  sharedFolders?: SharedFolder[];
  /**
   * The runtime of its plan; absent: the engine's default. Not part of the fingerprint, so a change of plan restarts
   * nothing.
   */
  runtime?: PodRuntime;
};

/** `directory`: on the machine of the engine. */
export type SharedFolder = { directory: string; mountPath: string; isWritable?: true };

/** The kernel of the machine (runc), or gVisor (runsc). */
export type PodRuntime = 'runc' | 'runsc';

/** The facts about a workload that other pods of the deployment use, whether it runs or not. */
export type Neighbour = Pick<Workload, 'pod' | 'replica' | 'aliases' | 'ports'>;

export type Readiness = Condition & {
  /** After an exit with 0, it is also ready and is not restarted. */
  mayEnd?: true;
};

type Condition =
  /** `host`: the Host header of the request; default: `localhost` with the port. */
  | ({ kind: 'http'; host?: string } & HttpCheck)
  /** A program in the container that exits with 0. */
  | ({ kind: 'command' } & CommandCheck)
  /** The image's HEALTHCHECK, unless it is missing or ignored; otherwise a TCP connection to the port. */
  | ({ kind: 'port'; port: number } & DefaultCheckOptions)
  /**
   * A worker without ports: the image's HEALTHCHECK, unless it is missing or ignored; otherwise it is ready while it
   * runs.
   */
  | ({ kind: 'running' } & DefaultCheckOptions)
  /** A job is ready after it has exited with 0, and is not restarted then. */
  | { kind: 'exit' };

type DefaultCheckOptions = { ignoresImage?: true } & Partial<StartPatience>;

/** The objects of one deployment on the engine now. */
export type Observed = {
  hasNetwork: boolean;
  /** The network's egress, as `printEgress` returns it; absent on an engine without the facet `isolation`. */
  egress?: string;
  /** Names as in `Workload.volumes`, of volumes that exist or that a workload can use now. */
  volumes: string[];
  /** The capacity of volumes with a hard limit, in bytes; 0 for an incomplete volume. */
  volumeSizes?: Record<string, number>;
  /** The requested images. Absent on an engine without the facet `images`, which pulls images at a start. */
  images?: ObservedImages;
  /** Targets of the pod addresses; absent if the engine has Services of its own, or no firewall. */
  podTargets?: PodTargets;
  workloads: ObservedWorkload[];
};

export type ObservedImages = {
  /** Images that are on the host. */
  present: string[];
  /** Images that were built or loaded on the host, and have no registry. */
  local: string[];
};

/**
 * A change to a workload that Berth did not make. Starting the workload again reverts it. `limits`: of memory and
 * processor, or the restart policy.
 */
export type Tampering = 'paused' | 'off-network' | 'on-other-network' | 'limits';

export type ObservedWorkload = {
  name: WorkloadName;
  pod: string;
  revision: number;
  replica: number;
  fingerprint: string;
  /** `evicted`: it was removed because of its disk use, and stays removed. Engines do not return this phase. */
  phase: 'created' | 'running' | 'exited' | 'evicted';
  isReady: boolean;
  tampering?: Tampering;
  /** The address for the edge and other pods. Absent while it has none. */
  address?: string;
  /** How often the engine has restarted it after an exit. */
  restarts: number;
  /** For example `does not listen on port 3000`; absent if it is ready. */
  notReadyBecause?: string;
  /** How the owner can fix it. */
  hint?: string;
  /** The beginning of the body of the last failing response to its health check. */
  healthCheckBody?: string;
  /** The last exit. Absent without an exit, or if the engine does not report it. */
  lastExit?: LastExit;
  stuck?: Stuck;
};

/**
 * The workload runs, has never been ready since its start, and either fails its health check or listens only on other
 * ports. `since`: the start of that state.
 */
export type Stuck =
  | { by: 'health-check'; since: Instant }
  /** `open`: the ports on which it accepts connections. */
  | { by: 'listening'; since: Instant; open?: number[] };

/**
 * Identifies the content of a workload, so that a running workload is replaced only if its content changes. A
 * fingerprint is a label of a container and outlives the release that made it: it is canonical and names its version.
 * Golden files in `test/golden` show when one changes.
 */

/**
 * The fields in the fingerprint. The revision is not one of them, so that a pod that an update does not change keeps
 * running.
 */
export type WorkloadContent = Omit<Workload, 'name' | 'revision' | 'fingerprint' | 'runtime'>;

/**
 * Returns `v2-` and 32 hexadecimal digits, a hash of JSON with sorted keys. A new field must be absent by default,
 * because a default value would replace every workload.
 */
export function fingerprintOf(content: WorkloadContent): string {
  return `v2-${createHash('sha256').update(stringify(content)).digest('hex').slice(0, 32)}`;
}

/** Hashes of what exists for a deployment. Different hashes mean that a visit is necessary. */

/** One object in a listing of the whole engine. */
type Listed = {
  kind: 'network' | 'volume' | 'workload' | 'group';
  name?: string;
  phase?: ObservedWorkload['phase'];
  tampering?: Tampering;
  volume?: string;
};

/** Returns the hash of an observation; equal to the hash of a listing at the same time. */
export function hashObserved({ hasNetwork, volumes, workloads }: Observed): string {
  return hashListed([
    ...(hasNetwork ? [{ kind: 'network' } as const] : []),
    ...volumes.map((volume) => ({ kind: 'volume', volume }) as const),
    ...workloads.map(
      ({ name, phase, tampering }) => ({ kind: 'workload', name, phase, ...(tampering && { tampering }) }) as const,
    ),
  ]);
}

/** Returns 16 characters. The order and repetitions of listed objects do not matter. */
export function hashListed(listed: readonly Listed[]): string {
  const lines = [...new Set(listed.flatMap(print))].sort();
  return createHash('sha256').update(lines.join('\n')).digest('base64url').slice(0, 16);
}

function print({ kind, name, phase, tampering, volume }: Listed): string[] {
  switch (kind) {
    case 'network':
      return ['network'];
    case 'volume':
      return volume === undefined ? [] : [`volume ${volume}`];
    case 'workload':
      // Listings do not show other limits.
      return [`${tampering === undefined || tampering === 'limits' ? phase : tampering} ${name}`];
    // Without a network, a visit would find no objects of the deployment.
    case 'group':
      return [];
  }
}
