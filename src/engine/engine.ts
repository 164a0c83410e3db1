/**
 * The engine port: the operations that run containers, in Berth's own types. Every engine has the core and may lack
 * facets. Callers check for a facet, never for an engine. Contract suites (`test/contract/engine.ts`) test the core and
 * the facets of every engine.
 */

import type { Readable } from 'node:stream';
import type { Instant, PulledBytes } from '../deployment/deployment.ts';
import type { DiskUse } from '../deployment/disk/disk-levels.ts';
import type { Capacity } from '../deployment/limits/host-budget.ts';
import type { OwnImageLimits } from '../deployment/limits/pull-limits.ts';
import type { VolumeUse, WorkloadUse } from '../deployment/metrics/use.ts';
import type { EngineOperation, ImageRequest, ResolvedImage } from '../deployment/plan/operation.ts';
import type { Egress } from '../deployment/workload/egress.ts';
import type { PodTargets } from '../deployment/workload/pod-addresses.ts';
import type { Observed, ObservedWorkload, Tampering, WorkloadName } from '../deployment/workload/workload.ts';
import type { Exec } from './exec.ts';
import type { VolumeArchives, VolumeCopies } from './volume-facets.ts';

export type Engine = EngineCore & Partial<EngineFacets>;

export type EngineCore = {
  /** A unique id of the cluster; absent for engines of one machine. */
  readonly cluster?: string | undefined;
  /** Whether log lines contain their stream. */
  readonly separatesStreams: boolean;
  /** Whether a new volume starts with the image's content at its path. */
  readonly fillsVolumes: boolean;
  /** Resolves when the engine responds. Throws EngineFault if it refuses, or does not respond within two seconds. */
  ping(): Promise<void>;
  /**
   * Returns what exists for the deployment now, and which of `images` are on the host. An engine without the facet
   * `images` reports no images.
   */
  observe(deploymentId: string, images: string[]): Promise<Observed>;
  /**
   * Executes one operation; idempotent. A missing network is an error, an object that exists already is not. Throws
   * EngineFault. Without the facet `images`, a start also pulls its image, within `limits`.
   */
  execute(deploymentId: string, operation: EngineOperation, limits?: OwnImageLimits): Promise<void>;
  /** Returns the engine's image for a reference; undefined if it has no such image that tenants may run. */
  findImage(image: string): Promise<FoundImage | undefined>;
  /** Resolves when `observe` may return something other than `seen`, after `timeoutMs`, or at the abort. */
  change(deploymentId: string, seen: Observed, timeoutMs: number, signal: AbortSignal): Promise<void>;
  /** Calls back with the id of each deployment that changes on the engine. Ends at the abort. */
  watch(onChange: (deploymentId: string) => void, signal: AbortSignal): void;
  /** Returns the last lines of a workload's output, oldest first. Empty if the workload was removed. */
  logs(name: WorkloadName, wanted: LogsWanted): Promise<LogLine[]>;
  /**
   * Yields new lines of a workload, each once, across restarts. Ends when the workload has ended for good or was
   * removed, or at the abort. Throws if the engine becomes unavailable. The caller then continues from the mark of the
   * last line.
   */
  followLogs(name: WorkloadName, wanted: LogsFollowed, signal: AbortSignal): AsyncIterable<LogLine>;
  /** Returns the size of the host and its free disk space. After the first response, it needs no engine. */
  capacity(): Promise<Capacity>;
  /** Lists all objects on the engine with this installation's label. */
  listOwned(): Promise<Owned[]>;
  /** Removes one object that `listOwned` returned. A missing object is not an error. */
  removeOwned(owned: Owned): Promise<void>;
};

/** `isOperators`: an image that the operator offers to all users, without a registry. */
export type FoundImage = {
  /** Pinned, if the engine knows the digest. */
  reference: string;
  isOperators: boolean;
};

