/** The normalized configuration: the content of one document after parsing. */
import { canonicalRegistry, registryOf } from '../values/image-names.ts';
import { replaceScriptlets } from '../variables/scriptlets.ts';

export type AppSpec = {
  name: string;
  /** A custom domain. It takes effect only once its owner has proven it. */
  url?: string;
  registryLogin?: RegistryLogin;
  /** False: a claimed deployment stays awake when it is not used. */
  sleep?: false;
  pods: PodSpec[];
};

export type RegistryLogin = { registry: string; username: string; personalAccessToken: string };

/** How the edge forwards requests for a public path. */
export type RouteOptions = {
  /** The pod receives the path without the prefix that is its route: `/api/users` as `/users`. */
  stripPrefix?: true;
  /** Requests of one client address go to the same replica while the set of replicas is unchanged. */
  sticky?: true;
};

export type PodSpec = RouteOptions & {
  name: string;
  image: string;
  /** Public route, without a trailing slash except for `/` itself; pods without one are internal. */
  path?: string;
  /** The first one is the port of the public route and of the default readiness check. */
  servicePorts: number[];
  /** Values may contain scriptlets such as `<% URL %>`, which are replaced when the deployment's host is known. */
  vars: Record<string, string>;
  entrypoint?: string[];
  command?: string[];
  /** Secret files and plain files alike. */
  files: FileSpec[];
  volumes: VolumeSpec[];
  resourceType: 'deployment' | 'statefulset' | 'daemonset' | 'job';
  replicas: number;
  resources: { requests: Resources; limits: Resources };
  healthCheck?: HealthCheck;
  useGPU: boolean;
  subdomain?: string;
  /** Pods that must be ready before this one starts. */
  dependsOn: string[];
  /** Pods from `dependsOn`. If one of them gets a new workload, this pod also gets a new one. */
  restartsWith?: string[];
  /** Additional names for other pods, such as the name of a service that is not a valid pod name. */
  aliases?: string[];
  /** Directory that the process starts in. Default: the image's. */
  workingDir?: string;
  /** User or `user:group` that the process runs as, by name or number. Default: the image's. */
  user?: string;
  /** Additional container options. Absent if none were requested. */
  container?: ContainerOptions;
};

/** Each of these is within its limits, and absent if it has the default. */
export type ContainerOptions = {
  /** An exit with code 0 is its end: it is not restarted after that, and counts as ready. */
  mayEnd?: true | undefined;
  /** The container's own host name; default: the name of its pod. */
  hostname?: string | undefined;
  domainname?: string | undefined;
  /** Size of /dev/shm. */
  shmBytes?: number | undefined;
  tmpfs?: TmpfsSpec[] | undefined;
  /** The container's own files can only be read. */
  readOnly?: true | undefined;
  /** The full name of the signal, such as `SIGQUIT`. */
  stopSignal?: string | undefined;
  /** Between that signal and the end. */
  stopGraceSeconds?: number | undefined;
  ulimits?: Record<string, Ulimit> | undefined;
  /** Additional groups of the user, by name or number. */
  groups?: string[] | undefined;
  /** Names with their addresses: public addresses, or the pod's own. */
  extraHosts?: Record<string, string> | undefined;
  /** Kernel settings of the container's own network. */
  sysctls?: Record<string, string> | undefined;
};

/** A directory in memory. `sizeBytes`: default half of the pod's memory; `mode`: default 1777. */
export type TmpfsSpec = {
  mountPath: string;
  sizeBytes?: number;
  mode?: string;
  user?: number;
  group?: number;
  isExecutable?: true;
};

export type Ulimit = { soft: number; hard: number };

export type FileSpec = FileAccess & { path: string; content: string; isSecret: boolean };

/** `mode`: default 644; `user` and `group`: default 0, by number. */
export type FileAccess = { mode?: string; user?: number; group?: number };

export type VolumeSpec = {
  name: string;
  sizeBytes: number;
  mountPath: string;
  /**
   * Whether the volume belongs to the application, so that all pods that name it share it. Otherwise it is the pod's
   * own.
   */
  isShared?: boolean;
};

export type Resources = { cpuMillis?: number; memoryBytes?: number };

