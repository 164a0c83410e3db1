/** Made from the description of the API by `npm run client`; a test holds it against the description. */

export type Account = {
  id: string;
  name: string;
  email: string;
  isEmailVerified: boolean;
  /** Whether the account has a password to sign in with. */
  hasPassword: boolean;
  tier: {
    name: string;
    deployments: number;
    /** Bytes. */
    memory: number;
    reservations: boolean;
    /** null: deployments do not expire. */
    lifetimeMinutes: number | null;
  };
  usage: {
    deployments: number;
    /** Bytes. */
    memory: number;
  };
};

/** A change to the configuration that fixes the problem. */
export type Advice = {
  kind: 'use-port';
  pod: string;
  /** The port that the pod listens on. */
  listensOn: number;
  /** The port of the configuration. */
  declared: number;
};

export type Application = {
  /** The session token. Prefer `Authorization: Bearer`. */
  sessionToken?: string;
  /** Name of the application. */
  applicationName: string;
  /** The environment. Required if an account has two applications of one name. */
  environment?: string;
};

export type Claimed = {
  message: string;
  applicationName: string;
  environment: string;
  url: string;
  /** Every deployment of the session. All of these now belong to the account. */
  attached: {
    applicationName: string;
    environment: string;
    url: string;
  }[];
  /** Whether the session token has ended. Otherwise, all its holders can still manage these deployments. */
  tokenEnded: boolean;
};

export type ClaimView = {
  applicationName: string;
  environment: string;
  url: string;
  pods: {
    name: string;
    state: string;
  }[];
  /** Absent if the deployment does not expire. */
  expiresAt?: string;
  /** Names of the other deployments of the session. The claim attaches these too. */
  alsoAttached: string[];
  /** Everything that the claim attaches, the deployment of the link first. */
  attached: {
    applicationName: string;
    environment: string;
    url: string;
    createdAt: string;
    /** Absent if the deployment does not expire. */
    expiresAt?: string;
    pods: {
      name: string;
      state: string;
    }[];
  }[];
  /** Whether the deployment already belongs to the signed-in account. */
  isYours: boolean;
};

/** The current state of the deployment. */
export type Deployment = {
  applicationName: string;
  environment: string;
  url: string;
  status: DeploymentStatus;
  createdAt: string;
  /** Absent when it does not expire. */
  expiresAt?: string;
  extend: Extend;
  claim: {
    claimed: boolean;
  };
  reservation: {
    /** Whether the deployment keeps running past its time limit. */
    held: boolean;
  };
  /** The time until which an ended deployment can be restored. */
  restorableUntil?: string;
  /** Names the unknown query parameters, which were ignored. */
  warnings?: string[];
};

export type DeploymentStatus = {
  state: 'deploying' | 'running' | 'failed' | 'expired';
  progress: number;
  /** More precise than `state`. `degraded`: a pod keeps restarting or is not ready. `serving`: an update has failed, and an earlier revision serves. `stopped`: the owner has stopped the deployment. `asleep`: it is not used; the next request wakes it up. */
  health: 'deploying' | 'running' | 'degraded' | 'serving' | 'failed' | 'stopped' | 'asleep' | 'expired';
  /** Why the deployment failed, or its current problem. */
  message?: string;
  advice?: Advice;
  /** The revision that was requested last. */
  revision: number;
  /** The last revision that became ready; absent until the first is ready. */
  servingRevision?: number;
  /** The last log lines of the pod that failed, restarted, or is not ready, without known secrets. A repeated line appears once, with its count, such as `×3`. */
  lastLines?: string[];
  pods?: Pod[];
  /** Present if the deployment sleeps, or has slept. */
  sleep?: {
    /** Absent while it is awake. */
    since?: string;
    /** How often a request has woken it up. */
    wakes: number;
    /** How long the last wake took. */
    wokeInMs?: number;
  };
  /** Volumes that are almost full, and pods that were stopped because of their disk use. */
  disk?: {
    at: string;
    message: string;
    volume?: string;
    level?: 'nearly full' | 'full';
    /** How full the volume was at that time. */
    percent?: number;
    /** The pod that was stopped. */
    pod?: string;
  }[];
  /** Why the address is not available over HTTPS yet, or soon will not be. Absent without a problem. */
  certificate?: {
    /** `ordered`: arrives within seconds. `limit`: the authority issues none before `until`. `failed`: the next request is at `until`. `late`: not renewed, expires at `until`. */
    because: 'ordered' | 'limit' | 'failed' | 'late';
    until?: string;
    message: string;
  };
};

export type Diagnostic = {
  /** An error rejects the configuration. A note is informational and requires no change. */
  severity: 'error' | 'warning' | 'note';
  /** Stable and machine-readable. */
  code: string;
  path: string;
  line: number;
  column: number;
  message: string;
  hint?: string;
  /** Replaces the range from `from` up to `to` (offsets in UTF-16 code units) with `text`. */
  fix?: {
    from: number;
    to: number;
    text: string;
  };
};

/** A custom domain of a deployment. */
export type Domain = {
  domain: string;
  url: string;
  /** `pending`: not proven. `verified`: proven, but DNS does not point here. `certifying`: DNS points here, but the certificate is not issued yet. `failing`: served, but the proof is gone. `released`: the domain was lost. */
  state: 'pending' | 'verified' | 'certifying' | 'live' | 'failing' | 'released';
  /** Why the domain is not live. */
  reason?: string;
  /** The domain that visitors are sent to. */
  redirectTo?: string;
  /** The DNS records to set. A registered (apex) domain cannot have a CNAME record, so it has address records. */
  records: {
    type: 'TXT' | 'CNAME' | 'A' | 'AAAA';
    name: string;
    value: string;
  }[];
  addedAt: string;
  verifiedAt?: string;
  checkedAt?: string;
  nextCheckAt?: string;
  /** When the domain is lost unless its proof is found before, or when it was lost. */
  releasedAt?: string;
};

/** With `dryRun=true`: the service would accept the request. Nothing was changed. */
export type DryRun = {
  message: string;
  applicationName: string;
  dryRun: true;
  /** For source code: how it is built. */
  source?: {
    /** The complete configuration that was read from the source. */
    document: string;
    /** The files that the service writes, because the source has no Dockerfile or configuration. */
    written: {
      name: string;
      content: string;
    }[];
  };
  /** Warnings about the accepted request. */
  warnings: string[];
  /** The warnings and notes about the configuration, as structured values. */
  diagnostics: Diagnostic[];
};

export type Error = {
  error: string;
  /** One of the codes in `/docs/reference/errors.md`. */
  code?: string;
  hint?: string;
  errors?: string[];
  diagnostics?: Diagnostic[];
};

export type ErrorWithChallenge = {
  error: string;
  /** One of the codes in `/docs/reference/errors.md`. */
  code?: string;
  hint?: string;
  errors?: string[];
  diagnostics?: Diagnostic[];
  /** With `proof_of_work_required`: the challenge that the header Berth-Proof-Of-Work must solve. */
  challenge?: unknown;
};

export type Extend = {
  available: boolean;
  /** Absent when it does not expire. */
  expiresAt?: string;
  remaining: number;
};

export type Key = {
  id: string;
  name: string;
  /** The first characters of the key. */
  start: string;
  createdAt: string;
  lastUsedAt?: string;
};

/** The limits of the caller and the current use. */
export type Limits = {
  /** The plan of the account; null without one. */
  plan: string | null;
  /** Active deployments of the account, or from this address. */
  deployments: {
    used: number;
    most: number;
  };
  /** Active deployments of this session. Only without an account. */
  sessionDeployments?: {
    used: number;
    most: number;
  };
  /** Memory reserved for these deployments, in bytes. */
  memory: {
    used: number;
    most: number;
  };
  /** All replicas of all pods of these deployments. */
  containers: {
    used: number;
    most: number;
  };
  /** Volumes of these deployments. */
  volumes: {
    used: number;
    most: number;
  };
  /** GPUs of these deployments; each container with `useGPU` has one. */
  gpus: {
    used: number;
    most: number;
  };
  /** Containers of this session. Only without an account. */
  sessionContainers?: {
    used: number;
    most: number;
  };
  /** Volumes of this session. Only without an account. */
  sessionVolumes?: {
    used: number;
    most: number;
  };
  /** The maximum for one deployment. */
  deployment: {
    containers: number;
    volumes: number;
  };
  /** null: deployments do not expire. */
  lifetimeMinutes: number | null;
  /** The number of extensions of each deployment without an account. */
  extensions: number;
  extensionMinutes: number;
  /** Whether POST /addDeploymentReservation is allowed. */
  reservations: boolean;
  /** Whether POST /execInPod is allowed in the deployments that count towards these limits. */
  exec: boolean;
  rates: {
    starts: {
      most: number;
      perSeconds: number;
    };
    /** For each address and for each token. The header RateLimit contains the rest. */
    requests: {
      most: number;
      perSeconds: number;
    };
  };
  /** The largest configuration. */
  configurationBytes: number;
  /** Properties of pushed images. */
  images: {
    /** The prefix of the names of all images that the caller pushes. */
    namespace?: string;
    /** The platform that images must support, such as `linux/amd64`. */
    platform: string;
    /** Whether new volumes start with the files that the image has at their paths. */
    fillsVolumes: boolean;
  };
};