export type EngineFacets = {
  images: ImageStore;
  bases: BaseSource;
  disk: HostDisk;
  freezer: Freezer;
  isolation: Isolation;
  addresses: Addresses;
  podAddresses: PodAddresses;
  usage: UsageMeter;
  copies: VolumeCopies;
  archives: VolumeArchives;
  exec: Exec;
  /** For builders alone, on an engine without `exec`: their containers are removed after the build. */
  builderExec: Exec;
};

export type FacetName = keyof EngineFacets;

/** Returns a facet, for operations that are planned only if the engine has it. Throws if the facet is missing. */
export function facetOf<Name extends FacetName>(engine: Engine, name: Name): EngineFacets[Name] {
  const facets: Partial<EngineFacets> = engine;
  const facet = facets[name];
  if (!facet) throw new Error(`This engine has no facet "${name}".`);
  return facet;
}

/** The images of the single host that runs all workloads. */
export type ImageStore = {
  /** Pulls an image and returns the digest of its reference. Throws EngineFault. */
  pull(deploymentId: string, request: ImageRequest, pulling?: Pulling): Promise<ResolvedImage>;
  /** Returns all images of the host, including those that Berth did not pull. */
  list(): Promise<HostImage[]>;
  /** Returns an image of the host, as the base of a build. Undefined if tenants may not run it. */
  export(image: string): Promise<ExportedImage | undefined>;
  /** Removes an image with all its names. Returns false if a container uses it, or if it has a new name. */
  remove(image: HostImage): Promise<boolean>;
};

/** `id`: the digest of its configuration. `open`: starts a tar in the format of `docker save`. */
export type ExportedImage = { id: string; open(): Promise<Readable> };

/** Base images of builds, on an engine whose images are on nodes. */
export type BaseSource = {
  /** Returns an image of a registry that needs no login. Throws EngineFault. */
  find(image: string, signal: AbortSignal): Promise<ExportedImage>;
};

/** The host's disk, which all tenants share. */
export type HostDisk = {
  /**
   * Returns the disk use of running workloads and of all volumes of this installation, as far as it can be measured.
   */
  use(): Promise<DiskUse[]>;
  /**
   * Repairs volumes that became read-only because the host's disk was full. Their workloads are stopped and started
   * again, also if the repair fails. Needs free disk space.
   */
  mendVolumes(): Promise<RepairedVolume[]>;
};

/** Suspends processes without ending them: they keep memory and connections, and get no processor time. */
export type Freezer = {
  /** A workload that does not run, or is frozen already, is not an error. Throws EngineFault. */
  freeze(deploymentId: string, name: WorkloadName): Promise<void>;
  thaw(deploymentId: string, name: WorkloadName): Promise<void>;
};

/** Rules about what workloads may connect to. Without this facet, `observe` returns no egress. */
export type Isolation = {
  /** Applies to new connections. Open ones stay. Throws EngineFault if the deployment has no network. */
  setEgress(deploymentId: string, egress: Egress): Promise<void>;
};

/**
 * Addresses that the names of pods resolve to while workloads change. Without this facet `observe` has no `podTargets`.
 */
export type PodAddresses = {
  /**
   * Replaces the targets of all pod addresses of the deployment. Throws EngineFault if the deployment has no network.
   */
  set(deploymentId: string, targets: PodTargets): Promise<void>;
};

/** Addresses of workloads, on an engine that assigns them itself and may reassign a free address at once. */
export type Addresses = {
  /** New networks and workloads of the deployment do not get these addresses. Replaces the previous list. */
  holdBack(deploymentId: string, addresses: readonly string[]): void;
};

/** Resource usage of workloads, if the engine is on this machine and its kernel reports the usage. */
export type UsageMeter = {
  /** Returns the usage of running workloads. A workload that is starting or ending may be missing. */
  workloads(): Promise<WorkloadUse[]>;
  /** Volumes with a hard limit. */
  volumes(): Promise<VolumeUse[]>;
};

/** About the pull of an image. */
export type Pulling = {
  /** Called with 0..1, and with bytes if they are known. */
  progress?: (done: number, bytes?: PulledBytes) => void;
  /**
   * Cancels the wait: the promise rejects with the signal's reason. The pull continues for other callers of the same
   * image.
   */
  signal?: AbortSignal;
  /** Limits of the image; default: the limits of every image. An image that is already on the host is not checked. */
  limits?: OwnImageLimits;
};

