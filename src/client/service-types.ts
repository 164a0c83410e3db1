/** Made from the description of the API by `npm run client`; a test holds it against the description. */

export type Account = {
  id: string;
  name: string;
  email: string;
  isEmailVerified: boolean;
  /** Whether it can be signed in to with one. */
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

export type Application = {
  /** The session token; it may also come as `Authorization: Bearer`. */
  sessionToken?: string;
  /** Name of the application. */
  applicationName: string;
  /** The deployment's environment; needed where an account has two applications of one name. */
  environment?: string;
};

export type Claimed = {
  message: string;
  applicationName: string;
  environment: string;
  url: string;
  /** Every deployment of the session: all of them are the account’s from now on. */
  attached: {
    applicationName: string;
    environment: string;
    url: string;
  }[];
  /** Whether the session token has ended. Otherwise whoever has it goes on managing these deployments. */
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
  /** Absent when it does not expire. */
  expiresAt?: string;
  /** Names of the other deployments of its session, which the claim attaches too. */
  alsoAttached: string[];
  /** Everything that the claim attaches, the deployment of the link first. */
  attached: {
    applicationName: string;
    environment: string;
    url: string;
    createdAt: string;
    /** Absent when it does not expire. */
    expiresAt?: string;
    pods: {
      name: string;
      state: string;
    }[];
  }[];
  /** Whether it belongs already to the account that is signed in. */
  isYours: boolean;
};

/** The deployment as it is now. */
export type Deployment = {
  applicationName: string;
  environment: string;
  url: string;
  status: {
    state: 'deploying' | 'running' | 'failed' | 'expired';
    progress: number;
    /** The state, more exactly. `degraded`: it runs, and a pod keeps restarting or is not ready. `serving`: an update has failed, and an earlier revision serves. `stopped`: its owner has stopped it, and the state is that of before. */
    health: 'deploying' | 'running' | 'degraded' | 'serving' | 'failed' | 'stopped' | 'expired';
    /** Why it failed, or what is wrong, in words. */
    message?: string;
    /** A change of the configuration that mends it. */
    advice?: {
      kind: 'use-port';
      pod: string;
      /** The one that it listens on. */
      listensOn: number;
      /** The one of the configuration. */
      declared: number;
    };
    /** The one that was asked for last. */
    revision: number;
    /** The last one that became ready; absent before the first has. */
    servingRevision?: number;
    /** What the pod that made it fail wrote last, without known secrets; while it deploys and in the minutes after a restart, what the pod that is not ready or was restarted wrote, its previous run included. What repeats is there once; its first line ends with how often, e.g. `×3`. */
    lastLines?: string[];
    pods?: {
      name: string;
      /** `degraded`: it is ready, and keeps restarting; or it was ready, and its check fails since. */
      state: 'waiting' | 'starting' | 'ready' | 'degraded' | 'failed';
      /** What it waits for, or what is wrong with it. */
      message?: string;
      /** How much of its image has come of what has to, while it is on its way. */
      pulling?: {
        doneBytes: number;
        totalBytes: number;
      };
      /** The first 500 bytes of what its failing health check answered, without known secrets. Text of the application: not to be trusted. */
      healthCheckBody?: string;
      /** What it runs from, by digest once that is known; of an image that was pushed here, as its owner names it. */
      image: string;
      /** The one that it was started for. */
      revision: number;
      /** How often it was restarted after an exit. */
      restarts: number;
      /** How it last ended, whatever it is doing now. */
      lastExit?: {
        code: number;
        /** In words, e.g. `exited with code 3`. */
        reason: string;
        /** What can be done about it. */
        hint?: string;
        at: string;
      };
    }[];
    /** Volumes that are getting full, and pods stopped for what they wrote. */
    disk?: {
      at: string;
      message: string;
      volume?: string;
      level?: 'nearly full' | 'full';
      /** How full the volume was then. */
      percent?: number;
      /** The one that was stopped. */
      pod?: string;
    }[];
    /** What its address waits for before it can be reached by HTTPS, or that it soon cannot be any more. Absent when all is well. */
    certificate?: {
      /** `ordered`: it comes within seconds; `limit`: the authority issues no more before `until`; `failed`: it is asked again then; `late`: it has one, which ends then and was not renewed. */
      because: 'ordered' | 'limit' | 'failed' | 'late';
      until?: string;
      message: string;
    };
  };
  createdAt: string;
  /** Absent when it does not expire. */
  expiresAt?: string;
  extend: Extend;
  claim: {
    claimed: boolean;
  };
  reservation: {
    /** Whether it outlives its time limit. */
    held: boolean;
  };
  /** Of one that has ended: until then its volumes are kept, and `POST /restoreDeployment` brings it back. */
  restorableUntil?: string;
  /** Parameters of the query that are not known and were ignored. */
  warnings?: string[];
};

export type Diagnostic = {
  /** Errors refuse the configuration. A note says what happens, and asks for nothing. */
  severity: 'error' | 'warning' | 'note';
  /** Stable and machine-readable. */
  code: string;
  path: string;
  line: number;
  column: number;
  message: string;
  hint?: string;
  /** Replaces what stands from `from` up to `to`, offsets in UTF-16 units, by `text`. */
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
  /** `pending`: not proven. `verified`: proven, and it does not lead here. `certifying`: it leads here, and has no certificate yet. `failing`: it is served, and its proof is gone. `released`: it was lost. */
  state: 'pending' | 'verified' | 'certifying' | 'live' | 'failing' | 'released';
  /** Why it is not live, in words. */
  reason?: string;
  /** The domain that visitors are sent to. */
  redirectTo?: string;
  /** What to set in DNS. A domain that was bought as such cannot have a CNAME: it has addresses. */
  records: {
    type: 'TXT' | 'CNAME' | 'A' | 'AAAA';
    name: string;
    value: string;
  }[];
  addedAt: string;
  verifiedAt?: string;
  checkedAt?: string;
  nextCheckAt?: string;
  /** When it is lost unless its proof is found before, or was. */
  releasedAt?: string;
};

export type Error = {
  error: string;
  code?: string;
  hint?: string;
  errors?: string[];
  diagnostics?: Diagnostic[];
};

export type ErrorWithChallenge = {
  error: string;
  code?: string;
  hint?: string;
  errors?: string[];
  diagnostics?: Diagnostic[];
  /** With `proof_of_work_required`: what the header Berth-Proof-Of-Work has to solve. */
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
  /** What the key begins with. */
  start: string;
  createdAt: string;
  lastUsedAt?: string;
};

/** What the caller may have, and how much of it is used. */
export type Limits = {
  /** The plan of the account; null without one. */
  plan: string | null;
  /** Active ones: of the account, or from this address. */
  deployments: {
    used: number;
    most: number;
  };
  /** Without an account: active ones of this session. */
  sessionDeployments?: {
    used: number;
    most: number;
  };
  /** Bytes that these are promised. */
  memory: {
    used: number;
    most: number;
  };
  /** All replicas of all pods of these. */
  containers: {
    used: number;
    most: number;
  };
  /** Of these. */
  volumes: {
    used: number;
    most: number;
  };
  /** Of these; each container with `useGPU` has one. */
  gpus: {
    used: number;
    most: number;
  };
  /** Without an account: of this session. */
  sessionContainers?: {
    used: number;
    most: number;
  };
  /** Without an account: of this session. */
  sessionVolumes?: {
    used: number;
    most: number;
  };
  /** The most that one deployment may have. */
  deployment: {
    containers: number;
    volumes: number;
  };
  /** null: deployments do not expire. */
  lifetimeMinutes: number | null;
  /** How many each deployment without an account has. */
  extensions: number;
  extensionMinutes: number;
  /** Whether POST /addDeploymentReservation is allowed. */
  reservations: boolean;
  /** Whether POST /execInPod is allowed, in what counts towards these limits. */
  exec: boolean;
  rates: {
    starts: {
      most: number;
      perSeconds: number;
    };
    /** Of one address, and of one token; what is left is in the header RateLimit. */
    requests: {
      most: number;
      perSeconds: number;
    };
  };
  /** The largest configuration. */
  configurationBytes: number;
  /** Of images that are pushed here. */
  images: {
    /** The first part of the names of all images that the caller pushes. */
    namespace?: string;
    /** What images have to be for, such as `linux/amd64`. */
    platform: string;
    /** Whether new volumes begin with what an image has at their paths. */
    fillsVolumes: boolean;
  };
};

/** What can be done next. None has the token: send it as `Authorization: Bearer <sessionToken>`. */
export type Links = {
  /** GET: answers when it runs, has failed or has ended. */
  status: string;
  /** GET: every step as it comes (server-sent events). */
  events: string;
  /** GET: what the pods write. */
  logs: string;
  /** POST a corrected or newer configuration. */
  update: string;
  /** POST `{ "applicationName" }`: a link to keep it. Absent when it is. */
  claim?: string;
  /** A page for people. */
  dashboard?: string;
};

/** What was done. */
export type Message = {
  message: string;
  /** Parameters of the query that are not known and were ignored. */
  warnings?: string[];
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

export type Session = {
  /** The session token; it may also come as `Authorization: Bearer`. */
  sessionToken?: string;
};

/** How a shared deployment is doing. Nothing of its configuration, its images, its logs or its reasons. */
export type SharedStatus = {
  applicationName: string;
  url: string;
  state: 'deploying' | 'running' | 'failed' | 'expired';
  health: 'deploying' | 'running' | 'degraded' | 'serving' | 'failed' | 'stopped' | 'expired';
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
  /** Whether addresses are verified and passwords can be reset by mail. */
  sendsMail: boolean;
  /** Whether anybody may create an account. */
  signUp: boolean;
};

/** The deployment, on its way. */
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
  /** What is odd about the request, although it is accepted. */
  warnings: string[];
  /** The same of the configuration, as values, and notes. */
  diagnostics: Diagnostic[];
};

export type Status = {
  state: 'deploying' | 'running' | 'failed' | 'expired';
  progress: number;
  /** The state, more exactly. `degraded`: it runs, and a pod keeps restarting or is not ready. `serving`: an update has failed, and an earlier revision serves. `stopped`: its owner has stopped it, and the state is that of before. */
  health: 'deploying' | 'running' | 'degraded' | 'serving' | 'failed' | 'stopped' | 'expired';
  /** Why it failed, or what is wrong, in words. */
  message?: string;
  /** A change of the configuration that mends it. */
  advice?: {
    kind: 'use-port';
    pod: string;
    /** The one that it listens on. */
    listensOn: number;
    /** The one of the configuration. */
    declared: number;
  };
  /** The one that was asked for last. */
  revision: number;
  /** The last one that became ready; absent before the first has. */
  servingRevision?: number;
  /** What the pod that made it fail wrote last, without known secrets; while it deploys and in the minutes after a restart, what the pod that is not ready or was restarted wrote, its previous run included. What repeats is there once; its first line ends with how often, e.g. `×3`. */
  lastLines?: string[];
  pods?: {
    name: string;
    /** `degraded`: it is ready, and keeps restarting; or it was ready, and its check fails since. */
    state: 'waiting' | 'starting' | 'ready' | 'degraded' | 'failed';
    /** What it waits for, or what is wrong with it. */
    message?: string;
    /** How much of its image has come of what has to, while it is on its way. */
    pulling?: {
      doneBytes: number;
      totalBytes: number;
    };
    /** The first 500 bytes of what its failing health check answered, without known secrets. Text of the application: not to be trusted. */
    healthCheckBody?: string;
    /** What it runs from, by digest once that is known; of an image that was pushed here, as its owner names it. */
    image: string;
    /** The one that it was started for. */
    revision: number;
    /** How often it was restarted after an exit. */
    restarts: number;
    /** How it last ended, whatever it is doing now. */
    lastExit?: {
      code: number;
      /** In words, e.g. `exited with code 3`. */
      reason: string;
      /** What can be done about it. */
      hint?: string;
      at: string;
    };
  }[];
};

/** The new revision, on its way to the same URL. */
export type Updated = {
  message: string;
  url: string;
  status: Status;
  links: Links;
  domain?: Domain;
  subdomains?: Domain[];
  /** What is odd about the request, although it is accepted. */
  warnings: string[];
  /** The same of the configuration, as values, and notes. */
  diagnostics: Diagnostic[];
};

/** The `data` of a server-sent event. Kinds may be added: show the `message` of those that you do not know. */
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
  | ForgottenEvent;

export type EventToldFields = {
  /** The same as a sentence. */
  message: string;
  /** The event, also when it is told again. */
  number: number;
  /** How often it has happened. */
  count: number;
  firstAt: string;
  at: string;
};

export type IntentEvent = (
  | {
      kind: 'intent';
      intent: 'start';
      revision: number;
    }
  | {
      kind: 'intent';
      intent: 'update';
      revision: number;
    }
  | {
      kind: 'intent';
      intent: 'extend';
    }
  | {
      kind: 'intent';
      intent: 'claim';
    }
  | {
      kind: 'intent';
      intent: 'hold';
    }
  | {
      kind: 'intent';
      intent: 'end-hold';
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
      intent: 'restore';
      revision: number;
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
      intent: 'stop-application';
    }
  | {
      kind: 'intent';
      intent: 'start-application';
      revision: number;
    }
  | {
      kind: 'intent';
      intent: 'suspend';
      /** The operator's words. */
      because: string;
    }
  | {
      kind: 'intent';
      intent: 'unsuspend';
    }
  | {
      kind: 'intent';
      intent: 'stop';
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
      operation: 'start';
      because: string;
      workload: string;
      pod: string;
      revision: number;
      replica: number;
    }
  | {
      kind: 'operation';
      operation: 'stop';
      because: string;
      workload: string;
      pod: string;
      revision: number;
      replica: number;
    }
  | {
      kind: 'operation';
      operation: 'remove';
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
      /** Which then serves as a whole. */
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
  /** How much of the images of pods has come, while they are on their way. */
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
  /** What keeps it from being ready. */
  because?: string;
  /** What it runs, where that is not the revision that was asked for last. */
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
      /** Which it is about; none where it is about all of them. */
      pods: string[];
      /** What is wrong. */
      because: string;
      /** How often it has come to that, as words before it. */
      repeated?: string;
      /** What the deployment's owner can do. */
      hint?: string;
      /** A change of the configuration that mends it. */
      advice?: {
        kind: 'use-port';
        pod: string;
        /** The one that it listens on. */
        port: number;
        /** The one of the configuration. */
        instead: number;
      };
      /** The earlier one that still serves. */
      servingRevision?: number;
      /** What the pod wrote last, without known secrets. */
      lastLines: string[];
    }
  | {
      kind: 'state';
      state: 'expired';
      because: 'removed' | 'expired';
      /** A date-time: until then its volumes are kept, and it can be restored. */
      restorableUntil?: string;
    }
) &
  EventToldFields;

export type FaultEvent = (
  | {
      kind: 'fault';
      fault: 'tried-again';
      /** Which it is about; none where it is about all of them. */
      pods: string[];
      /** What is wrong. */
      because: string;
      /** How often it has come to that, as words before it. */
      repeated?: string;
      /** What the deployment's owner can do. */
      hint?: string;
      /** A change of the configuration that mends it. */
      advice?: {
        kind: 'use-port';
        pod: string;
        /** The one that it listens on. */
        port: number;
        /** The one of the configuration. */
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
      /** For people: `volume data of pod db`. */
      title: string;
      level: 'roomy' | 'nearly full' | 'full';
      percent: number;
      sizeBytes: number;
    }
  | {
      kind: 'disk';
      disk: 'kept-size';
      volume: string;
      /** For people: `volume data of pod db`. */
      title: string;
      sizeBytes: number;
    }
  | {
      kind: 'disk';
      disk: 'mended';
      volume: string;
      /** For people: `volume data of pod db`. */
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
      /** Its time was over, its owner wanted it, the disk was short, or too much was kept for one owner. */
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
      /** It is not tried again. */
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
      /** It is not tried again; the data is what it was. */
      isOver: boolean;
    }
) &
  EventToldFields;

export type ForgottenEvent = {
  kind: 'forgotten';
  /** How many, each as often as it has happened. */
  events: number;
} & EventToldFields;

/** By `operationId`: what is asked and what is answered. */
export type Operations = {
  /** Start a deployment. `/startUserDeployment` */
  startDeployment: {
    path: Record<never, never>;
    query: {
      sessionToken?: string;
      strict?: 'true' | 'false';
      dryRun?: 'true' | 'false';
    };
    body: string;
    answer:
      | Started
      | {
          message: string;
          applicationName: string;
          dryRun: true;
          /** What is odd about the request, although it is accepted. */
          warnings: string[];
          /** The same of the configuration, as values, and notes. */
          diagnostics: Diagnostic[];
        };
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
    };
    body: string;
    answer:
      | Started
      | {
          message: string;
          applicationName: string;
          dryRun: true;
          /** What is odd about the request, although it is accepted. */
          warnings: string[];
          /** The same of the configuration, as values, and notes. */
          diagnostics: Diagnostic[];
        };
  };
  /** Update a deployment. `/updateUserDeployment` */
  updateDeployment: {
    path: Record<never, never>;
    query: {
      sessionToken?: string;
      environment?: string;
      strict?: 'true' | 'false';
      dryRun?: 'true' | 'false';
      snapshot?: 'true' | 'false';
    };
    body: string;
    answer:
      | Updated
      | {
          message: string;
          applicationName: string;
          dryRun: true;
          /** What is odd about the request, although it is accepted. */
          warnings: string[];
          /** The same of the configuration, as values, and notes. */
          diagnostics: Diagnostic[];
        };
  };
  /** Update a deployment. `/updateUserDeployment/{sessionToken}` */
  updateDeploymentInSession: {
    path: {
      sessionToken: string;
    };
    query: {
      sessionToken?: string;
      environment?: string;
      strict?: 'true' | 'false';
      dryRun?: 'true' | 'false';
      snapshot?: 'true' | 'false';
    };
    body: string;
    answer:
      | Updated
      | {
          message: string;
          applicationName: string;
          dryRun: true;
          /** What is odd about the request, although it is accepted. */
          warnings: string[];
          /** The same of the configuration, as values, and notes. */
          diagnostics: Diagnostic[];
        };
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
      /** Whether the server looked for the images: with `images=true`, unless the configuration has other errors or more than 20 images, or the client is over its limit of image lookups. */
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
  /** Applications to start from. `/getTemplates` */
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
        /** What to do first once it runs. */
        next?: string;
        images: string[];
      }[];
      /** All that any template has, the most frequent first. */
      tags: string[];
    };
  };
  /** An application to start from, with its configuration. `/getTemplate` */
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
      /** What to do first once it runs. */
      next?: string;
      images: string[];
      /** The configuration, to be deployed as it is or changed first. */
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
      /** Where it came from, redirects followed. */
      from: string;
      /** As it was found there: nothing of it was checked. */
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
      /** Shown once: the password of `docker login`, and the key of what is started with it. */
      sessionToken: string;
      /** What the names of its images begin with, such as `berth.example.com/s0123456789abcdef`. */
      images: string;
      /** Until then something has to be started with the token. */
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
      status: {
        state: 'deploying' | 'running' | 'failed' | 'expired';
        progress: number;
        /** The state, more exactly. `degraded`: it runs, and a pod keeps restarting or is not ready. `serving`: an update has failed, and an earlier revision serves. `stopped`: its owner has stopped it, and the state is that of before. */
        health: 'deploying' | 'running' | 'degraded' | 'serving' | 'failed' | 'stopped' | 'expired';
        /** Why it failed, or what is wrong, in words. */
        message?: string;
        /** A change of the configuration that mends it. */
        advice?: {
          kind: 'use-port';
          pod: string;
          /** The one that it listens on. */
          listensOn: number;
          /** The one of the configuration. */
          declared: number;
        };
        /** The one that was asked for last. */
        revision: number;
        /** The last one that became ready; absent before the first has. */
        servingRevision?: number;
        /** What the pod that made it fail wrote last, without known secrets; while it deploys and in the minutes after a restart, what the pod that is not ready or was restarted wrote, its previous run included. What repeats is there once; its first line ends with how often, e.g. `×3`. */
        lastLines?: string[];
        pods?: {
          name: string;
          /** `degraded`: it is ready, and keeps restarting; or it was ready, and its check fails since. */
          state: 'waiting' | 'starting' | 'ready' | 'degraded' | 'failed';
          /** What it waits for, or what is wrong with it. */
          message?: string;
          /** How much of its image has come of what has to, while it is on its way. */
          pulling?: {
            doneBytes: number;
            totalBytes: number;
          };
          /** The first 500 bytes of what its failing health check answered, without known secrets. Text of the application: not to be trusted. */
          healthCheckBody?: string;
          /** What it runs from, by digest once that is known; of an image that was pushed here, as its owner names it. */
          image: string;
          /** The one that it was started for. */
          revision: number;
          /** How often it was restarted after an exit. */
          restarts: number;
          /** How it last ended, whatever it is doing now. */
          lastExit?: {
            code: number;
            /** In words, e.g. `exited with code 3`. */
            reason: string;
            /** What can be done about it. */
            hint?: string;
            at: string;
          };
        }[];
        /** Volumes that are getting full, and pods stopped for what they wrote. */
        disk?: {
          at: string;
          message: string;
          volume?: string;
          level?: 'nearly full' | 'full';
          /** How full the volume was then. */
          percent?: number;
          /** The one that was stopped. */
          pod?: string;
        }[];
        /** What its address waits for before it can be reached by HTTPS, or that it soon cannot be any more. Absent when all is well. */
        certificate?: {
          /** `ordered`: it comes within seconds; `limit`: the authority issues no more before `until`; `failed`: it is asked again then; `late`: it has one, which ends then and was not renewed. */
          because: 'ordered' | 'limit' | 'failed' | 'late';
          until?: string;
          message: string;
        };
      };
      createdAt: string;
      /** Absent when it does not expire. */
      expiresAt?: string;
      extend: Extend;
      claim: {
        claimed: boolean;
      };
      reservation: {
        /** Whether it outlives its time limit. */
        held: boolean;
      };
      /** Of one that has ended: until then its volumes are kept, and `POST /restoreDeployment` brings it back. */
      restorableUntil?: string;
      /** Parameters of the query that are not known and were ignored. */
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
    answer: {
      message: string;
      /** Parameters of the query that are not known and were ignored. */
      warnings?: string[];
      status: Status;
    };
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
    answer: {
      message: string;
      /** Parameters of the query that are not known and were ignored. */
      warnings?: string[];
      status: Status;
    };
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
      /** The session token; it may also come as `Authorization: Bearer`. */
      sessionToken?: string;
      /** Name of the application. */
      applicationName: string;
      /** The deployment's environment; needed where an account has two applications of one name. */
      environment?: string;
      /** Its name in the configuration. */
      pod: string;
    };
    answer: {
      message: string;
      /** Parameters of the query that are not known and were ignored. */
      warnings?: string[];
      status: Status;
    };
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
      /** Parameters of the query that are not known and were ignored. */
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
  /** End the hold of a deployment, which lives on until its time limit. `/releaseDeployment` */
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
      /** The session token; it may also come as `Authorization: Bearer`. */
      sessionToken?: string;
      /** Name of the application. */
      applicationName: string;
      /** The deployment's environment; needed where an account has two applications of one name. */
      environment?: string;
      /** Whether its data goes at once, also of one that has ended: nothing can be restored. */
      forget?: boolean | 'true' | 'false';
    };
    answer: {
      message: string;
      /** Parameters of the query that are not known and were ignored. */
      warnings?: string[];
      /** Of one that has ended: until then its volumes are kept, and `POST /restoreDeployment` brings it back. */
      restorableUntil?: string;
    };
  };
  /** End the holds of all deployments of the session; removes none that is within its time limit. `/removeReservations` */
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
  /** Get the pods of a deployment and how they hang together, without anything secret. `/getDeploymentOutline` */
  getDeploymentOutline: {
    path: Record<never, never>;
    query: {
      sessionToken?: string;
      applicationName: string;
      environment?: string;
    };
    body: undefined;
    answer: {
      /** The revision that is described here: the last one that was asked for, if none is named. */
      revision: number;
      /** The revision that serves; absent before the first one does. */
      servingRevision?: number;
      pods: {
        name: string;
        image: string;
        /** Public paths; empty for an internal pod. */
        paths: string[];
        ports: number[];
        /** Pods that it names or waits for. */
        uses: string[];
        volumes: {
          name: string;
          size: string;
          mountPath: string;
        }[];
        resourceType: 'deployment' | 'statefulset' | 'daemonset' | 'job';
        replicas: number;
      }[];
      /** Parameters of the query that are not known and were ignored. */
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
      /** The document as it was sent, secrets and all. */
      yaml: string;
      /** The addresses by which its pods connect to the databases among them. */
      databases: {
        pod: string;
        /** With its password. It is reached from the pods of the deployment alone. */
        url: string;
      }[];
      /** The revision that is described here: the last one that was asked for, if none is named. */
      revision: number;
      /** The revision that serves; absent before the first one does. */
      servingRevision?: number;
      pods: {
        name: string;
        image: string;
        /** Public paths; empty for an internal pod. */
        paths: string[];
        ports: number[];
        /** Pods that it names or waits for. */
        uses: string[];
        volumes: {
          name: string;
          size: string;
          mountPath: string;
        }[];
        resourceType: 'deployment' | 'statefulset' | 'daemonset' | 'job';
        replicas: number;
      }[];
      /** Parameters of the query that are not known and were ignored. */
      warnings?: string[];
    };
  };
  /** What an update with this configuration would do to each pod. `/previewUserDeployment` */
  previewUpdate: {
    path: Record<never, never>;
    query: {
      sessionToken?: string;
      environment?: string;
      strict?: 'true' | 'false';
    };
    body: string;
    answer: {
      pods: {
        name: string;
        /** `replaced`: the new one is ready before the old one goes; `restarted`: the old one stops first. What runs stays when a pod is `scaled`, when a volume of it has `grown`, or when it is `rerouted` to another public path. */
        change: 'added' | 'removed' | 'unchanged' | 'replaced' | 'restarted' | 'scaled' | 'grown' | 'rerouted';
        /** Whether what it has stored is there afterwards. */
        keepsData: boolean;
        volumes: {
          title: string;
          /** `new`: it is made, and empty; `left`: the pod no longer has it, and its data stays. */
          change: 'kept' | 'grown' | 'new' | 'left';
          sizeBytes: number;
          fromBytes?: number;
        }[];
        because: string;
        /** What goes otherwise than one may expect, for example a password that its database ignores. */
        warnings: {
          code: string;
          message: string;
          hint?: string;
        }[];
      }[];
      /** Public paths that nobody answers at for a while. */
      interrupted: string[];
      /** What the update itself would be refused with now, for example for want of memory. */
      refusal?: {
        code: string;
        error: string;
        hint?: string;
        errors?: string[];
      };
      /** What it goes back to when the update fails; absent when nothing serves. */
      servingRevision?: number;
      /** What is odd about the request, although it is accepted. */
      warnings: string[];
      /** The same of the configuration, as values, and notes. */
      diagnostics: Diagnostic[];
    };
  };
  /** Get the revisions of a deployment: who, when, what became of each, and what it has changed. `/getDeploymentRevisions` */
  getDeploymentRevisions: {
    path: Record<never, never>;
    query: {
      sessionToken?: string;
      applicationName: string;
      environment?: string;
    };
    body: undefined;
    answer: {
      /** The last 10, and the one that serves: the last one first. */
      revisions: {
        number: number;
        /** When it was asked for. */
        createdAt: string;
        /** How the client was authenticated: with a session token, with an API key, or signed in. */
        askedBy: 'session' | 'api-key' | 'sign-in';
        /** The earlier revision that was gone back to: this one has its document. */
        repeats?: number;
        /** `superseded`: another one was asked for before it was ready, or what became of it was not noted. */
        state: 'deploying' | 'running' | 'failed' | 'superseded';
        /** When it was ready, or had failed. */
        settledAt?: string;
        /** From `createdAt` to `settledAt`. */
        durationMs?: number;
        /** Whether it is the last that was asked for. */
        isCurrent: boolean;
        /** Whether visitors reach it. */
        isServing: boolean;
        /** Pods against the revision before it; absent where that is no longer kept. */
        changes?: {
          added: string[];
          changed: string[];
          removed: string[];
        };
      }[];
      /** Parameters of the query that are not known and were ignored. */
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
      /** The session token; it may also come as `Authorization: Bearer`. */
      sessionToken?: string;
      /** Name of the application. */
      applicationName: string;
      /** The deployment's environment; needed where an account has two applications of one name. */
      environment?: string;
      /** Which one to go back to. Default: the last before the current one that became ready. */
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
          /** What is odd about the request, although it is accepted. */
          warnings: string[];
          /** The same of the configuration, as values, and notes. */
          diagnostics: Diagnostic[];
          /** The number that it has, or would have. */
          revision: number;
          /** The revision whose document it has. */
          repeats: number;
        }
      | {
          message: string;
          applicationName: string;
          dryRun: true;
          /** What is odd about the request, although it is accepted. */
          warnings: string[];
          /** The same of the configuration, as values, and notes. */
          diagnostics: Diagnostic[];
          /** The number that it has, or would have. */
          revision: number;
          /** The revision whose document it has. */
          repeats: number;
          pods: {
            name: string;
            /** `replaced`: the new one is ready before the old one goes; `restarted`: the old one stops first. What runs stays when a pod is `scaled`, when a volume of it has `grown`, or when it is `rerouted` to another public path. */
            change: 'added' | 'removed' | 'unchanged' | 'replaced' | 'restarted' | 'scaled' | 'grown' | 'rerouted';
            /** Whether what it has stored is there afterwards. */
            keepsData: boolean;
            volumes: {
              title: string;
              /** `new`: it is made, and empty; `left`: the pod no longer has it, and its data stays. */
              change: 'kept' | 'grown' | 'new' | 'left';
              sizeBytes: number;
              fromBytes?: number;
            }[];
            because: string;
            /** What goes otherwise than one may expect, for example a password that its database ignores. */
            warnings: {
              code: string;
              message: string;
              hint?: string;
            }[];
          }[];
          /** Public paths that nobody answers at for a while. */
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
      /** The session token; it may also come as `Authorization: Bearer`. */
      sessionToken?: string;
      /** Name of the application. */
      applicationName: string;
      /** The deployment's environment; needed where an account has two applications of one name. */
      environment?: string;
      /** Whether PostgreSQL, MySQL and MariaDB are kept as their own tools dump them, instead of the files of their volumes, and Redis writes all that it holds to its files before. */
      dump?: boolean;
    };
    answer: {
      message: string;
      snapshot: {
        id: string;
        /** `asked`: it is being taken, or waits for that. */
        state: 'asked' | 'taken' | 'failed';
        /** What it is taken for. */
        reason: 'asked' | 'schedule' | 'before-update' | 'before-restore';
        /** The revision that the deployment had then. */
        revision: number;
        /** When it was asked for. */
        createdAt: string;
        /** The instant of which its data is. */
        takenAt?: string;
        /** Those whose files are in it. */
        volumes: {
          /** As events and the plan of an update call it, such as `db-data`. */
          name: string;
          sizeBytes: number;
        }[];
        /** Databases that are in it as their own tools dump them; of `redis`, that it has written all to its files before. */
        dumps: {
          pod: string;
          /** `mysql` is MariaDB too, `redis` is Valkey and KeyDB. */
          kind: 'postgres' | 'mysql' | 'redis';
          /** Of the pod: of these there are no files. None of `redis`, whose files are there. */
          volumes: string[];
        }[];
        /** What is in it. */
        totalBytes?: number;
        /** What of that was not in an earlier one. */
        addedBytes?: number;
        /** For how many milliseconds writers have waited. */
        pausedMs?: number;
        /** Why the last try has failed. */
        problem?: string;
      };
      /** Parameters of the query that are not known and were ignored. */
      warnings?: string[];
    };
  };
  /** Get the snapshots of a deployment, and what was restored. `/getSnapshots` */
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
      snapshots: {
        id: string;
        /** `asked`: it is being taken, or waits for that. */
        state: 'asked' | 'taken' | 'failed';
        /** What it is taken for. */
        reason: 'asked' | 'schedule' | 'before-update' | 'before-restore';
        /** The revision that the deployment had then. */
        revision: number;
        /** When it was asked for. */
        createdAt: string;
        /** The instant of which its data is. */
        takenAt?: string;
        /** Those whose files are in it. */
        volumes: {
          /** As events and the plan of an update call it, such as `db-data`. */
          name: string;
          sizeBytes: number;
        }[];
        /** Databases that are in it as their own tools dump them; of `redis`, that it has written all to its files before. */
        dumps: {
          pod: string;
          /** `mysql` is MariaDB too, `redis` is Valkey and KeyDB. */
          kind: 'postgres' | 'mysql' | 'redis';
          /** Of the pod: of these there are no files. None of `redis`, whose files are there. */
          volumes: string[];
        }[];
        /** What is in it. */
        totalBytes?: number;
        /** What of that was not in an earlier one. */
        addedBytes?: number;
        /** For how many milliseconds writers have waited. */
        pausedMs?: number;
        /** Why the last try has failed. */
        problem?: string;
      }[];
      /** What was restored into the deployment, or is on its way: the newest first. */
      restores: {
        id: string;
        /** `asked`: the data is being fetched; `filled`: it is here, and is about to be put in place. */
        state: 'asked' | 'filled' | 'done' | 'failed';
        /** What is restored. */
        snapshot: string;
        /** The deployment was started with these data, beside the one of the snapshot. */
        isBeside: boolean;
        /** The snapshot of what was there before. */
        before?: string;
        /** How much of the data has come, in percent. */
        progress?: number;
        volumes: string[];
        createdAt: string;
        /** When it was done, or given up. */
        finishedAt?: string;
        /** Why the last try has failed. */
        problem?: string;
      }[];
      /** What the plan says. */
      kept: {
        /** Of those that were asked for, and as many of those of the schedule. */
        count: number;
        /** What those of an account may take in all. */
        bytes: number;
        /** How often one is taken without being asked for. */
        everyHours?: number;
      };
      /** What the owner wants from now on. */
      wishes: {
        /** Whether one is taken before each update that touches a pod with volumes. */
        beforeUpdates: boolean;
      };
      /** Databases that a snapshot can have by their own tools, with `dump`. */
      dumpable: {
        pod: string;
        /** `mysql` is MariaDB too, `redis` is Valkey and KeyDB. */
        kind: 'postgres' | 'mysql' | 'redis';
      }[];
      /** Parameters of the query that are not known and were ignored. */
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
      /** The session token; it may also come as `Authorization: Bearer`. */
      sessionToken?: string;
      /** Name of the application. */
      applicationName: string;
      /** The deployment's environment; needed where an account has two applications of one name. */
      environment?: string;
      /** The `id` of a snapshot. */
      snapshot: string;
      /** As a new deployment beside it, with an address of its own, by the revision of the snapshot. What runs stays as it is. */
      beside?: boolean;
      /** In place: whether no snapshot is taken before. Then what was there since cannot be had again. */
      withoutSnapshot?: boolean;
      /** Which volumes. Default: all that the snapshot and the deployment (beside: its revision) have. */
      volumes?: string[];
    };
    answer:
      | {
          message: string;
          restore: {
            id: string;
            /** `asked`: the data is being fetched; `filled`: it is here, and is about to be put in place. */
            state: 'asked' | 'filled' | 'done' | 'failed';
            /** What is restored. */
            snapshot: string;
            /** The deployment was started with these data, beside the one of the snapshot. */
            isBeside: boolean;
            /** The snapshot of what was there before. */
            before?: string;
            /** How much of the data has come, in percent. */
            progress?: number;
            volumes: string[];
            createdAt: string;
            /** When it was done, or given up. */
            finishedAt?: string;
            /** Why the last try has failed. */
            problem?: string;
          };
          /** The new deployment, where it was restored beside. */
          started?: {
            url: string;
            /** Of a session of its own. It is shown once. */
            sessionToken: string;
            applicationName: string;
            environment: string;
            claimed: boolean;
          };
          /** Parameters of the query that are not known and were ignored. */
          warnings?: string[];
        }
      | {
          dryRun: true;
          message: string;
          snapshot: {
            id: string;
            /** `asked`: it is being taken, or waits for that. */
            state: 'asked' | 'taken' | 'failed';
            /** What it is taken for. */
            reason: 'asked' | 'schedule' | 'before-update' | 'before-restore';
            /** The revision that the deployment had then. */
            revision: number;
            /** When it was asked for. */
            createdAt: string;
            /** The instant of which its data is. */
            takenAt?: string;
            /** Those whose files are in it. */
            volumes: {
              /** As events and the plan of an update call it, such as `db-data`. */
              name: string;
              sizeBytes: number;
            }[];
            /** Databases that are in it as their own tools dump them; of `redis`, that it has written all to its files before. */
            dumps: {
              pod: string;
              /** `mysql` is MariaDB too, `redis` is Valkey and KeyDB. */
              kind: 'postgres' | 'mysql' | 'redis';
              /** Of the pod: of these there are no files. None of `redis`, whose files are there. */
              volumes: string[];
            }[];
            /** What is in it. */
            totalBytes?: number;
            /** What of that was not in an earlier one. */
            addedBytes?: number;
            /** For how many milliseconds writers have waited. */
            pausedMs?: number;
            /** Why the last try has failed. */
            problem?: string;
          };
          /** Those whose data would be restored. */
          volumes: string[];
          /** Volumes that would stay as they are, or, beside, be empty. */
          left: string[];
          /** Pods that would be stopped and started again. */
          stopped: string[];
          /** Parameters of the query that are not known and were ignored. */
          warnings?: string[];
        };
  };
  /** Say when snapshots of a deployment are taken from now on. `/setSnapshotWishes` */
  setSnapshotWishes: {
    path: Record<never, never>;
    query: {
      sessionToken?: string;
      applicationName?: string;
      environment?: string;
    };
    body: {
      /** The session token; it may also come as `Authorization: Bearer`. */
      sessionToken?: string;
      /** Name of the application. */
      applicationName: string;
      /** The deployment's environment; needed where an account has two applications of one name. */
      environment?: string;
      /** Whether one is taken before each update that touches a pod with volumes. */
      beforeUpdates?: boolean;
    };
    answer: {
      message: string;
      /** What the owner wants from now on. */
      wishes: {
        /** Whether one is taken before each update that touches a pod with volumes. */
        beforeUpdates: boolean;
      };
      /** Parameters of the query that are not known and were ignored. */
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
      /** The session token; it may also come as `Authorization: Bearer`. */
      sessionToken?: string;
      /** Name of the application. */
      applicationName: string;
      /** The deployment's environment; needed where an account has two applications of one name. */
      environment?: string;
      /** The `id` of a snapshot. */
      snapshot: string;
    };
    answer: {
      message: string;
      /** Parameters of the query that are not known and were ignored. */
      warnings?: string[];
    };
  };
  /** Read or follow what the pods write. `/getDeploymentLogs` */
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
      /** The session token; it may also come as `Authorization: Bearer`. */
      sessionToken?: string;
      /** Name of the application. */
      applicationName: string;
      /** The deployment's environment; needed where an account has two applications of one name. */
      environment?: string;
      /** Its name in the configuration. */
      pod: string;
      /** Of several, the first is 0. Default: the first that runs. */
      replica?: number;
      /** A program of the image and its arguments. No shell reads them: `["sh", "-c", "ls *.sql"]` has one. */
      command: string[];
      /** What it reads. Without it, the end at once. */
      stdin?: string;
      /** After so long it is ended. */
      timeoutSeconds?: number;
    };
    answer: {
      /** null: it was ended, or its container has. */
      exitCode: number | null;
      /** `too-much-output`: it has written more than 1 MiB, of which that much is here. `given-up`: the service was about to stop. */
      ended: 'by-itself' | 'timed-out' | 'too-much-output' | 'given-up';
      /** As text; bytes that are not text are replaced. A stranger may have written it. */
      stdout: string;
      stderr: string;
      replica: number;
    };
  };
  /** Get what the pods of a deployment use, and the requests to its site. `/getDeploymentMetrics` */
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
      /** Of the first step of each line. */
      from: string;
      stepSeconds: number;
      /** Why something is not measured here, in words. */
      message?: string;
      pods: {
        name: string;
        replica: number;
        /** The one that it was started for. */
        revision?: number;
        /** The last time, after a restart too. */
        startedAt?: string;
        /** How often it was restarted after an exit. */
        restarts: number;
        /** How it last ended, whatever it is doing now. */
        lastExit?: {
          code: number;
          /** In words, e.g. `exited with code 3`. */
          reason: string;
          /** What can be done about it. */
          hint?: string;
          at: string;
        };
        /** 1000 is one processor; absent without a limit. */
        cpuLimitMillis?: number;
        /** Absent without a limit. */
        memoryLimitBytes?: number;
        /** At the last look; absent where it does not run any more. */
        now?: {
          /** 1000 is one processor. */
          cpuMillis: number | null;
          /** Without what the kernel keeps of files and can drop at any time. */
          memoryBytes: number | null;
          /** All that has come over the network. */
          receivedBytesPerSecond: number | null;
          /** All that has left over the network. */
          sentBytesPerSecond: number | null;
        };
        /** A value for each step, null where nothing was measured. */
        series: {
          cpuMillis: (number | null)[];
          memoryBytes: (number | null)[];
          receivedBytesPerSecond: (number | null)[];
          sentBytesPerSecond: (number | null)[];
        };
      }[];
      /** Those with a hard limit. */
      volumes: {
        name: string;
        usedBytes: number;
        /** With what its file system needs for itself. */
        sizeBytes: number;
      }[];
      site: {
        /** Over the last minute. */
        now: {
          /** That the edge has passed on to the application. */
          requestsPerSecond: number | null;
          /** Answers with 400 to 499. */
          clientErrorsPerSecond: number | null;
          /** Answers with 500 to 599, and those that the edge gave because no pod answered. */
          serverErrorsPerSecond: number | null;
          /** Half of the answers began within so many milliseconds. Told from counts within 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 10000 ms; what took longer counts as the last. */
          p50Ms: number | null;
          /** 95 % of the answers began within so many milliseconds. */
          p95Ms: number | null;
        };
        /** A value for each step, null where nothing was measured. */
        series: {
          requestsPerSecond: (number | null)[];
          clientErrorsPerSecond: (number | null)[];
          serverErrorsPerSecond: (number | null)[];
          p50Ms: (number | null)[];
          p95Ms: (number | null)[];
        };
      };
      /** Parameters of the query that are not known and were ignored. */
      warnings?: string[];
    };
  };
  /** Take a deployment elsewhere: configuration, data and images as one tar. `/exportDeployment` */
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
  /** What a claim link would claim. `/api/claims/{token}` */
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
      /** Whether the session token ends with this. Otherwise whoever has it goes on. */
      endToken?: boolean;
      /** What was shown of `attached`. A claim that would attach anything else is refused. */
      urls?: string[];
    };
    answer: Claimed;
  };
  /** The share link of a deployment. `/getShareLink` */
  getShareLink: {
    path: Record<never, never>;
    query: {
      sessionToken?: string;
      applicationName: string;
      environment?: string;
    };
    body: undefined;
    answer: {
      /** Whoever has it sees the status page. */
      url: string;
      createdAt: string;
    };
  };
  /** Make a share link: a page where others see how a deployment is doing. `/shareDeployment` */
  shareDeployment: {
    path: Record<never, never>;
    query: {
      sessionToken?: string;
      applicationName?: string;
      environment?: string;
    };
    body: Application;
    answer: {
      /** Whoever has it sees the status page. */
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
  /** How a shared deployment is doing. `/api/shared/{token}` */
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
  /** What the caller may have, and how much of it is used. `/api/limits` */
  getLimits: {
    path: Record<never, never>;
    query: {
      sessionToken?: string;
    };
    body: undefined;
    answer: Limits;
  };
  /** The images that the caller has pushed, the last used first. `/api/images` */
  listImages: {
    path: Record<never, never>;
    query: {
      sessionToken?: string;
    };
    body: undefined;
    answer: {
      /** At most 500. */
      images: {
        /** As a document names it, without a tag: `namespace/name`. */
        image: string;
        tags: string[];
        /** Of all its versions, each layer once. */
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
  /** Make an API key; it is shown this once. `/api/keys` */
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
  /** The browsers that are signed in to the account. `/api/sign-ins` */
  listSignIns: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: {
      signIns: {
        id: string;
        /** What the browser has called itself. Not to be trusted. */
        userAgent: string;
        /** Whether the request came with it. */
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
  /** What the account is told, and how. `/api/notifications` */
  getNotifications: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: {
      /** `failed`: a revision failed. `expiring`: a deployment is about to expire. `domain`: a custom domain is about to be lost, was lost or has no certificate. `snapshot`: a snapshot failed. */
      mail: ('failed' | 'expiring' | 'domain' | 'snapshot')[];
      webhook?: {
        url: string;
        /** `failed`: a revision failed. `expiring`: a deployment is about to expire. `domain`: a custom domain is about to be lost, was lost or has no certificate. `snapshot`: a snapshot failed. */
        kinds: ('failed' | 'expiring' | 'domain' | 'snapshot')[];
        /** Notifications in a row that it did not take. */
        failures: number;
        /** When it had failed so often that nothing is sent any more. */
        disabledAt?: string;
        /** What came of the last try. */
        answer?: string;
        triedAt?: string;
      };
    };
  };
  /** Choose what the account is told, and how. `/api/notifications` */
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
    answer: {
      /** `failed`: a revision failed. `expiring`: a deployment is about to expire. `domain`: a custom domain is about to be lost, was lost or has no certificate. `snapshot`: a snapshot failed. */
      mail: ('failed' | 'expiring' | 'domain' | 'snapshot')[];
      webhook?: {
        url: string;
        /** `failed`: a revision failed. `expiring`: a deployment is about to expire. `domain`: a custom domain is about to be lost, was lost or has no certificate. `snapshot`: a snapshot failed. */
        kinds: ('failed' | 'expiring' | 'domain' | 'snapshot')[];
        /** Notifications in a row that it did not take. */
        failures: number;
        /** When it had failed so often that nothing is sent any more. */
        disabledAt?: string;
        /** What came of the last try. */
        answer?: string;
        triedAt?: string;
      };
    } & {
      /** Of a new address, shown this once: what its calls are signed with. */
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
  /** Ask for an API key that a person confirms in a browser. `/api/logins` */
  startLogin: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: {
      /** Who is asking, in words that the person knows, such as `ada@laptop`. */
      machine: string;
    };
    answer: {
      /** A secret, with which the key is fetched. */
      deviceCode: string;
      /** Shown to the person, who compares it. */
      userCode: string;
      /** The page that asks for the code. */
      url: string;
      /** The same with the code filled in. */
      urlWithCode: string;
      expiresAt: string;
      /** How long to wait between two requests for the key. */
      intervalSeconds: number;
    };
  };
  /** Who asks for an API key with a code. `/api/logins/{code}` */
  getLogin: {
    path: {
      code: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: {
      /** As it calls itself. */
      machine: string;
      /** The address that it asks from. */
      address: string;
      /** Whether this request comes from there too. */
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
  /** The API key of a login that was confirmed. `/api/login-key` */
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
  /** The session tokens of the account that is signed in. `/api/tokens` */
  listTokens: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: {
      tokens: {
        id: string;
        /** What whoever has the token can manage. */
        applications: {
          applicationName: string;
          environment: string;
          url: string;
          /** Whether it counts towards the plan. */
          claimed: boolean;
        }[];
        madeAt: string;
        /** An IP address. */
        madeFrom?: string;
        /** To the minute. */
        lastUsedAt?: string;
        /** An IP address. */
        lastUsedFrom?: string;
        /** There when nobody is known by it any more. */
        endedAt?: string;
        /** What is started with the token: `free` expires and has the limits of whoever has no account; `plan` is claimed from the beginning and counts towards the plan. */
        starts: 'free' | 'plan';
      }[];
    };
  };
  /** Say what a start with a session token is. `/api/tokens/{id}` */
  changeToken: {
    path: {
      id: string;
    };
    query: Record<never, never>;
    body: {
      /** What is started with the token: `free` expires and has the limits of whoever has no account; `plan` is claimed from the beginning and counts towards the plan. */
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
  /** Put a new session token in the place of one; it is shown this once. `/api/tokens/{id}/replace` */
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
      /** The session token; it may also come as `Authorization: Bearer`. */
      sessionToken?: string;
      /** Name of the application. */
      applicationName: string;
      /** The deployment's environment; needed where an account has two applications of one name. */
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
      /** The session token; it may also come as `Authorization: Bearer`. */
      sessionToken?: string;
      /** Name of the application. */
      applicationName: string;
      /** The deployment's environment; needed where an account has two applications of one name. */
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
      /** The session token; it may also come as `Authorization: Bearer`. */
      sessionToken?: string;
      /** Name of the application. */
      applicationName: string;
      /** The deployment's environment; needed where an account has two applications of one name. */
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