export type HealthCheck = HttpCheck | CommandCheck | StartPatience | NoCheck;

/** A GET request that must return 2xx or 3xx. */
export type HttpCheck = CheckTimes & { path: string; port: number };

/** A command in the container that must exit with 0. No shell interprets it. */
export type CommandCheck = CheckTimes & { command: string[] };

/** No test: the default readiness check, whose failures in these seconds after the start do not count. */
export type StartPatience = { startPeriodSeconds: number };

/** Also disables the image's own HEALTHCHECK. The pod is ready when its first port is open, or when it runs. */
export type NoCheck = { disabled: true };

export type CheckTimes = {
  initialDelaySeconds: number;
  periodSeconds: number;
  timeoutSeconds: number;
  failureThreshold: number;
  /** Failures in these seconds after the start do not count. A success does. */
  startPeriodSeconds?: number;
};

/** Returns whether the health check defines its own test, and does not only change the default readiness check. */
export function hasTest(check: HealthCheck | undefined): check is HttpCheck | CommandCheck {
  return check !== undefined && ('path' in check || 'command' in check);
}

/** The edge has rules for prefixes of so many segments: HAProxy 2.6 cannot remove a prefix of a length that varies. */
export const maxStripped = 5;

/** The number of segments of a route's path: 0 for `/`, 2 for `/api/v1`. */
export function segmentsOf(path: string): number {
  return path.split('/').filter(Boolean).length;
}

/** The hosts of a pod: the deployment's own host, and names below the custom domain. Pure. */

/** A pod with a subdomain does not use the deployment's own host if another pod has the same path there. */
export function isAtOwnHost(pod: PodSpec, { pods }: Pick<AppSpec, 'pods'>): boolean {
  if (!isPublic(pod)) return false;
  if (pod.subdomain === undefined) return true;
  const rivals = pods.filter(({ path }) => path === pod.path);
  return rivals.every(({ subdomain }) => subdomain !== undefined) && rivals[0] === pod;
}

/** Returns the host name of a pod with a subdomain, which works once it is proven. */
export function subdomainOf({ url }: Pick<AppSpec, 'url'>, pod: PodSpec): string | undefined {
  if (url === undefined || pod.subdomain === undefined || !isPublic(pod)) return undefined;
  // Normalized like the stored names of domains.
  return `${pod.subdomain}.${url}`.toLowerCase().replace(/\.$/, '');
}

/** A job has ended before it could be visited. */
function isPublic({ path, resourceType }: PodSpec): boolean {
  return path !== undefined && resourceType !== 'job';
}

/**
 * The stored form of a normalized configuration. It contains its version, because later releases read it. Any change of
 * `AppSpec` other than a new optional field requires a new version, and `readSpec` converts the old one. `test/golden`
 * has a text of each version.
 */

const currentVersion = 1;

type Stored = { version: number; spec: AppSpec };

export function printSpec(spec: AppSpec): string {
  const stored: Stored = { version: currentVersion, spec };
  return JSON.stringify(stored);
}

/** @throws if a newer release wrote it. */
export function readSpec(text: string): AppSpec {
  const stored = JSON.parse(text) as Stored;
  if (stored.version > currentVersion)
    throw new Error(`This revision was stored by a newer release of Berth (format ${stored.version}).`);
  return stored.spec;
}

/** The images that a configuration pulls, and the login for each. */

/** The images of a configuration's pods, each once, with their registry. */
export function imagesOf({ pods, registryLogin }: AppSpec): string[] {
  const registry = registryLogin?.registry ?? '';
  const written = pods.map(({ image }) =>
    replaceScriptlets(image, ({ kind }) => (kind === 'registry' ? registry : '')),
  );
  return [...new Set(written.map((image) => image.replace(/^\//, '')))];
}

/** Returns the login if it is for the registry of this image. Credentials are not sent to other registries. */
export function loginFor(image: string, login: RegistryLogin | undefined): RegistryLogin | undefined {
  if (!login) return undefined;
  const host = login.registry.replace(/^[a-z]+:\/\//i, '').split('/')[0] ?? '';
  return canonicalRegistry(host) === registryOf(image) ? login : undefined;
}