/** `fault`: why the volume is not repaired. */
export type RepairedVolume = { deploymentId: string; volume: string; fault?: Error };

export type HostImage = {
  id: string;
  tags: string[];
  /** Pinned references. */
  digests: string[];
  /**
   * The full references by which it was pulled, such as `docker.io/library/nginx@sha256:…`. Empty if it did not pass
   * the gate.
   */
  brought: string[];
  /** Including layers that it shares with other images. */
  sizeBytes: number;
  /** Whether a container of any installation uses it, running or not. */
  isInUse: boolean;
};

/**
 * At most `tail` lines (an engine may return fewer), none older than `since` and none newer than `until`. `isPrevious`:
 * only lines from before the last start. `matches` selects lines among all stored lines.
 */
export type LogsWanted = {
  tail: number;
  since?: Instant | undefined;
  until?: Instant | undefined;
  isPrevious?: boolean;
  matches?: ((line: WrittenText) => boolean) | undefined;
  /** The caller no longer needs the lines. */
  signal?: AbortSignal;
};

/** Lines after a mark, or all stored lines; none older than `since`. */
export type LogsFollowed = { since?: Instant | undefined; after?: LogMark | undefined };

export type OutputStream = 'stdout' | 'stderr';

/** `stream`: absent on engines that store both streams as one. */
export type WrittenText = { text: string; stream?: OutputStream };

/** `at` is the time of the engine's clock; several lines may have the same time. */
export type LogLine = WrittenText & { at: Instant; mark: LogMark };

/**
 * The position of a line in the output of its workload, in an engine-specific format. If a workload was removed and
 * created again under the same name, all its lines are after every mark of the previous one.
 */
export type LogMark = string;

export type Owned = {
  /** A group is the empty control group or namespace of a deployment. */
  kind: 'workload' | 'volume' | 'network' | 'group';
  /** The engine's own handle: an id or a name. */
  id: string;
  name: string;
  deploymentId: string;
  /** The phase of a workload, as in `observe`. */
  phase?: ObservedWorkload['phase'];
  /** The tampering of a workload, as far as a listing shows it. */
  tampering?: Tampering;
  /** The name of a volume in `observe`. */
  volume?: string;
  /** The revision of a workload. */
  revision?: number;
  /** The epoch of the store at creation; undefined if the engine does not record it. */
  epoch?: number;
};

/** Faults of an engine, by what to do about them. */
export type FaultKind =
  | 'image-not-found'
  | 'image-access-denied'
  | 'image-wrong-architecture'
  | 'registry-unreachable'
  | 'bad-request'
  /** The workload of a command does not run. */
  | 'not-running'
  | 'unavailable';

/** Faults that end a try and are reported to the owner at once. Other faults are first retried with backoff. */
const endingTry: ReadonlySet<FaultKind> = new Set([
  'image-not-found',
  'image-access-denied',
  'image-wrong-architecture',
  'registry-unreachable',
  'bad-request',
]);

export { whenItAnswers } from '../images/image-fault.ts';

/** Thrown by engines. `message` is for the owner of the deployment and contains no secret. */
export class EngineFault extends Error {
  readonly kind: FaultKind;
  /** How the owner can fix it. */
  readonly hint: string | undefined;
  /** The reference of the image, if the fault is about one. */
  readonly image: string | undefined;
  /** The affected pods, if they are known; the message does not name them. */
  readonly pods: readonly string[];

  constructor(
    kind: FaultKind,
    message: string,
    options: ErrorOptions & { hint?: string; image?: string; pods?: readonly string[] } = {},
  ) {
    super(message, options);
    this.name = 'EngineFault';
    this.kind = kind;
    this.hint = options.hint;
    this.image = options.image;
    this.pods = options.pods ?? [];
  }

  get endsTry(): boolean {
    return endingTry.has(this.kind);
  }
}