/** Links to the next actions. They do not contain the token: send it as `Authorization: Bearer <sessionToken>`. */
export type Links = {
  /** GET: responds when the deployment runs, has failed, or has ended. */
  status: string;
  /** GET: each step as it happens (server-sent events). */
  events: string;
  /** GET: the logs of the pods. */
  logs: string;
  /** POST a corrected or newer configuration. */
  update: string;
  /** POST `{ "applicationName" }`: returns a link to claim the deployment. Absent if it is claimed. */
  claim?: string;
  /** The dashboard page of the deployment. */
  dashboard?: string;
};

/** A sentence that describes the result. */
export type Message = {
  message: string;
  /** Names the unknown query parameters, which were ignored. */
  warnings?: string[];
};

export type Notifications = {
  /** `failed`: a revision failed. `expiring`: a deployment is about to expire. `domain`: a custom domain is about to be lost, was lost or has no certificate. `snapshot`: a snapshot failed. */
  mail: ('failed' | 'expiring' | 'domain' | 'snapshot')[];
  webhook?: {
    url: string;
    /** `failed`: a revision failed. `expiring`: a deployment is about to expire. `domain`: a custom domain is about to be lost, was lost or has no certificate. `snapshot`: a snapshot failed. */
    kinds: ('failed' | 'expiring' | 'domain' | 'snapshot')[];
    /** The number of consecutive notifications that the webhook did not accept. */
    failures: number;
    /** When the webhook was disabled after repeated failures. */
    disabledAt?: string;
    /** The result of the last attempt. */
    answer?: string;
    triedAt?: string;
  };
};

export type OutlinedPod = {
  name: string;
  image: string;
  /** Public paths; empty for an internal pod. */
  paths: string[];
  ports: number[];
  /** Pods that this pod refers to or waits for. */
  uses: string[];
  volumes: {
    name: string;
    size: string;
    mountPath: string;
  }[];
  resourceType: 'deployment' | 'statefulset' | 'daemonset' | 'job';
  replicas: number;
};

export type Pod = {
  name: string;
  /** `degraded`: the pod is ready but keeps restarting, or it was ready and its check now fails. */
  state: 'waiting' | 'starting' | 'ready' | 'degraded' | 'failed';
  /** The reason why the pod waits, or its problem. */
  message?: string;
  /** The downloaded part and the total size of its image, during the download. */
  pulling?: {
    doneBytes: number;
    totalBytes: number;
  };
  /** The first 500 bytes of the response to the failing health check. Untrusted text. */
  healthCheckBody?: string;
  /** The image, with its digest once it is resolved. */
  image: string;
  /** The revision that it was started for. */
  revision: number;
  /** The number of restarts after an exit. */
  restarts: number;
  /** How the pod last ended, regardless of its current state. */
  lastExit?: {
    code: number;
    /** A phrase such as `exited with code 3`. */
    reason: string;
    /** How to fix the problem. */
    hint?: string;
    at: string;
  };
};

export type PodChange = {
  name: string;
  /** `replaced`: the new pod is ready before the old pod is removed. `restarted`: the old pod stops first. Containers keep running if the pod is `scaled`, `grown`, or `rerouted`. */
  change: 'added' | 'removed' | 'unchanged' | 'replaced' | 'restarted' | 'scaled' | 'grown' | 'rerouted';
  /** Whether the pod keeps its stored data. */
  keepsData: boolean;
  volumes: {
    title: string;
    /** `new`: the volume is created empty. `left`: the pod no longer uses the volume, whose data stays. */
    change: 'kept' | 'grown' | 'new' | 'left';
    sizeBytes: number;
    fromBytes?: number;
  }[];
  because: string;
  /** Unexpected effects, such as a password that an existing database ignores. */
  warnings: {
    code: string;
    message: string;
    hint?: string;
  }[];
};

/** A deployment of the session. */
export type Reservation = {
  applicationName: string;
  environment: string;
  url: string;
  status: Status;
  createdAt: string;
  /** Absent when it does not expire. */
  expiresAt?: string;
};

export type Restore = {
  id: string;
  /** `asked`: the data is being fetched. `filled`: the data has arrived and is about to be put in place. */
  state: 'asked' | 'filled' | 'done' | 'failed';
  /** The ID of the restored snapshot. */
  snapshot: string;
  /** The deployment was started with this data, as a new deployment. */
  isBeside: boolean;
  /** The snapshot of the data before the restore. */
  before?: string;
  /** The fetched part of the data, in percent. */
  progress?: number;
  volumes: string[];
  createdAt: string;
  /** When the restore was completed or abandoned. */
  finishedAt?: string;
  /** Why the last attempt failed. */
  problem?: string;
};

/** Confirms the request. */
export type Run = {
  message: string;
  /** Names the unknown query parameters, which were ignored. */
  warnings?: string[];
  status: Status;
};

export type Session = {
  /** The session token. Prefer `Authorization: Bearer`. */
  sessionToken?: string;
};

/** The status of a shared deployment, without configuration, images, or logs. */
export type SharedStatus = {
  applicationName: string;
  url: string;
  state: 'deploying' | 'running' | 'failed' | 'expired';
  health: 'deploying' | 'running' | 'degraded' | 'serving' | 'failed' | 'stopped' | 'asleep' | 'expired';
  createdAt: string;
  /** Absent when it does not expire. */
  expiresAt?: string;
  pods: {
    name: string;
    state: 'waiting' | 'starting' | 'ready' | 'degraded' | 'failed';
  }[];
};

export type SignInMethods = {
  password: boolean;
  passkeys: boolean;
  providers: {
    id: string;
    name: string;
  }[];
  /** Whether the service verifies addresses and resets passwords by email. */
  sendsMail: boolean;
  /** Whether every visitor can create an account. */
  signUp: boolean;
};

export type Snapshot = {
  id: string;
  /** `asked`: the snapshot is waiting or in progress. */
  state: 'asked' | 'taken' | 'failed';
  /** The reason for the snapshot. */
  reason: 'asked' | 'schedule' | 'before-update' | 'before-restore';
  /** The revision of the deployment at that time. */
  revision: number;
  /** When the revision was requested. */
  createdAt: string;
  /** When the data was copied. */
  takenAt?: string;
  /** Volumes whose files the snapshot contains. */
  volumes: {
    /** The name in events and plans, such as `db-data`. */
    name: string;
    sizeBytes: number;
  }[];
  /** Databases that the snapshot contains as dumps. Redis saved its data to its files before the copy. */
  dumps: {
    pod: string;
    /** `mysql` includes MariaDB. `redis` includes Valkey and KeyDB. */
    kind: 'postgres' | 'mysql' | 'redis';
    /** Volumes of the pod that the snapshot contains only as a dump. Empty for `redis`, whose files it contains. */
    volumes: string[];
  }[];
  /** The size of the snapshot. */
  totalBytes?: number;
  /** The size of the data that no earlier snapshot contains. */
  addedBytes?: number;
  /** How long writes were paused, in milliseconds. */
  pausedMs?: number;
  /** Why the last attempt failed. */
  problem?: string;
};

/** The deployment, which is being started. */
export type Started = {
  message: string;
  url: string;
  sessionToken: string;
  applicationName: string;
  environment: string;
  status: Status;
  extend: Extend;
  claim: {
    claimed: boolean;
  };
  links: Links;
  domain?: Domain;
  subdomains?: Domain[];
  /** Warnings about the accepted request. */
  warnings: string[];
  /** The warnings and notes about the configuration, as structured values. */
  diagnostics: Diagnostic[];
};

