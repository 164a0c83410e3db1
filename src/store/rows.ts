/** The rows of all tables, as their queries read and write them. */
import type { Generated } from 'kysely';
import type { Deployment, Instant } from '../deployment/deployment.ts';
import type { Domain } from '../deployment/domain/domain-state.ts';
import type { EventKind } from '../deployment/event/event.ts';
import type { Ban } from '../deployment/limits/ban.ts';
import type { SessionStarts } from '../deployment/limits/session-starts.ts';
import type { NoticeChannel } from '../deployment/notification/notice.ts';
import type { Quarantined } from '../deployment/quarantine/quarantine.ts';
import type { AuthMethod, RevisionOutcome } from '../deployment/revision-history.ts';
import type { Restore, Snapshot } from '../deployment/snapshot/snapshot.ts';
import type { BuildRow } from './builds.ts';

export type Tables = {
  installation: {
    id: string;
    createdAt: Instant;
    /** The ID of the key that values are sealed with. Null before a process has recorded it. */
    keyId: string | null;
    /** The cluster on which the last service was started. Null: none, or not recorded. */
    cluster: string | null;
  };
  sessions: {
    id: string;
    tokenHash: string;
    createdAt: Instant;
    accountId: string | null;
    tokenMadeAt: Instant;
    tokenMadeFrom: string | null;
    tokenUsedAt: Instant | null;
    tokenUsedFrom: string | null;
    tokenEndedAt: Instant | null;
    starts: Generated<SessionStarts>;
  };
  /** Written only by the sign-in library, like the next three tables and others. `tier` is Berth's own column. */
  accounts: {
    id: string;
    name: string;
    email: string;
    /** A number in SQLite. */
    emailVerified: boolean | number;
    createdAt: string | Date;
    tier: string | null;
  };
  signIns: {
    id: string;
    userId: string;
    userAgent: string | null;
    createdAt: string | Date;
    expiresAt: string;
  };
  credentials: { id: string; userId: string; password: string | null };
  /** `value`: of a link that sets a password, whose. */
  verifications: { value: string; expiresAt: string };
  apiKeys: {
    id: string;
    accountId: string;
    name: string;
    start: string;
    keyHash: string;
    createdAt: Instant;
    lastUsedAt: Instant | null;
  };
  /** `accountId`: of who has decided. */
  logins: {
    deviceHash: string;
    userHash: string;
    machine: string;
    address: string;
    client: string;
    createdAt: Instant;
    expiresAt: Instant;
    nextPollAt: Instant;
    intervalMs: number;
    accountId: string | null;
    decision: 'approved' | 'denied' | null;
  };
  deployments: DeploymentRow;
  /** One row. */
  routeTable: { id: number; version: number };
  /** Duties that one process performs for all. */
  duties: { name: string; holder: string; heldUntil: Instant };
  /** Objects on the engine that the store does not know. `things`: JSON, as last listed. */
  quarantine: Omit<Quarantined, 'things'> & { things: string };
  /** At most one row. `hold`: JSON. Null while the sweep may change the engine. */
  sweepState: { id: number; epoch: number; acceptedEpoch: number; hold: string | null };
  spentProofs: { hash: string; expiresAt: Instant };
  edges: EdgeRow;
  certificates: CertificateRow;
  domains: DomainRow;
  /** `key`: sealed, the account's private one. */
  acmeAccounts: { directory: string; key: Uint8Array };
  acmeChallenges: { token: string; host: string; answer: string; expiresAt: Instant };
  revisions: {
    deploymentId: string;
    number: number;
    /** Sealed JSON of the AppSpec. */
    spec: Uint8Array;
    /** Sealed text of the document as it was sent. */
    document: Uint8Array;
    createdAt: Instant;
    /** The resources that it requests from the host. */
    memoryBytes: number;
    cpuMillis: number;
    diskBytes: number;
    containers: number;
    volumes: number;
    gpus: number;
    /** JSON: all volumes of the deployment until then, each name with a size. */
    volumeSizes: string;
    /** A JSON list of the pods' images, not sealed, because operators must find the users of an image. */
    images: string;
    askedBy: AuthMethod;
    /** The earlier revision whose document it has again. */
    repeats: number | null;
    /** Null until the revision became ready or failed. Stays null if it was superseded before that. */
    outcome: RevisionOutcome | null;
    settledAt: Instant | null;
    /** JSON of a SourceCommit. Null if its source was not a commit. */
    sourceCommit: string | null;
  };
  /** Sealed. `valuesOf`: the deployment whose generated values it uses. Null: its own. */
  seeds: { deploymentId: string; seed: Uint8Array; valuesOf: string | null };
  revisionImages: { deploymentId: string; revision: number; image: string; reference: string };
  privateRepositories: { repository: string };
  imageAccess: { deploymentId: string; repository: string };
  pulledImages: { reference: string; lastUsedAt: Instant };
  /**
   * One of the two is set. `client`: the client of the first push, for limits. `aliveAt`: when its owner last existed.
   */
  imageNamespaces: {
    name: string;
    sessionId: string | null;
    accountId: string | null;
    client: string;
    createdAt: Instant;
    aliveAt: Instant;
  };
  /** Namespaces that have proven to have a blob. `seenAt`: the last time a client was informed that the blob exists. */
  pushedBlobs: { namespace: string; digest: string; sizeBytes: number; seenAt: Instant };
  pushedManifests: {
    repository: string;
    digest: string;
    namespace: string;
    mediaType: string;
    sizeBytes: number;
    pushedAt: Instant;
    usedAt: Instant;
  };
  manifestParts: { repository: string; manifest: string; digest: string; kind: 'blob' | 'manifest' };
  pushedTags: { repository: string; tag: string; digest: string; pushedAt: Instant };
  events: EventRow;
  evictions: {
    deploymentId: string;
    revision: number;
    pod: string;
    replica: number;
    at: Instant;
    because: string;
  };
  /** `metrics`: JSON; `at`: when its five minutes began; `process`: which one has measured them. */
  keptMetrics: { deploymentId: string; at: Instant; process: string; metrics: string };
  leases: {
    deploymentId: string;
    dueAt: Instant | null;
    token: string | null;
    leasedUntil: Instant | null;
    /** The hash of the last visit's observation. Null if it failed, and before the first one. */
    observedHash: string | null;
  };
  claims: { tokenHash: string; deploymentId: string; createdAt: Instant; expiresAt: Instant };
  /** `mail`, `webhook`: lists of kinds, as JSON. `webhookSecret`: sealed. */
  notificationChoices: {
    accountId: string;
    mail: string;
    webhook: string;
    webhookUrl: string | null;
    webhookSecret: Uint8Array | null;
    webhookFailures: number;
    webhookDisabledAt: Instant | null;
    webhookAnswer: string | null;
    webhookTriedAt: Instant | null;
  };
  /** `subject`: the cause, reported once; `content`: JSON. */
  notices: { id: string; accountId: string; subject: string; content: string; createdAt: Instant };
  /** Pending deliveries. */
  noticeDeliveries: { noticeId: string; channel: NoticeChannel; dueAt: Instant; tries: number };
  /** `token`: sealed. */
  shareLinks: { deploymentId: string; tokenHash: string; token: Uint8Array; createdAt: Instant };
  /** The origin of a deployment's start: the address, and the client for limits. */
  origins: { deploymentId: string; address: string; client: string };
  bans: Ban & { createdAt: Instant };
  auditEntries: { number: number; at: Instant; actor: string; action: string; subject: string; reason: string };
  /** Finished backups of the installation. `id`: the name in the backup location. */
  backups: { id: string; at: Instant; place: string; totalBytes: number; addedBytes: number };
  /** `volumes`, `dumps`: as JSON. */
  snapshots: Omit<Snapshot, 'volumes' | 'dumps'> & { volumes: string; dumps: string };
  /** `takesSafety`: 0 or 1. */
  restores: Omit<Restore, 'volumes' | 'dumps' | 'takesSafety'> & {
    volumes: string;
    dumps: string;
    takesSafety: number;
  };
  /** `beforeUpdates`: 0 or 1. No row: as `noWishes` says. */
  builds: BuildRow;
  snapshotWishes: { deploymentId: string; beforeUpdates: number };
  /** Sealed: the password of each snapshot location. */
  snapshotPlaces: { place: string; password: Uint8Array };
  /** At most one row: see `store-moves.ts`. */
  storeMoves: {
    id: number;
    /** The same in both databases. */
    move: string;
    side: 'from' | 'to';
    isDone: number;
    installation: string;
    /** The other database, as text for the operator. */
    place: string;
    /** The ID of the process that copies. A later process takes over the copy. */
    run: string;
    at: Instant;
  };
  idempotency: {
    keyHash: string;
    bodyHash: string;
    deploymentId: string;
    /** Sealed, so that a repeated request can be answered with the same token. */
    sessionToken: Uint8Array;
    expiresAt: Instant;
  };
};

