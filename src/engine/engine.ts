/**
 * The engine port: what Berth asks of the thing that runs containers, in Berth's own types. A core that every engine
 * has, and facets that one may lack: whoever asks for one looks whether it is there, never which engine it is. Contract
 * suites (`test/contract/engine.ts`) hold every implementation to the core, and to those facets that it has.
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
  /** Which cluster it is, by an id that no other one has; absent on engines of one machine. */
  readonly cluster?: string | undefined;
  /** Whether lines are told with the stream that they were written to. */
  readonly tellsStreams: boolean;
  /** Whether a new volume begins with what the image of its pod has at its path. */
  readonly fillsVolumes: boolean;
  /** Resolves when the engine answers; throws EngineFault when it refuses, or has not answered after two seconds. */
  ping(): Promise<void>;
  /**
   * What exists for the deployment now; `images` are the references whose presence on the host is asked for, of which an
   * engine without the facet `images` says nothing.
   */
  observe(deploymentId: string, images: string[]): Promise<Observed>;
  /**
   * Executes one operation; idempotent. A network that is missing is an error, an object that exists already is not.
   * Throws EngineFault. Without the facet `images`, a start brings its image, which may have no more than `limits`.
   */
  execute(deploymentId: string, operation: EngineOperation, limits?: OwnImageLimits): Promise<void>;
  /** The image that a reference means on the engine; undefined where it has none that tenants may run. */
  findImage(image: string): Promise<FoundImage | undefined>;
  /** Resolves as soon as `observe` may answer something else than `seen`, after `timeoutMs`, or at the abort. */
  change(deploymentId: string, seen: Observed, timeoutMs: number, signal: AbortSignal): Promise<void>;
  /** Calls back with the id of a deployment of ours whenever something of it changed on the engine. Ends at the abort. */
  watch(onChange: (deploymentId: string) => void, signal: AbortSignal): void;
  /** The last lines of a workload's output, in the order in which it wrote them; [] when it is gone. */
  logs(name: WorkloadName, wanted: LogsWanted): Promise<LogLine[]>;
  /**
   * Its lines as they come, each once, through all of its restarts, until it has ended and nobody restarts it, it is
   * gone, or the signal aborts. Throws when the engine goes away: who goes on names the mark of the last line.
   */
  followLogs(name: WorkloadName, wanted: LogsFollowed, signal: AbortSignal): AsyncIterable<LogLine>;
  /** How large the host is, and how full its disk. Once it has answered, it answers without the engine too. */
  capacity(): Promise<Capacity>;
  /** Everything on the engine that carries this installation's label. */
  listOwned(): Promise<Owned[]>;
  /** Removes one object that `listOwned` returned; one that is gone already is no error. */
  removeOwned(owned: Owned): Promise<void>;
};

/** `isOperators`: of it no registry is asked, and it is for everybody. */
export type FoundImage = {
  /** Pinned, where the engine knows by which digest. */
  reference: string;
  isOperators: boolean;
};

export type EngineFacets = {
  images: ImageStore;
  disk: HostDisk;
  isolation: Isolation;
  addresses: Addresses;
  podAddresses: PodAddresses;
  usage: UsageMeter;
  copies: VolumeCopies;
  archives: VolumeArchives;
  exec: Exec;
};

export type FacetName = keyof EngineFacets;

/** For operations that are planned only where the engine has what they need. Throws when it has not. */
export function facetOf<Name extends FacetName>(engine: Engine, name: Name): EngineFacets[Name] {
  const facets: Partial<EngineFacets> = engine;
  const facet = facets[name];
  if (!facet) throw new Error(`This engine has no facet "${name}".`);
  return facet;
}

/** The images of the one host that runs everything. */
export type ImageStore = {
  /** Brings an image here; answers what its reference means. Throws EngineFault. */
  pull(deploymentId: string, request: ImageRequest, pulling?: Pulling): Promise<ResolvedImage>;
  /** All images of the host, whoever brought them there. */
  list(): Promise<HostImage[]>;
  /** An image of the host, for builds on top of it. Undefined if tenants may not run such an image. */
  export(image: string): Promise<ExportedImage | undefined>;
  /** Removes an image by all its names; false when something runs from it, or it has got another name. */
  remove(image: HostImage): Promise<boolean>;
};

/** `id`: the digest of its configuration. `open`: starts a tar in the format of `docker save`. */
export type ExportedImage = { id: string; open(): Promise<Readable> };

/** The disk that everybody shares, where somebody has to look after it. */
export type HostDisk = {
  /** What workloads that have not ended and all volumes of this installation hold of it, as far as that can be seen. */
  use(): Promise<DiskUse[]>;
  /**
   * Mends volumes that cannot be written any more since the host's disk was full; who uses one is stopped and started
   * again, also where that fails. Needs room on the disk.
   */
  mendVolumes(): Promise<MendedVolume[]>;
};

