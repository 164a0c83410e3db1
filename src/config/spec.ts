/** The normalised configuration: what one document describes, after parsing and before anything runs. */

export type AppSpec = {
  name: string;
  /** A custom domain. It takes effect only once its owner has proven it. */
  url?: string;
  registryLogin?: RegistryLogin;
  pods: PodSpec[];
};

export type RegistryLogin = { registry: string; username: string; personalAccessToken: string };

export type PodSpec = {
  name: string;
  image: string;
  /** Public route, without a trailing slash except for `/` itself; pods without one are internal. */
  path?: string;
  /** The first one is the port of the public route and of the default readiness check. */
  servicePorts: number[];
  /** Values may hold scriptlets such as `<% URL %>`; they are replaced when the deployment's host is known. */
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
  /** Pods that must be ready before this one is started. */
  dependsOn: string[];
};

export type FileSpec = { path: string; content: string; isSecret: boolean };

export type VolumeSpec = { name: string; sizeBytes: number; mountPath: string };

export type Resources = { cpuMillis?: number; memoryBytes?: number };

export type HealthCheck = {
  path: string;
  port: number;
  initialDelaySeconds: number;
  periodSeconds: number;
  timeoutSeconds: number;
  failureThreshold: number;
};