/** The certificate of one host, or of all names directly below it (`*.`). */
export type CertificateRow = {
  host: string;
  /** Sealed: chain and key; null until the first is issued, as are the next five. */
  pem: Uint8Array | null;
  firstIssuedAt: Instant | null;
  issuedAt: Instant | null;
  expiresAt: Instant | null;
  renewAt: Instant | null;
  /** When to query the authority about the renewal again. Null: the authority suggests no renewal times. */
  askAt: Instant | null;
  orderedAt: Instant;
  /** Consecutive failures. */
  failures: number;
  nextTryAt: Instant;
  /** The message of the last failure, for the operator. */
  problem: string | null;
  /** The state that the last mail since the last issue reported. */
  told: 'failing' | 'ending' | null;
};

/** As the domain, with its finding as JSON. */
export type DomainRow = Omit<Domain, 'finding'> & { finding: string | null };

export type EdgeRow = {
  id: string;
  /** Where it runs: the boot ID of a machine, and the directory of its HAProxy. */
  machine: string;
  directory: string;
  /** The version of the route table that the edge serves, or an older one. */
  version: number;
  /** The time from which it answers no request, unless it is extended before. */
  answersUntil: Instant;
};

export type EventRow = {
  deploymentId: string;
  number: number;
  /** Grows with every event of the deployment. */
  sequence: number;
  kind: EventKind;
  /** Equal for repeated events. Null for events that are not counted together. */
  identity: string | null;
  /** The remaining fields of the event as JSON. */
  fields: string;
  count: number;
  firstAt: Instant;
  at: Instant;
};

/** As the deployment, with structured values as JSON. */
export type DeploymentRow = Omit<
  Deployment,
  'explanation' | 'pods' | 'lastLines' | 'endpoints' | 'ownHosts' | 'restarts'
> & {
  explanation: string | null;
  pods: string;
  lastLines: string;
  endpoints: string;
  ownHosts: string;
  restarts: string;
  /** The version of the route table at which the endpoints were last written. 0 before the first time. */
  routesVersion: Generated<number>;
  /** The memory of its frozen workloads; null until it is measured. */
  residentBytes: Generated<number | null>;
  /** Null on engines of one machine, and if the cluster is unknown. */
  cluster: Generated<string | null>;
};