export type Status = {
  state: 'deploying' | 'running' | 'failed' | 'expired';
  progress: number;
  /** More precise than `state`. `degraded`: a pod keeps restarting or is not ready. `serving`: an update has failed, and an earlier revision serves. `stopped`: the owner has stopped the deployment. `asleep`: it is not used; the next request wakes it up. */
  health: 'deploying' | 'running' | 'degraded' | 'serving' | 'failed' | 'stopped' | 'asleep' | 'expired';
  /** Why the deployment failed, or its current problem. */
  message?: string;
  advice?: Advice;
  /** The revision that was requested last. */
  revision: number;
  /** The last revision that became ready; absent until the first is ready. */
  servingRevision?: number;
  /** The last log lines of the pod that failed, restarted, or is not ready, without known secrets. A repeated line appears once, with its count, such as `×3`. */
  lastLines?: string[];
  pods?: Pod[];
  /** Present if the deployment sleeps, or has slept. */
  sleep?: {
    /** Absent while it is awake. */
    since?: string;
    /** How often a request has woken it up. */
    wakes: number;
    /** How long the last wake took. */
    wokeInMs?: number;
  };
};

/** The new revision, which is being deployed to the same URL. */
export type Updated = {
  message: string;
  url: string;
  status: Status;
  links: Links;
  domain?: Domain;
  subdomains?: Domain[];
  /** Warnings about the accepted request. */
  warnings: string[];
  /** The warnings and notes about the configuration, as structured values. */
  diagnostics: Diagnostic[];
};

/** The `data` of a server-sent event. Future versions may add kinds: show the `message` of kinds that you do not know. */
export type Event =
  | IntentEvent
  | OperationEvent
  | ProgressEvent
  | PodEvent
  | StateEvent
  | FaultEvent
  | DiskEvent
  | LifetimeEvent
  | SnapshotEvent
  | BuildEvent
  | SleepEvent
  | ForgottenEvent;

export type EventToldFields = {
  /** The event as a sentence. */
  message: string;
  /** The number of the event. A repeated event keeps its number. */
  number: number;
  /** How many times the event has happened. */
  count: number;
  firstAt: string;
  at: string;
};

export type IntentEvent = (
  | {
      kind: 'intent';
      intent: 'start' | 'update' | 'restore' | 'start-application';
      revision: number;
    }
  | {
      kind: 'intent';
      intent: 'extend' | 'claim' | 'hold' | 'end-hold' | 'stop-application' | 'unsuspend';
    }
  | {
      kind: 'intent';
      intent: 'change-plan';
      plan: string;
    }
  | {
      kind: 'intent';
      intent: 'remove';
      because: 'asked' | 'account-deleted';
    }
  | {
      kind: 'intent';
      intent: 'restore-snapshot';
      snapshot: string;
      volumes: string[];
    }
  | {
      kind: 'intent';
      intent: 'restart-pod';
      revision: number;
      pod: string;
    }
  | {
      kind: 'intent';
      intent: 'suspend' | 'stop';
      /** The operator's words. */
      because: string;
    }
) &
  EventToldFields;

export type OperationEvent = (
  | {
      kind: 'operation';
      operation: 'create-network';
      because: string;
    }
  | {
      kind: 'operation';
      operation: 'set-egress';
      because: string;
      egress: string;
    }
  | {
      kind: 'operation';
      operation: 'set-pod-targets';
      because: string;
      targets: string;
    }
  | {
      kind: 'operation';
      operation: 'create-volume';
      because: string;
      volume: string;
      sizeBytes: number;
    }
  | {
      kind: 'operation';
      operation: 'grow-volume';
      because: string;
      volume: string;
      sizeBytes: number;
    }
  | {
      kind: 'operation';
      operation: 'check';
      because: string;
      images: string[];
    }
  | {
      kind: 'operation';
      operation: 'pull';
      because: string;
      image: string;
    }
  | {
      kind: 'operation';
      operation: 'start' | 'stop' | 'freeze' | 'thaw' | 'remove';
      because: string;
      workload: string;
      pod: string;
      revision: number;
      replica: number;
    }
  | {
      kind: 'operation';
      operation: 'remove-volume';
      because: string;
      volume: string;
    }
  | {
      kind: 'operation';
      operation: 'swap-volumes';
      because: string;
      volumes: string[];
    }
  | {
      kind: 'operation';
      operation: 'remove-network';
      because: string;
    }
  | {
      kind: 'operation';
      operation: 'route';
      because: string;
      endpoints: {
        path: string;
        address: string;
        port: number;
        host?: string;
      }[];
      /** The revision that now serves completely. */
      revision?: number;
    }
  | {
      kind: 'operation';
      operation: 'drain';
      because: string;
      addresses: string[];
    }
) &
  EventToldFields;

export type ProgressEvent = {
  kind: 'progress';
  progress: number;
  /** The downloaded part of the images of pods, during the download. */
  pulling?: {
    pod: string;
    doneBytes: number;
    totalBytes: number;
  }[];
} & EventToldFields;

export type PodEvent = {
  kind: 'pod';
  pod: string;
  /** As in the status of the deployment. */
  state: string;
  /** Why the pod is not ready. */
  because?: string;
  /** The revision of the pod, if it is not the last requested one. */
  revision?: number;
} & EventToldFields;

export type StateEvent = (
  | {
      kind: 'state';
      state: 'running';
      revision: number;
    }
  | {
      kind: 'state';
      state: 'failed';
      /** The pod concerned; absent if all pods are concerned. */
      pods: string[];
      /** The problem. */
      because: string;
      /** How many times it has happened, as a phrase. */
      repeated?: string;
      /** How the owner can fix the problem. */
      hint?: string;
      /** A change to the configuration that fixes the problem. */
      advice?: {
        kind: 'use-port';
        pod: string;
        /** The port that the pod listens on. */
        port: number;
        /** The port of the configuration. */
        instead: number;
      };
      /** The earlier revision that still serves. */
      servingRevision?: number;
      /** The last log lines of the pod, without known secrets. */
      lastLines: string[];
    }
  | {
      kind: 'state';
      state: 'expired';
      because: 'removed' | 'expired';
      /** A date-time. Until then, its volumes are kept and the deployment can be restored. */
      restorableUntil?: string;
    }
) &
  EventToldFields;

export type FaultEvent = (
  | {
      kind: 'fault';
      fault: 'tried-again';
      /** The pod concerned; absent if all pods are concerned. */
      pods: string[];
      /** The problem. */
      because: string;
      /** How many times it has happened, as a phrase. */
      repeated?: string;
      /** How the owner can fix the problem. */
      hint?: string;
      /** A change to the configuration that fixes the problem. */
      advice?: {
        kind: 'use-port';
        pod: string;
        /** The port that the pod listens on. */
        port: number;
        /** The port of the configuration. */
        instead: number;
      };
    }
  | {
      kind: 'fault';
      fault: 'volume-lost';
      volume: string;
      title: string;
    }
  | {
      kind: 'fault';
      fault: 'registry-not-asked';
      image: string;
    }
) &
  EventToldFields;

export type DiskEvent = (
  | {
      kind: 'disk';
      disk: 'level';
      volume: string;
      /** The display name, such as `volume data of pod db`. */
      title: string;
      level: 'roomy' | 'nearly full' | 'full';
      percent: number;
      sizeBytes: number;
    }
  | {
      kind: 'disk';
      disk: 'kept-size';
      volume: string;
      /** The display name, such as `volume data of pod db`. */
      title: string;
      sizeBytes: number;
    }
  | {
      kind: 'disk';
      disk: 'mended';
      volume: string;
      /** The display name, such as `volume data of pod db`. */
      title: string;
    }
  | {
      kind: 'disk';
      disk: 'stopped';
      pod: string;
      because: string;
    }
) &
  EventToldFields;

export type LifetimeEvent = (
  | {
      kind: 'lifetime';
      lifetime: 'ends-soon';
      /** A date-time. */
      expiresAt: string;
    }
  | {
      kind: 'lifetime';
      lifetime: 'forgotten';
      /** The retention time ended, the owner requested it, the disk was nearly full, or the owner had too much retained data. */
      because: 'time' | 'asked' | 'room' | 'limit';
    }
) &
  EventToldFields;

