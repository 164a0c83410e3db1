/** The dependencies of all endpoints; wired in `main.ts`. */

import type { Kysely } from 'kysely';
import type { Sources } from '../builds/sources.ts';
import type { Instant, Limits } from '../deployment/deployment.ts';
import type { Budget } from '../deployment/limits/host-budget.ts';
import type { Tiers } from '../deployment/limits/plan-tier.ts';
import type { StrangerLimits } from '../deployment/limits/stranger-limits.ts';
import type { Samples } from '../deployment/metrics/deployment-metrics.ts';
import type { Engine, ImageStore } from '../engine/engine.ts';
import type { BlobFolder } from '../images/blobs/blob-folder.ts';
import type { Dialer } from '../images/dialer/dialer.ts';
import type { Images } from '../images/open.ts';
import type { CertificateReport } from '../lib/certificate-report.ts';
import type { Metrics } from '../lib/metrics.ts';
import type { Notifier } from '../lib/notifier.ts';
import type { ProofSettings } from '../lib/proof-of-work.ts';
import type { Rate } from '../lib/rate-limit.ts';
import type { Seal } from '../lib/seal.ts';
import type { Tables } from '../store/rows.ts';
import type { SignInMethods } from './account/account-endpoints.ts';
import type { Asset, Dashboard } from './dashboard/bundle.ts';
import type { CountExchange } from './requests/count-exchange.ts';

export type ApiSettings = {
  baseUrl: URL;
  /** The location of snapshots. Undefined if the operator has not set one. */
  snapshots?: unknown;
  limits: Limits;
  /** The time during which an ended deployment can be restored. */
  graceMs: number;
  /** Starts of one client address. */
  startRate: Rate;
  /** Other requests of one client address, and requests with one token. */
  rate: Rate;
  /** Bytes of configurations of one client address. */
  documentRate: Rate;
  /** Sign-ins and sign-ups of one client address. */
  signInRate: Rate;
  /** The network of the applications' containers (CIDR). All of them count as one client. */
  networkPool: string;
  tiers: Tiers;
  /** For those without an account. */
  strangers: StrangerLimits;
  /** The terms of use. */
  termsUrl?: URL;
  proofOfWork: ProofSettings;
  /** Whether custom domains get certificates. Absent if certificates are not available. */
  domains?: { hasCertificates: boolean };
  /** Callers with this token may read the metrics. Without a token, callers on this machine may. */
  metricsToken?: string;
};

/** A browser that is signed in. */
export type SignIn = { accountId: string; signInId: string };

/** The accounts' layer: identifies users. */
export type Accounts = {
  /** How people can sign in. */
  methods: () => Promise<SignInMethods>;
  /** Answers a request below `/api/auth`. */
  answer: (request: Request) => Promise<Response>;
  /** The sign-in that the cookie of these headers is of. */
  signedIn: (headers: Headers) => Promise<SignIn | undefined>;
};

export type Service = {
  db: Kysely<Tables>;
  seal: Seal;
  accounts: Accounts;
  settings: ApiSettings;
  /** The public address of a deployment's label. */
  urlOf: (label: string) => URL;
  /** The total that may be reserved on the host, and its free disk space now. Does not query the engine. */
  budget: () => Promise<Budget>;
  metrics: Metrics;
  /** Absent where none was built. */
  dashboard?: Dashboard | undefined;
  /** The documentation site: its files by their paths below `/docs`. Absent where none was built. */
  site?: ReadonlyMap<string, Asset> | undefined;
  now: () => Instant;
  /** The edge's certificates; returns undefined if it serves no HTTPS, or another process does. */
  certificates?: () => CertificateReport | undefined;
  /** The measurements of this process; undefined while another process measures. */
  samples?: () => Samples | undefined;
  /** The engine, only for logs, availability and commands in pods. All changes go through the store and the loop. */
  engine: Pick<
    Engine,
    | 'ping'
    | 'findImage'
    | 'observe'
    | 'watch'
    | 'logs'
    | 'followLogs'
    | 'archives'
    | 'copies'
    | 'cluster'
    | 'exec'
    | 'separatesStreams'
    | 'fillsVolumes'
  > & { images?: Pick<ImageStore, 'list'> };
  /** Checks in registries whether images exist; absent if this process does not provide images. */
  registries?: Pick<Images, 'digestOf'>;
  /** For what a stranger has named; no listed host. */
  dialer: Dialer;
  /** Blobs of the pushed images, if pushing is enabled. */
  pushedBlobs?: BlobFolder;
  /**
   * Notifies of new events of a deployment, from any process. Listeners also poll, because notifications may be lost.
   */
  notifier: Pick<Notifier, 'listen'>;
  /** Present if other processes serve the same installation. */
  exchange?: CountExchange | undefined;
  /** Aborts when another service takes over. Open streams then end. */
  leaving?: AbortSignal;
  /** Called after an intent was written: the loop looks at the deployment now. */
  wake: (deploymentId: string) => void;
  /** Called after a request about snapshots. Absent if snapshots are not available. */
  snapshots?: { wake: () => void } | undefined;
  /** Receives source code, and starts requested builds; absent if this service builds no images. */
  builds?: { sources: Sources; wake: () => void } | undefined;
  /** Called after a request about a custom domain. */
  wakeDomains: () => void;
};
