/** Workloads: what an engine is asked to run, and what it says about them. Engine-neutral values only. */
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

/** `berth-<deployment>-<pod>-<revision>-<replica>`, and `-r<n>` after a restart that was asked for: deterministic, so that a second create is "already exists". */
export type WorkloadName = string;

/** One replica of one pod of one revision, with everything resolved. */
export type Workload = {
  name: WorkloadName;
  pod: string;
  revision: number;
  replica: number;
  /** Hash of all that follows: an equal fingerprint means that a running workload may stay as it is. */
  fingerprint: string;
  image: string;
  registryLogin?: RegistryLogin;
  /** What it calls itself; default: its pod's name. */
  hostname?: string;
  entrypoint?: string[];
  command?: string[];
  workingDir?: string;
  user?: string;
  env: Record<string, string>;
  files: (FileAccess & { path: string; content: string })[];
  volumes: { volume: string; mountPath: string }[];
  ports: number[];
  /** Names by which the other pods of the deployment reach it. */
  aliases: string[];
  resources: { requests: Resources; limits: Resources };
  useGPU: boolean;
  /** Absent where it is as for everybody. */
  container?: ContainerOptions;
  readiness: Readiness;
  /** Fingerprints of the pods in `restartsWith`; absent if there are none. */
  restartsWith?: string[];
  /** How often its owner has had its pod restarted; absent where never. */
  restart?: number;
  /** It builds images of the deployment, and may create user namespaces for that. No configuration can set this. */
  buildsImages?: true;
  /** Of its deployment's plan; absent where the engine's own holds. Not in the fingerprint: another plan restarts nothing. */
  runtime?: PodRuntime;
};

/** The kernel of the machine (runc), or gVisor (runsc). */
export type PodRuntime = 'runc' | 'runsc';

/** What the other pods of a deployment find of a workload, whether it runs yet or not. */
export type Neighbour = Pick<Workload, 'pod' | 'replica' | 'aliases' | 'ports'>;

export type Readiness = Condition & {
  /** It is also ready, and is not restarted, after it has exited with 0. */
  mayEnd?: true;
};

type Condition =
  /** `host`: what the request calls the site; default: `localhost` with the port. */
  | ({ kind: 'http'; host?: string } & HttpCheck)
  /** A program in the container, which ends with 0. */
  | ({ kind: 'command' } & CommandCheck)
  /** The image's own HEALTHCHECK where it has one and it is not ignored, else a TCP connection to the port. */
  | ({ kind: 'port'; port: number } & DefaultCheckOptions)
  /** A worker without ports: the image's own HEALTHCHECK where it has one and it is not ignored, else that it runs. */
  | ({ kind: 'running' } & DefaultCheckOptions)
  /** A job: that it has exited with 0. It is not restarted after that. */
  | { kind: 'exit' };

type DefaultCheckOptions = { ignoresImage?: true } & Partial<StartPatience>;

/** What exists for one deployment, as the engine sees it now. */
export type Observed = {
  hasNetwork: boolean;
  /** What its network lets out, as `printEgress` says it; absent where the engine does not see to that. */
  egress?: string;
  /** Names as in `Workload.volumes`: those whose content is there, or that a workload could be given now. */
  volumes: string[];
  /** Of those with a hard limit, how many bytes fit into each; 0 while it is not complete. */
  volumeSizes?: Record<string, number>;
  /** Of those asked for; absent where the engine has no store of images, and whoever starts brings its image. */
  images?: ObservedImages;
  /** Targets of the pod addresses; absent if the engine has Services of its own, or no firewall. */
  podTargets?: PodTargets;
  workloads: ObservedWorkload[];
};

export type ObservedImages = {
  /** Those that are on the host. */
  present: string[];
  /** Those of them that no registry knows, because they were built or loaded here: there is nobody to ask about them. */
  local: string[];
};

/**
 * What somebody changed about a workload behind our back, that the engine keeps. Starting the workload again takes it
 * back. `limits`: of memory and processor, or when the engine restarts it.
 */
export type Tampering = 'paused' | 'off-network' | 'on-other-network' | 'limits';

export type ObservedWorkload = {
  name: WorkloadName;
  pod: string;
  revision: number;
  replica: number;
  fingerprint: string;
  /** `evicted`: it was removed for what it held of the disk, and stays so; no engine says this. */
  phase: 'created' | 'running' | 'exited' | 'evicted';
  isReady: boolean;
  tampering?: Tampering;
  /** Where the edge and the other pods reach it; absent while it has none. */
  address?: string;
  /** Times the engine has restarted it after an exit. */
  restarts: number;
  /** In words, e.g. `does not listen on port 3000`; absent when ready. */
  notReadyBecause?: string;
  /** What its owner can do about that. */
  hint?: string;
  /** What its health check answered at the last try that was answered, and not well: the beginning of the body. */
  healthCheckBody?: string;
  /** How it ended the last time, whatever it does now; absent when it never has, or nobody knows how. */
  lastExit?: LastExit;
  stuck?: Stuck;
};

/**
 * It runs, was never ready since its start, and does something else: its health check is answered, and not well; it
 * listens, and not where it should. `since`: from then on it has done nothing but that.
 */
export type Stuck =
  | { by: 'health-check'; since: Instant }
  /** `open`: the ports on which others could reach it. */
  | { by: 'listening'; since: Instant; open?: number[] };