export type SnapshotEvent = (
  | {
      kind: 'snapshot';
      snapshot: 'taken';
      id: string;
      reason: 'asked' | 'schedule' | 'before-update' | 'before-restore';
      totalBytes: number;
      pausedMs: number;
    }
  | {
      kind: 'snapshot';
      snapshot: 'failed';
      id: string;
      because: string;
      /** The service does not try again. */
      isOver: boolean;
    }
  | {
      kind: 'snapshot';
      snapshot: 'restored';
      id: string;
      volumes: string[];
    }
  | {
      kind: 'snapshot';
      snapshot: 'not-restored';
      id: string;
      because: string;
      /** The service does not try again; the data is unchanged. */
      isOver: boolean;
    }
) &
  EventToldFields;

export type BuildEvent = (
  | {
      kind: 'build';
      build: 'begun';
      revision: number;
      images: string[];
    }
  | {
      kind: 'build';
      build: 'image';
      revision: number;
      image: string;
      seconds: number;
    }
  | {
      kind: 'build';
      build: 'done';
      revision: number;
      seconds: number;
    }
  | {
      kind: 'build';
      build: 'failed';
      revision: number;
      image?: string;
      because: string;
    }
) &
  EventToldFields;

export type SleepEvent = {
  kind: 'sleep';
  sleep: 'frozen' | 'stopped' | 'awake';
} & EventToldFields;

export type ForgottenEvent = {
  kind: 'forgotten';
  /** The number of events, including repetitions. */
  events: number;
} & EventToldFields;