/** Rules around workloads: what they may reach. Without this facet `observe` tells of no egress. */
export type Isolation = {
  /** From now on; connections that are there stay. Throws EngineFault when the deployment has no network. */
  setEgress(deploymentId: string, egress: Egress): Promise<void>;
};

/** Addresses that the names of pods resolve to while workloads change. Without this facet `observe` has no `podTargets`. */
export type PodAddresses = {
  /** Replaces what all pod addresses of the deployment lead to. Throws EngineFault when the deployment has no network. */
  set(deploymentId: string, targets: PodTargets): Promise<void>;
};

/** The addresses of workloads, where the engine chooses them itself, and could give one to somebody else at once. */
export type Addresses = {
  /** From now on, no network and no workload that is made for the deployment gets one of these, instead of those before. */
  holdBack(deploymentId: string, addresses: readonly string[]): void;
};

/** What workloads use, where the engine's machine is this one and its kernel can be asked. */
export type UsageMeter = {
  /** Those that run now; one that starts or ends in this instant may be missing. */
  workloads(): Promise<WorkloadUse[]>;
  /** Volumes with a hard limit. */
  volumes(): Promise<VolumeUse[]>;
};

/** About the pull of an image. */
export type Pulling = {
  /** Called with 0..1, and with bytes where they are known. */
  progress?: (done: number, bytes?: PulledBytes) => void;
  /** Gives it up: rejects with the signal's reason. It goes on for others who wait for the same image. */
  signal?: AbortSignal;
  /** What the image may have; default: what any may. One that is here already has cost what it costs. */
  limits?: OwnImageLimits;
};

/** `fault`: why it is not mended. */
export type MendedVolume = { deploymentId: string; volume: string; fault?: Error };

export type HostImage = {
  id: string;
  tags: string[];
  /** Pinned references. */
  digests: string[];
  /** What it was brought as, in full: `docker.io/library/nginx@sha256:…`; none for an image that did not pass the gate. */
  brought: string[];
  /** With layers that other images have too. */
  sizeBytes: number;
  /** A container was made from it, of whichever installation, running or not. */
  isInUse: boolean;
};

/**
 * At most `tail` lines (the engine may give fewer), none older than `since` and none newer than `until`; `isPrevious`:
 * of those only what was written before its last start. With `matches` those that it says yes to, of all that are kept.
 */
export type LogsWanted = {
  tail: number;
  since?: Instant | undefined;
  until?: Instant | undefined;
  isPrevious?: boolean;
  matches?: ((line: WrittenText) => boolean) | undefined;
  /** Nobody waits for them any more: what is answered then does not matter. */
  signal?: AbortSignal;
};

/** Those that come after a mark, or all that there are; none older than `since`. */
export type LogsFollowed = { since?: Instant | undefined; after?: LogMark | undefined };

export type OutputStream = 'stdout' | 'stderr';

/** `stream`: absent on engines that keep both as one. */
export type WrittenText = { text: string; stream?: OutputStream };

/** `at` is told by the engine's clock; several lines may have the same. */
export type LogLine = WrittenText & { at: Instant; mark: LogMark };

/**
 * Where a line is in what its workload wrote: the engine's own words, of no meaning elsewhere. One that was removed and
 * made again under its name has written nothing before: all its lines are after any mark of the former.
 */
export type LogMark = string;

export type Owned = {
  /** A group is what held the things of a deployment together, and is empty: a control group, a namespace. */
  kind: 'workload' | 'volume' | 'network' | 'group';
  /** The engine's own handle: an id or a name. */
  id: string;
  name: string;
  deploymentId: string;
  /** Of a workload, as `observe` tells it. */
  phase?: ObservedWorkload['phase'];
  /** Likewise, as far as a listing shows it. */
  tampering?: Tampering;
  /** Of a volume that `observe` tells of, its name there. */
  volume?: string;
  /** Of a workload. */
  revision?: number;
  /** The epoch of the store at creation; undefined if the engine does not record it. */
  epoch?: number;
};

/** What can go wrong on an engine, sorted by what to do about it. */
export type FaultKind =
  | 'image-not-found'
  | 'image-access-denied'
  | 'image-wrong-architecture'
  | 'registry-unreachable'
  | 'bad-request'
  /** Of a command: the workload that it is for. */
  | 'not-running'
  | 'unavailable';

/** Faults that end a try and are told to the owner at once; the others are retried with back-off first. */
const endingTry: ReadonlySet<FaultKind> = new Set([
  'image-not-found',
  'image-access-denied',
  'image-wrong-architecture',
  'registry-unreachable',
  'bad-request',
]);

export { whenItAnswers } from '../images/image-fault.ts';

/** Thrown by engines. `message` is in words for the owner of the deployment and holds no secret. */
export class EngineFault extends Error {
  readonly kind: FaultKind;
  /** What its owner can do about it. */
  readonly hint: string | undefined;
  /** The reference that it is about. */
  readonly image: string | undefined;
  /** The pods that it is about, where that is known; the message does not name them. */
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