/** By `operationId`: the request and the responses. */
export type Operations = {
  /** Start a deployment. `/startUserDeployment` */
  startDeployment: {
    path: Record<never, never>;
    query: {
      sessionToken?: string;
      strict?: 'true' | 'false';
      dryRun?: 'true' | 'false';
      name?: string;
      git?: string;
      ref?: string;
      path?: string;
    };
    body: string;
    answer: Started | DryRun;
  };
  /** Start a deployment. `/startUserDeployment/{sessionToken}` */
  startDeploymentInSession: {
    path: {
      sessionToken: string;
    };
    query: {
      sessionToken?: string;
      strict?: 'true' | 'false';
      dryRun?: 'true' | 'false';
      name?: string;
      git?: string;
      ref?: string;
      path?: string;
    };
    body: string;
    answer: Started | DryRun;
  };
  /** Update a deployment. `/updateUserDeployment` */
  updateDeployment: {
    path: Record<never, never>;
    query: {
      sessionToken?: string;
      environment?: string;
      name?: string;
      git?: string;
      ref?: string;
      path?: string;
      strict?: 'true' | 'false';
      dryRun?: 'true' | 'false';
      snapshot?: 'true' | 'false';
    };
    body: string;
    answer: Updated | DryRun;
  };
  /** Update a deployment. `/updateUserDeployment/{sessionToken}` */
  updateDeploymentInSession: {
    path: {
      sessionToken: string;
    };
    query: {
      sessionToken?: string;
      environment?: string;
      name?: string;
      git?: string;
      ref?: string;
      path?: string;
      strict?: 'true' | 'false';
      dryRun?: 'true' | 'false';
      snapshot?: 'true' | 'false';
    };
    body: string;
    answer: Updated | DryRun;
  };
  /** Validate a configuration. `/validate` */
  validateConfig: {
    path: Record<never, never>;
    query: {
      sessionToken?: string;
      fix?: 'true' | 'false';
      images?: 'true' | 'false';
      strict?: 'true' | 'false';
    };
    body: string;
    answer: {
      valid: boolean;
      errors: string[];
      warnings: string[];
      diagnostics: Diagnostic[];
      /** Whether the server checked that the images exist. With `images=true`, it checks up to 20 images of a valid configuration. */
      images: 'checked' | 'not checked';
      /** With `fix=true`: the document with all certain fixes applied. */
      fixed?: string;
      /** The errors that `fixed` still has. */
      fixedErrors?: string[];
    };
  };
  /** Get the JSON Schema of the configuration. `/schema` */
  getConfigSchema: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: Record<string, unknown>;
  };
  /** List the application templates. `/getTemplates` */
  listTemplates: {
    path: Record<never, never>;
    query: {
      search?: string;
      tag?: string;
    };
    body: undefined;
    answer: {
      templates: {
        name: string;
        title: string;
        description: string;
        tags: string[];
        /** The first steps after the application runs. */
        next?: string;
        images: string[];
      }[];
      /** All tags of the templates, the most frequent first. */
      tags: string[];
    };
  };
  /** Get an application template with its configuration. `/getTemplate` */
  getTemplate: {
    path: Record<never, never>;
    query: {
      name: string;
    };
    body: undefined;
    answer: {
      name: string;
      title: string;
      description: string;
      tags: string[];
      /** The first steps after the application runs. */
      next?: string;
      images: string[];
      /** The configuration, which can be deployed with or without changes. */
      document: string;
    };
  };
  /** Fetch a configuration from an address. `/fetchDocument` */
  fetchDocument: {
    path: Record<never, never>;
    query: {
      from: string;
    };
    body: undefined;
    answer: {
      /** The final address, after redirects. */
      from: string;
      /** The text as the address returned it, without checks. */
      text: string;
    };
  };
  /** Make a session. `/createSession` */
  createSession: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: {
      message: string;
      /** The session token, returned only once. It is also the password for `docker login`. */
      sessionToken: string;
      /** The prefix of the names of its images, such as `berth.example.com/s0123456789abcdef`. */
      images: string;
      /** The time until which a deployment must be started with the token. */
      expiresAt: string;
    };
  };
  /** Extend a free deployment's lifetime. `/extendDeployment` */
  extendDeployment: {
    path: Record<never, never>;
    query: {
      sessionToken?: string;
      applicationName?: string;
      environment?: string;
    };
    body: Application;
    answer: string;
  };
  /** Bring back a deployment that has expired or was removed. `/restoreDeployment` */
  restoreDeployment: {
    path: Record<never, never>;
    query: {
      sessionToken?: string;
      applicationName?: string;
      environment?: string;
    };
    body: Application;
    answer: {
      message: string;
      applicationName: string;
      environment: string;
      url: string;
      status: DeploymentStatus;
      createdAt: string;
      /** Absent when it does not expire. */
      expiresAt?: string;
      extend: Extend;
      claim: {
        claimed: boolean;
      };
      reservation: {
        /** Whether the deployment keeps running past its time limit. */
        held: boolean;
      };
      /** The time until which an ended deployment can be restored. */
      restorableUntil?: string;
      /** Names the unknown query parameters, which were ignored. */
      warnings?: string[];
    };
  };
  /** Claim a deployment. `/claimDeployment` */
  claimDeployment: {
    path: Record<never, never>;
    query: {
      sessionToken?: string;
      applicationName?: string;
      environment?: string;
    };
    body: Application;
    answer: {
      message: string;
      claimUrl: string;
      claimToken: string;
    };
  };
  /** Stop all pods of an application, which keeps its address and its data. `/stopApplication` */
  stopApplication: {
    path: Record<never, never>;
    query: {
      sessionToken?: string;
      applicationName?: string;
      environment?: string;
    };
    body: Application;
    answer: Run;
  };
  /** Start an application that is stopped. `/startApplication` */
  startApplication: {
    path: Record<never, never>;
    query: {
      sessionToken?: string;
      applicationName?: string;
      environment?: string;
    };
    body: Application;
    answer: Run;
  };
  /** Restart a pod. `/restartPod` */
  restartPod: {
    path: Record<never, never>;
    query: {
      sessionToken?: string;
      applicationName?: string;
      environment?: string;
    };
    body: {
      /** The session token. Prefer `Authorization: Bearer`. */
      sessionToken?: string;
      /** Name of the application. */
      applicationName: string;
      /** The environment. Required if an account has two applications of one name. */
      environment?: string;
      /** Its name in the configuration. */
      pod: string;
    };
    answer: Run;
  };
  /** List reservations. `/getReservations` */
  listDeployments: {
    path: Record<never, never>;
    query: {
      sessionToken?: string;
    };
    body: undefined;
    answer: {
      reservedDeployments: Reservation[];
      /** Names the unknown query parameters, which were ignored. */
      warnings?: string[];
    };
  };
  /** Add a reservation (paid plan). `/addDeploymentReservation` */
  addDeploymentReservation: {
    path: Record<never, never>;
    query: {
      sessionToken?: string;
      applicationName?: string;
      environment?: string;
    };
    body: Application;
    answer: Message;
  };
  /** End the hold of a deployment, which keeps running until its time limit. `/releaseDeployment` */
  releaseDeployment: {
    path: Record<never, never>;
    query: {
      sessionToken?: string;
      applicationName?: string;
      environment?: string;
    };
    body: Application;
    answer: Message;
  };
  /** Remove a reservation and its site. `/removeDeploymentReservation` */
  removeDeploymentReservation: {
    path: Record<never, never>;
    query: {
      sessionToken?: string;
      applicationName?: string;
      environment?: string;
      forget?: boolean | 'true' | 'false';
    };
    body: {
      /** The session token. Prefer `Authorization: Bearer`. */
      sessionToken?: string;
      /** Name of the application. */
      applicationName: string;
      /** The environment. Required if an account has two applications of one name. */
      environment?: string;
      /** Whether to delete the data immediately. The deployment cannot be restored. */
      forget?: boolean | 'true' | 'false';
    };
    answer: {
      message: string;
      /** Names the unknown query parameters, which were ignored. */
      warnings?: string[];
      /** The time until which an ended deployment can be restored. */
      restorableUntil?: string;
    };
  };
  /** End the holds of all deployments of the session; deployments within their time limit keep running. `/removeReservations` */
  removeReservations: {
    path: Record<never, never>;
    query: {
      sessionToken?: string;
    };
    body: Session;
    answer: string;
  };
  /** Get the status of a deployment. `/getDeploymentStatus` */
  getDeploymentStatus: {
    path: Record<never, never>;
    query: {
      sessionToken?: string;
      applicationName: string;
      environment?: string;
      wait?: string;
    };
    body: undefined;
    answer: Deployment;
  };
  /** Read and follow the events of a deployment (server-sent events). `/getDeploymentEvents` */
  getDeploymentEvents: {
    path: Record<never, never>;
    query: {
      sessionToken?: string;
      applicationName: string;
      environment?: string;
      follow?: 'true' | 'false';
    };
    body: undefined;
    answer: string;
  };
  /** Get the pods of a deployment and their connections, without secrets. `/getDeploymentOutline` */
  getDeploymentOutline: {
    path: Record<never, never>;
    query: {
      sessionToken?: string;
      applicationName: string;
      environment?: string;
    };
    body: undefined;
    answer: {
      /** The described revision. Default: the last requested revision. */
      revision: number;
      /** The revision that serves; absent until the first revision is ready. */
      servingRevision?: number;
      pods: OutlinedPod[];
      /** Names the unknown query parameters, which were ignored. */
      warnings?: string[];
    };
  };
  /** Get the configuration of a deployment. `/getDeploymentConfiguration` */
  getDeploymentConfiguration: {
    path: Record<never, never>;
    query: {
      sessionToken?: string;
      applicationName: string;
      environment?: string;
      revision?: string;
    };
    body: undefined;
    answer: {
      /** The document as it was sent, including secrets. */
      yaml: string;
      /** The addresses at which the pods connect to the databases of the deployment. */
      databases: {
        pod: string;
        /** Includes the password. The database can be reached only from the pods of the deployment. */
        url: string;
      }[];
      /** The described revision. Default: the last requested revision. */
      revision: number;
      /** The revision that serves; absent until the first revision is ready. */
      servingRevision?: number;
      pods: OutlinedPod[];
      /** Names the unknown query parameters, which were ignored. */
      warnings?: string[];
    };
  };
  /** Preview what an update with this configuration would do to each pod. `/previewUserDeployment` */
  previewUpdate: {
    path: Record<never, never>;
    query: {
      sessionToken?: string;
      environment?: string;
      name?: string;
      git?: string;
      ref?: string;
      path?: string;
      strict?: 'true' | 'false';
    };
    body: string;
    answer: {
      pods: PodChange[];
      /** Public paths that are unavailable during the update. */
      interrupted: string[];
      /** Why the service would refuse the update now, for example because of too little free memory. */
      refusal?: {
        code: string;
        error: string;
        hint?: string;
        errors?: string[];
      };
      /** The revision that keeps serving if the update fails; absent if no revision serves. */
      servingRevision?: number;
      /** Warnings about the accepted request. */
      warnings: string[];
      /** The warnings and notes about the configuration, as structured values. */
      diagnostics: Diagnostic[];
    };
  };
  /** Get the revisions of a deployment with their authors, times, outcomes, and changes. `/getDeploymentRevisions` */
  getDeploymentRevisions: {
    path: Record<never, never>;
    query: {
      sessionToken?: string;
      applicationName: string;
      environment?: string;
    };
    body: undefined;
    answer: {
      /** The last 10, and the one that serves; the newest first. */
      revisions: {
        number: number;
        /** When the revision was requested. */
        createdAt: string;
        /** How the client was authenticated: with a session token, with an API key, or signed in. */
        askedBy: 'session' | 'api-key' | 'sign-in';
        /** The earlier revision whose document this revision repeats. */
        repeats?: number;
        /** The Git commit of its source; absent for another source. */
        commit?: {
          hash: string;
          /** The branch, the tag, or the hash that was requested or pushed. */
          ref: string;
          /** The name of the author. Untrusted text. */
          author: string;
          /** The first line of the message. Untrusted text. */
          subject: string;
        };
        /** `superseded`: another revision was requested before this one was ready, or its outcome was not recorded. */
        state: 'deploying' | 'running' | 'failed' | 'superseded';
        /** When the revision became ready or failed. */
        settledAt?: string;
        /** From `createdAt` to `settledAt`. */
        durationMs?: number;
        /** Whether it is the last requested revision. */
        isCurrent: boolean;
        /** Whether visitors reach this revision. */
        isServing: boolean;
        /** Changes of the pods compared with the previous revision; absent after that revision was deleted. */
        changes?: {
          added: string[];
          changed: string[];
          removed: string[];
        };
      }[];
      /** Names the unknown query parameters, which were ignored. */
      warnings?: string[];
    };
  };
  /** Go back to an earlier revision. `/rollbackUserDeployment` */
  rollbackDeployment: {
    path: Record<never, never>;
    query: {
      sessionToken?: string;
      applicationName?: string;
      environment?: string;
      dryRun?: 'true' | 'false';
    };
    body: {
      /** The session token. Prefer `Authorization: Bearer`. */
      sessionToken?: string;
      /** Name of the application. */
      applicationName: string;
      /** The environment. Required if an account has two applications of one name. */
      environment?: string;
      /** The revision to go back to. Default: the last revision before the current one that became ready. */
      revision?: number;
    };
    answer:
      | {
          message: string;
          url: string;
          status: Status;
          links: Links;
          domain?: Domain;
          subdomains?: Domain[];
          /** Warnings about the accepted request. */
          warnings: string[];
          /** The warnings and notes about the configuration, as structured values. */
          diagnostics: Diagnostic[];
          /** The number of the new revision; with `dryRun`, the number that it would get. */
          revision: number;
          /** The earlier revision whose document the new revision repeats. */
          repeats: number;
        }
      | {
          message: string;
          applicationName: string;
          dryRun: true;
          /** For source code: how it is built. */
          source?: {
            /** The complete configuration that was read from the source. */
            document: string;
            /** The files that the service writes, because the source has no Dockerfile or configuration. */
            written: {
              name: string;
              content: string;
            }[];
          };
          /** Warnings about the accepted request. */
          warnings: string[];
          /** The warnings and notes about the configuration, as structured values. */
          diagnostics: Diagnostic[];
          /** The number of the new revision; with `dryRun`, the number that it would get. */
          revision: number;
          /** The earlier revision whose document the new revision repeats. */
          repeats: number;
          pods: PodChange[];
          /** Public paths that are unavailable during the update. */
          interrupted: string[];
        };
  };
  /** Take a snapshot of the volumes of a deployment. `/createSnapshot` */
  createSnapshot: {
    path: Record<never, never>;
    query: {
      sessionToken?: string;
      applicationName?: string;
      environment?: string;
    };
    body: {
      /** The session token. Prefer `Authorization: Bearer`. */
      sessionToken?: string;
      /** Name of the application. */
      applicationName: string;
      /** The environment. Required if an account has two applications of one name. */
      environment?: string;
      /** Whether to store dumps of PostgreSQL, MySQL and MariaDB instead of the files of their volumes. Redis saves its data before the copy. */
      dump?: boolean;
    };
    answer: {
      message: string;
      snapshot: Snapshot;
      /** Names the unknown query parameters, which were ignored. */
      warnings?: string[];
    };
  };
  /** Get the snapshots and restores of a deployment. `/getSnapshots` */
  getSnapshots: {
    path: Record<never, never>;
    query: {
      sessionToken?: string;
      applicationName: string;
      environment?: string;
    };
    body: undefined;
    answer: {
      /** The newest first. */
      snapshots: Snapshot[];
      /** Completed and running restores into the deployment, the newest first. */
      restores: Restore[];
      /** The limits of the plan. */
      kept: {
        /** The maximum of requested snapshots, and also of scheduled snapshots. */
        count: number;
        /** The total size of all snapshots of an account. */
        bytes: number;
        /** The interval of scheduled snapshots. */
        everyHours?: number;
      };
      /** The settings of the owner. */
      wishes: {
        /** Whether to take a snapshot before updates of pods with volumes. */
        beforeUpdates: boolean;
      };
      /** Databases that a snapshot with `dump` can dump. */
      dumpable: {
        pod: string;
        /** `mysql` includes MariaDB. `redis` includes Valkey and KeyDB. */
        kind: 'postgres' | 'mysql' | 'redis';
      }[];
      /** Names the unknown query parameters, which were ignored. */
      warnings?: string[];
    };
  };
  /** Restore the data of a snapshot, in place or as a new deployment. `/restoreSnapshot` */
  restoreSnapshot: {
    path: Record<never, never>;
    query: {
      sessionToken?: string;
      applicationName?: string;
      environment?: string;
      dryRun?: 'true' | 'false';
    };
    body: {
      /** The session token. Prefer `Authorization: Bearer`. */
      sessionToken?: string;
      /** Name of the application. */
      applicationName: string;
      /** The environment. Required if an account has two applications of one name. */
      environment?: string;
      /** The `id` of a snapshot. */
      snapshot: string;
      /** Restore as a new deployment from the revision of the snapshot. The existing deployment does not change. */
      beside?: boolean;
      /** In place: skip the snapshot before the restore. The current data is then lost. */
      withoutSnapshot?: boolean;
      /** The volumes to restore. Default: all volumes of the snapshot that the deployment has. */
      volumes?: string[];
    };
    answer:
      | {
          message: string;
          restore: Restore;
          /** The new deployment, if the restore created one. */
          started?: {
            url: string;
            /** The token of the new session. It is returned once. */
            sessionToken: string;
            applicationName: string;
            environment: string;
            claimed: boolean;
          };
          /** Names the unknown query parameters, which were ignored. */
          warnings?: string[];
        }
      | {
          dryRun: true;
          message: string;
          snapshot: Snapshot;
          /** Volumes whose data would be restored. */
          volumes: string[];
          /** Volumes that would keep their data or, in a new deployment, be empty. */
          left: string[];
          /** Pods that would be stopped and started again. */
          stopped: string[];
          /** Names the unknown query parameters, which were ignored. */
          warnings?: string[];
        };
  };
  /** Set when snapshots of a deployment are taken. `/setSnapshotWishes` */
  setSnapshotWishes: {
    path: Record<never, never>;
    query: {
      sessionToken?: string;
      applicationName?: string;
      environment?: string;
    };
    body: {
      /** The session token. Prefer `Authorization: Bearer`. */
      sessionToken?: string;
      /** Name of the application. */
      applicationName: string;
      /** The environment. Required if an account has two applications of one name. */
      environment?: string;
      /** Whether to take a snapshot before updates of pods with volumes. */
      beforeUpdates?: boolean;
    };
    answer: {
      message: string;
      /** The settings of the owner. */
      wishes: {
        /** Whether to take a snapshot before updates of pods with volumes. */
        beforeUpdates: boolean;
      };
      /** Names the unknown query parameters, which were ignored. */
      warnings?: string[];
    };
  };
  /** Delete a snapshot. `/deleteSnapshot` */
  deleteSnapshot: {
    path: Record<never, never>;
    query: {
      sessionToken?: string;
      applicationName?: string;
      environment?: string;
    };
    body: {
      /** The session token. Prefer `Authorization: Bearer`. */
      sessionToken?: string;
      /** Name of the application. */
      applicationName: string;
      /** The environment. Required if an account has two applications of one name. */
      environment?: string;
      /** The `id` of a snapshot. */
      snapshot: string;
    };
    answer: {
      message: string;
      /** Names the unknown query parameters, which were ignored. */
      warnings?: string[];
    };
  };
  /** Read or follow the logs of the pods. `/getDeploymentLogs` */
  getDeploymentLogs: {
    path: Record<never, never>;
    query: {
      sessionToken?: string;
      applicationName: string;
      environment?: string;
      pod?: string;
      revision?: string;
      previous?: 'true' | 'false';
      tail?: string;
      since?: string;
      until?: string;
      search?: string;
      stream?: 'stdout' | 'stderr';
      build?: 'true' | 'false';
      colors?: 'true' | 'false';
      follow?: 'true' | 'false';
    };
    body: undefined;
    answer: string;
  };
  /** Run a command in a container of a pod. `/execInPod` */
  execInPod: {
    path: Record<never, never>;
    query: {
      sessionToken?: string;
      applicationName?: string;
      environment?: string;
    };
    body: {
      /** The session token. Prefer `Authorization: Bearer`. */
      sessionToken?: string;
      /** Name of the application. */
      applicationName: string;
      /** The environment. Required if an account has two applications of one name. */
      environment?: string;
      /** Its name in the configuration. */
      pod: string;
      /** The replica of the pod, starting at 0. Default: the first running replica. */
      replica?: number;
      /** A program of the image and its arguments. They do not go through a shell; `["sh", "-c", "ls *.sql"]` uses one. */
      command: string[];
      /** The standard input of the program. Default: empty. */
      stdin?: string;
      /** The time after which the program is ended. */
      timeoutSeconds?: number;
    };
    answer: {
      /** null: the program was ended, or its container has ended. */
      exitCode: number | null;
      /** `too-much-output`: the response contains the first 1 MiB. `given-up`: the service was about to stop. */
      ended: 'by-itself' | 'timed-out' | 'too-much-output' | 'given-up';
      /** Text; invalid bytes are replaced. Untrusted output. */
      stdout: string;
      stderr: string;
      replica: number;
    };
  };
  /** Get the resource use of the pods of a deployment and the requests to its site. `/getDeploymentMetrics` */
  getDeploymentMetrics: {
    path: Record<never, never>;
    query: {
      sessionToken?: string;
      applicationName: string;
      environment?: string;
      range?: 'hour' | 'day';
    };
    body: undefined;
    answer: {
      applicationName: string;
      environment: string;
      range: 'hour' | 'day';
      /** The time of the first step of each line. */
      from: string;
      stepSeconds: number;
      /** Why a measurement is missing. */
      message?: string;
      pods: {
        name: string;
        replica: number;
        /** The revision that it was started for. */
        revision?: number;
        /** The last start, including restarts. */
        startedAt?: string;
        /** The number of restarts after an exit. */
        restarts: number;
        /** How the pod last ended, regardless of its current state. */
        lastExit?: {
          code: number;
          /** A phrase such as `exited with code 3`. */
          reason: string;
          /** How to fix the problem. */
          hint?: string;
          at: string;
        };
        /** 1000 is one CPU; absent without a limit. */
        cpuLimitMillis?: number;
        /** Absent without a limit. */
        memoryLimitBytes?: number;
        /** At the last look; absent where it does not run any more. */
        now?: {
          /** 1000 is one CPU. */
          cpuMillis: number | null;
          /** Excludes file cache that the kernel can reclaim. */
          memoryBytes: number | null;
          /** Bytes received over the network. */
          receivedBytesPerSecond: number | null;
          /** Bytes sent over the network. */
          sentBytesPerSecond: number | null;
        };
        /** A value for each step; null without a measurement. */
        series: {
          cpuMillis: (number | null)[];
          memoryBytes: (number | null)[];
          receivedBytesPerSecond: (number | null)[];
          sentBytesPerSecond: (number | null)[];
        };
      }[];
      /** Volumes with a hard limit. */
      volumes: {
        name: string;
        usedBytes: number;
        /** Includes the overhead of the file system. */
        sizeBytes: number;
      }[];
      site: {
        /** Over the last minute. */
        now: {
          /** Requests that the edge forwarded to the application. */
          requestsPerSecond: number | null;
          /** Responses with status 400 to 499. */
          clientErrorsPerSecond: number | null;
          /** Responses with status 500 to 599, including those of the edge when no pod responded. */
          serverErrorsPerSecond: number | null;
          /** Median time to the first byte, in milliseconds. Estimated from counts within 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 10000 ms; slower responses count as the last of these. */
          p50Ms: number | null;
          /** 95th percentile of the time to the first byte, in milliseconds. */
          p95Ms: number | null;
        };
        /** A value for each step; null without a measurement. */
        series: {
          requestsPerSecond: (number | null)[];
          clientErrorsPerSecond: (number | null)[];
          serverErrorsPerSecond: (number | null)[];
          p50Ms: (number | null)[];
          p95Ms: (number | null)[];
        };
      };
      /** Names the unknown query parameters, which were ignored. */
      warnings?: string[];
    };
  };
  /** Export a deployment: configuration, data, and images as one tar. `/exportDeployment` */
  exportDeployment: {
    path: Record<never, never>;
    query: {
      sessionToken?: string;
      applicationName: string;
      environment?: string;
      volumes?: 'true' | 'false';
      secrets?: 'true' | 'false';
    };
    body: undefined;
    answer: string;
  };
  /** Get the deployments that a claim link would claim. `/api/claims/{token}` */
  getClaim: {
    path: {
      token: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: ClaimView;
  };
  /** Attach the deployment of a claim link, and its session, to the account that is signed in. `/claim/{token}` */
  confirmClaim: {
    path: {
      token: string;
    };
    query: Record<never, never>;
    body: {
      /** Whether the claim ends the session token. Otherwise, the token stays valid for all its holders. */
      endToken?: boolean;
      /** The list `attached` that the user has seen. The service refuses a claim that would attach other deployments. */
      urls?: string[];
    };
    answer: Claimed;
  };
  /** Get the share link of a deployment. `/getShareLink` */
  getShareLink: {
    path: Record<never, never>;
    query: {
      sessionToken?: string;
      applicationName: string;
      environment?: string;
    };
    body: undefined;
    answer: {
      /** Everyone with this link sees the status page. */
      url: string;
      createdAt: string;
    };
  };
  /** Create a share link: a page that shows the status of a deployment. `/shareDeployment` */
  shareDeployment: {
    path: Record<never, never>;
    query: {
      sessionToken?: string;
      applicationName?: string;
      environment?: string;
    };
    body: Application;
    answer: {
      /** Everyone with this link sees the status page. */
      url: string;
      createdAt: string;
    };
  };
  /** Revoke the share link of a deployment. `/unshareDeployment` */
  unshareDeployment: {
    path: Record<never, never>;
    query: {
      sessionToken?: string;
      applicationName?: string;
      environment?: string;
    };
    body: Application;
    answer: Message;
  };
  /** Get the status of a shared deployment. `/api/shared/{token}` */
  getSharedStatus: {
    path: {
      token: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: SharedStatus;
  };
  /** How people can sign in here. `/api/sign-in-methods` */
  getSignInMethods: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: SignInMethods;
  };
  /** The account of the caller, its plan and what it uses. `/api/account` */
  getAccount: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: Account;
  };
  /** Get the limits of the caller and the current use. `/api/limits` */
  getLimits: {
    path: Record<never, never>;
    query: {
      sessionToken?: string;
    };
    body: undefined;
    answer: Limits;
  };
  /** List the pushed images of the caller, the last used first. `/api/images` */
  listImages: {
    path: Record<never, never>;
    query: {
      sessionToken?: string;
    };
    body: undefined;
    answer: {
      /** At most 500. */
      images: {
        /** The name in a document, without a tag: `namespace/name`. */
        image: string;
        tags: string[];
        /** The size of all versions; each layer counts once. */
        sizeBytes: number;
        pushedAt: string;
        lastUsedAt: string;
      }[];
    };
  };
  /** The API keys of the account that is signed in. `/api/keys` */
  listKeys: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: {
      keys: Key[];
    };
  };
  /** Create an API key; the response is the only one that contains it. `/api/keys` */
  addKey: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: {
      name: string;
    };
    answer: {
      id: string;
      name: string;
      key: string;
    };
  };
  /** Revoke an API key. `/api/keys/{id}` */
  removeKey: {
    path: {
      id: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: Message;
  };
  /** List the browsers that are signed in to the account. `/api/sign-ins` */
  listSignIns: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: {
      signIns: {
        id: string;
        /** The name that the browser reports. Untrusted input. */
        userAgent: string;
        /** Whether this request uses the sign-in. */
        isThis: boolean;
        createdAt: string;
        expiresAt: string;
      }[];
    };
  };
  /** Sign out a browser. `/api/sign-ins/{id}` */
  removeSignIn: {
    path: {
      id: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: Message;
  };
  /** Get the notification settings of the account. `/api/notifications` */
  getNotifications: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: Notifications;
  };
  /** Change the notification settings of the account. `/api/notifications` */
  setNotifications: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: {
      /** `failed`: a revision failed. `expiring`: a deployment is about to expire. `domain`: a custom domain is about to be lost, was lost or has no certificate. `snapshot`: a snapshot failed. */
      mail?: ('failed' | 'expiring' | 'domain' | 'snapshot')[];
      webhook?: {
        /** An https address. */
        url: string;
        /** `failed`: a revision failed. `expiring`: a deployment is about to expire. `domain`: a custom domain is about to be lost, was lost or has no certificate. `snapshot`: a snapshot failed. */
        kinds: ('failed' | 'expiring' | 'domain' | 'snapshot')[];
      } | null;
    };
    answer: Notifications & {
      /** The secret that signs webhook calls. Returned once, for a new address. */
      secret?: string;
    };
  };
  /** Send a test to the webhook. `/api/notifications/test` */
  testNotifications: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: Message;
  };
  /** Request an API key that a person confirms in a browser. `/api/logins` */
  startLogin: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: {
      /** The name by which the person recognizes the requesting machine, such as `ada@laptop`. */
      machine: string;
    };
    answer: {
      /** The secret that fetches the key. */
      deviceCode: string;
      /** The code that the user enters on the page and compares. */
      userCode: string;
      /** The page where the person enters the code. */
      url: string;
      /** The same page with the code filled in. */
      urlWithCode: string;
      expiresAt: string;
      /** The number of seconds to wait between two requests for the key. */
      intervalSeconds: number;
    };
  };
  /** Get the client that requests an API key with a code. `/api/logins/{code}` */
  getLogin: {
    path: {
      code: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: {
      /** The name that the client gave itself. */
      machine: string;
      /** The address of the client. */
      address: string;
      /** Whether this request comes from the same address. */
      isFromYourAddress: boolean;
      createdAt: string;
      expiresAt: string;
    };
  };
  /** Confirm or refuse a request for an API key. `/api/logins/{code}` */
  decideLogin: {
    path: {
      code: string;
    };
    query: Record<never, never>;
    body: {
      decision: 'approved' | 'denied';
    };
    answer: Message;
  };
  /** Get the API key of a confirmed login. `/api/login-key` */
  fetchKey: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: {
      deviceCode: string;
    };
    answer: {
      id: string;
      name: string;
      key: string;
    };
  };
  /** List the session tokens of the signed-in account. `/api/tokens` */
  listTokens: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: {
      tokens: {
        id: string;
        /** The deployments that a holder of the token can manage. */
        applications: {
          applicationName: string;
          environment: string;
          url: string;
          /** Whether the deployment counts towards the plan. */
          claimed: boolean;
        }[];
        madeAt: string;
        /** An IP address. */
        madeFrom?: string;
        /** To the minute. */
        lastUsedAt?: string;
        /** An IP address. */
        lastUsedFrom?: string;
        /** When the token ended; absent while it is valid. */
        endedAt?: string;
        /** Deployments that the token starts. `free`: they expire. `plan`: they are claimed and count towards the plan. */
        starts: 'free' | 'plan';
      }[];
    };
  };
  /** Set the kind of deployments that a session token starts. `/api/tokens/{id}` */
  changeToken: {
    path: {
      id: string;
    };
    query: Record<never, never>;
    body: {
      /** Deployments that the token starts. `free`: they expire. `plan`: they are claimed and count towards the plan. */
      starts: 'free' | 'plan';
    };
    answer: Message;
  };
  /** End a session token. `/api/tokens/{id}` */
  endToken: {
    path: {
      id: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: Message;
  };
  /** Replace a session token; only this response contains the new token. `/api/tokens/{id}/replace` */
  replaceToken: {
    path: {
      id: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: {
      id: string;
      sessionToken: string;
    };
  };
  /** List the custom domains of a deployment. `/getDomains` */
  listDomains: {
    path: Record<never, never>;
    query: {
      sessionToken?: string;
      applicationName: string;
      environment?: string;
    };
    body: undefined;
    answer: {
      domains: Domain[];
    };
  };
  /** Add a custom domain to a claimed deployment. `/addDomain` */
  addDomain: {
    path: Record<never, never>;
    query: {
      sessionToken?: string;
      applicationName?: string;
      environment?: string;
    };
    body: {
      /** The session token. Prefer `Authorization: Bearer`. */
      sessionToken?: string;
      /** Name of the application. */
      applicationName: string;
      /** The environment. Required if an account has two applications of one name. */
      environment?: string;
      /** A name such as shop.example.com. */
      domain: string;
      /** Another domain of the deployment, to which visitors are sent on (308): `example.com` of `www.example.com`. */
      redirectTo?: string;
    };
    answer: {
      message: string;
      domain: Domain;
    };
  };
  /** Look a custom domain up now. `/checkDomain` */
  checkDomain: {
    path: Record<never, never>;
    query: {
      sessionToken?: string;
      applicationName?: string;
      environment?: string;
    };
    body: {
      /** The session token. Prefer `Authorization: Bearer`. */
      sessionToken?: string;
      /** Name of the application. */
      applicationName: string;
      /** The environment. Required if an account has two applications of one name. */
      environment?: string;
      /** A name such as shop.example.com. */
      domain: string;
    };
    answer: {
      message: string;
      domain: Domain;
    };
  };
  /** Remove a custom domain. `/removeDomain` */
  removeDomain: {
    path: Record<never, never>;
    query: {
      sessionToken?: string;
      applicationName?: string;
      environment?: string;
    };
    body: {
      /** The session token. Prefer `Authorization: Bearer`. */
      sessionToken?: string;
      /** Name of the application. */
      applicationName: string;
      /** The environment. Required if an account has two applications of one name. */
      environment?: string;
      /** A name such as shop.example.com. */
      domain: string;
    };
    answer: {
      message: string;
    };
  };
};

/** How each operation is sent. */
export const requests = {
  startDeployment: { method: 'POST', path: '/startUserDeployment', sends: 'yaml' },
  startDeploymentInSession: { method: 'POST', path: '/startUserDeployment/{sessionToken}', sends: 'yaml' },
  updateDeployment: { method: 'POST', path: '/updateUserDeployment', sends: 'yaml' },
  updateDeploymentInSession: { method: 'POST', path: '/updateUserDeployment/{sessionToken}', sends: 'yaml' },
  validateConfig: { method: 'POST', path: '/validate', sends: 'yaml' },
  getConfigSchema: { method: 'GET', path: '/schema', sends: 'nothing' },
  listTemplates: { method: 'GET', path: '/getTemplates', sends: 'nothing' },
  getTemplate: { method: 'GET', path: '/getTemplate', sends: 'nothing' },
  fetchDocument: { method: 'GET', path: '/fetchDocument', sends: 'nothing' },
  createSession: { method: 'POST', path: '/createSession', sends: 'nothing' },
  extendDeployment: { method: 'POST', path: '/extendDeployment', sends: 'json' },
  restoreDeployment: { method: 'POST', path: '/restoreDeployment', sends: 'json' },
  claimDeployment: { method: 'POST', path: '/claimDeployment', sends: 'json' },
  stopApplication: { method: 'POST', path: '/stopApplication', sends: 'json' },
  startApplication: { method: 'POST', path: '/startApplication', sends: 'json' },
  restartPod: { method: 'POST', path: '/restartPod', sends: 'json' },
  listDeployments: { method: 'GET', path: '/getReservations', sends: 'nothing' },
  addDeploymentReservation: { method: 'POST', path: '/addDeploymentReservation', sends: 'json' },
  releaseDeployment: { method: 'POST', path: '/releaseDeployment', sends: 'json' },
  removeDeploymentReservation: { method: 'POST', path: '/removeDeploymentReservation', sends: 'json' },
  removeReservations: { method: 'POST', path: '/removeReservations', sends: 'json' },
  getDeploymentStatus: { method: 'GET', path: '/getDeploymentStatus', sends: 'nothing' },
  getDeploymentEvents: { method: 'GET', path: '/getDeploymentEvents', sends: 'nothing' },
  getDeploymentOutline: { method: 'GET', path: '/getDeploymentOutline', sends: 'nothing' },
  getDeploymentConfiguration: { method: 'GET', path: '/getDeploymentConfiguration', sends: 'nothing' },
  previewUpdate: { method: 'POST', path: '/previewUserDeployment', sends: 'yaml' },
  getDeploymentRevisions: { method: 'GET', path: '/getDeploymentRevisions', sends: 'nothing' },
  rollbackDeployment: { method: 'POST', path: '/rollbackUserDeployment', sends: 'json' },
  createSnapshot: { method: 'POST', path: '/createSnapshot', sends: 'json' },
  getSnapshots: { method: 'GET', path: '/getSnapshots', sends: 'nothing' },
  restoreSnapshot: { method: 'POST', path: '/restoreSnapshot', sends: 'json' },
  setSnapshotWishes: { method: 'POST', path: '/setSnapshotWishes', sends: 'json' },
  deleteSnapshot: { method: 'POST', path: '/deleteSnapshot', sends: 'json' },
  getDeploymentLogs: { method: 'GET', path: '/getDeploymentLogs', sends: 'nothing' },
  execInPod: { method: 'POST', path: '/execInPod', sends: 'json' },
  getDeploymentMetrics: { method: 'GET', path: '/getDeploymentMetrics', sends: 'nothing' },
  exportDeployment: { method: 'GET', path: '/exportDeployment', sends: 'nothing' },
  getClaim: { method: 'GET', path: '/api/claims/{token}', sends: 'nothing' },
  confirmClaim: { method: 'POST', path: '/claim/{token}', sends: 'json' },
  getShareLink: { method: 'GET', path: '/getShareLink', sends: 'nothing' },
  shareDeployment: { method: 'POST', path: '/shareDeployment', sends: 'json' },
  unshareDeployment: { method: 'POST', path: '/unshareDeployment', sends: 'json' },
  getSharedStatus: { method: 'GET', path: '/api/shared/{token}', sends: 'nothing' },
  getSignInMethods: { method: 'GET', path: '/api/sign-in-methods', sends: 'nothing' },
  getAccount: { method: 'GET', path: '/api/account', sends: 'nothing' },
  getLimits: { method: 'GET', path: '/api/limits', sends: 'nothing' },
  listImages: { method: 'GET', path: '/api/images', sends: 'nothing' },
  listKeys: { method: 'GET', path: '/api/keys', sends: 'nothing' },
  addKey: { method: 'POST', path: '/api/keys', sends: 'json' },
  removeKey: { method: 'DELETE', path: '/api/keys/{id}', sends: 'nothing' },
  listSignIns: { method: 'GET', path: '/api/sign-ins', sends: 'nothing' },
  removeSignIn: { method: 'DELETE', path: '/api/sign-ins/{id}', sends: 'nothing' },
  getNotifications: { method: 'GET', path: '/api/notifications', sends: 'nothing' },
  setNotifications: { method: 'POST', path: '/api/notifications', sends: 'json' },
  testNotifications: { method: 'POST', path: '/api/notifications/test', sends: 'nothing' },
  startLogin: { method: 'POST', path: '/api/logins', sends: 'json' },
  getLogin: { method: 'GET', path: '/api/logins/{code}', sends: 'nothing' },
  decideLogin: { method: 'POST', path: '/api/logins/{code}', sends: 'json' },
  fetchKey: { method: 'POST', path: '/api/login-key', sends: 'json' },
  listTokens: { method: 'GET', path: '/api/tokens', sends: 'nothing' },
  changeToken: { method: 'POST', path: '/api/tokens/{id}', sends: 'json' },
  endToken: { method: 'DELETE', path: '/api/tokens/{id}', sends: 'nothing' },
  replaceToken: { method: 'POST', path: '/api/tokens/{id}/replace', sends: 'nothing' },
  listDomains: { method: 'GET', path: '/getDomains', sends: 'nothing' },
  addDomain: { method: 'POST', path: '/addDomain', sends: 'json' },
  checkDomain: { method: 'POST', path: '/checkDomain', sends: 'json' },
  removeDomain: { method: 'POST', path: '/removeDomain', sends: 'json' },
} as const;
