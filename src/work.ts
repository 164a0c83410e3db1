/** The work that one service at a time does for a data directory: it runs the edge, and visits deployments. */
import type { Logger } from 'pino';
import { planOfDeployment } from './api/admission/plans.ts';
import { roomIn } from './api/registry/push-allowance.ts';
import type { CountExchange } from './api/requests/count-exchange.ts';
import { openBuilds } from './builds/open.ts';
import type { Sources } from './builds/sources.ts';
import { type ControlParts, openControl } from './control/open.ts';
import type { Deployment } from './deployment/deployment.ts';
import { pullTermsOf } from './deployment/limits/pull-limits.ts';
import type { Samples } from './deployment/metrics/deployment-metrics.ts';
import { snapshotTermsOf } from './deployment/snapshot/snapshot.ts';
import { openDomains } from './domains/open.ts';
import { openEdge } from './edge/open.ts';
import { createWaker } from './edge/sleepers.ts';
import type { PushedImages } from './images/pushed/pushed-image-store.ts';
import type { CertificateReport } from './lib/certificate-report.ts';
import { operatorMail } from './lib/mail-transport.ts';
import type { Metrics } from './lib/metrics.ts';
import type { Notifier } from './lib/notifier.ts';
import { openNotify } from './notify/open.ts';
import { apiHosts } from './settings/own-hosts.ts';
import type { Settings } from './settings/settings.ts';
import { accountSettings } from './settings/sign-in-settings.ts';
import { tlsOf } from './settings/tls-settings.ts';
import { offersSnapshots, openSnapshots } from './snapshots/open.ts';
import { accountById } from './store/accounts.ts';
import { wantsMail } from './store/notifications.ts';
import type { Store } from './store/open.ts';
import { clientOf } from './store/origins.ts';
import { accountOfSession } from './store/sessions.ts';

export type WorkParts = Omit<
  ControlParts,
  | 'db'
  | 'process'
  | 'epoch'
  | 'refreshEdge'
  | 'othersServe'
  | 'othersLead'
  | 'underWay'
  | 'egressOf'
  | 'runtimeOf'
  | 'pullTermsOf'
  | 'tallyRequests'
  | 'log'
> & {
  store: Store;
  /** Absent where no images are built from source. */
  sources: Sources | undefined;
  pushed: PushedImages;
  notifier: Notifier;
  exchange: CountExchange | undefined;
  log: Logger;
};

/** Closing it leaves HAProxy running, unless this process has started it and `keepProxyRunning` was not called. */
type Work = AsyncDisposable & {
  /** Looks at the deployment now, because of a request. */
  wake(deploymentId: string): void;
  keepProxyRunning(): void;
  /** Wakes up the deployment at a host; resolves when its requests need not wait any more. */
  wakeSite(host: string): Promise<void>;
  /** Looks at custom domains now, because of a request. */
  wakeDomains(): void;
  /** The measurements of this process; undefined while another service measures. */
  samples(): Samples | undefined;
  /** Looks at snapshots now, because of a request. */
  wakeSnapshots(): void;
  /** A build was requested. */
  wakeBuilds(): void;
  /** The edge's certificates; undefined until it serves some. */
  certificates(): CertificateReport | undefined;
};

async function openWork(settings: Settings, parts: WorkParts): Promise<Work> {
  const { store, sources, pushed, notifier, exchange, log, ...others } = parts;
  const { db } = store;
  const { seal, now, metrics } = parts;
  const shared = { db, seal, now, metrics, process: store.process };
  await using opening = new AsyncDisposableStack();
  const isShared = settings.databaseUrl !== undefined;
  const tls = tlsOf(settings);
  let report: CertificateReport | undefined;
  const onCertificates = (served: CertificateReport) => {
    showCertificates(parts.metrics, tls?.from.kind, served);
    report = served;
  };
  const { mail } = accountSettings(settings);
  const to = settings.operatorMail;
  const mailOperator = mail && to ? operatorMail({ ...mail, to }) : undefined;
  const edge = opening.use(
    await openEdge(
      { ...settings, apiHosts: apiHosts(settings), isShared, tls },
      { ...shared, log, onCertificates, mailOperator },
    ),
  );
  const { othersServe, othersLead } = edge;
  const egressOf = async (deployment: Deployment) =>
    (await planOfDeployment(db, settings.tiers, deployment))?.tier.egress ?? settings.egress;
  const control = opening.use(
    await openControl(settings, {
      ...others,
      ...shared,
      epoch: store.epoch,
      refreshEdge: edge.refresh,
      underWay: edge.countUnderWay,
      tallyRequests: edge.tallyRequests,
      ...(othersServe && { othersServe }),
      ...(othersLead && { othersLead }),
      egressOf,
      // One query for each visit, if a tier's runtime requires it.
      ...(settings.tiers.some(({ runtime }) => runtime !== undefined) && {
        runtimeOf: async (deployment) => (await planOfDeployment(db, settings.tiers, deployment))?.tier.runtime,
      }),
      pullTermsOf: async (deployment) => {
        const plan = await planOfDeployment(db, settings.tiers, deployment);
        const { id, sessionId } = deployment;
        return pullTermsOf(plan, settings.strangers, { sessionId, client: await clientOf(db, id) });
      },
      log: log.child({ part: 'control' }),
    }),
  );
  opening.use(
    await store.follow({
      due: (deploymentId = '') => control.wake(deploymentId),
      events: notifier.notify,
      counts: (text) => exchange?.receive(text),
      routes: edge.onRoutes,
      edges: edge.onRoutes,
      onProcessEnd: control.takeOverFrom,
    }),
  );
  const termsOf = async (deployment: Deployment) => {
    const plan = await planOfDeployment(db, settings.tiers, deployment);
    return {
      ...snapshotTermsOf(plan?.tier ?? settings.tiers[0], settings.snapshots !== undefined),
      accountId: plan?.accountId,
    };
  };
  const mailOwner = async ({ sessionId }: Deployment, words: { subject: string; text: string }) => {
    const accountId = await accountOfSession(db, sessionId);
    const owner = accountId === null ? undefined : await accountById(db, accountId);
    await mailOperator?.(words);
    if (mail && owner?.isEmailVerified && (await wantsMail(db, owner.id, 'snapshot')))
      await operatorMail({ ...mail, to: owner.email })(words);
  };
  const snapshots = opening.use(
    openSnapshots(settings, {
      ...shared,
      engine: parts.engine,
      termsOf,
      mailOwner,
      wake: control.wake,
      log: log.child({ part: 'snapshots' }),
    }),
  );
  const builds =
    sources &&
    opening.use(
      openBuilds(settings, {
        ...{ db, seal, now, sources, egressOf },
        engine: parts.engine,
        images: pushed,
        checkRoom: roomIn({
          service: { db, settings },
          limits: { maxBytes: settings.pushedBytes, diskFreeBytes: settings.diskFreeBytes },
        }),
        runtimeOf: async (deployment) => (await planOfDeployment(db, settings.tiers, deployment))?.tier.runtime,
        wake: control.wake,
        log: log.child({ part: 'builds' }),
      }),
    );
  opening.use(openNotify(settings, { ...shared, log: log.child({ part: 'notify' }), mail }));
  const domains = opening.use(
    openDomains(settings, {
      ...shared,
      owner: store.owner,
      refreshEdge: edge.refresh,
      mail,
      log: log.child({ part: 'domains' }),
    }),
  );
  const open = opening.move();
  return {
    wakeDomains: domains.wake,
    wakeSnapshots: snapshots.wake,
    wakeBuilds: () => builds?.wake(),
    wake: control.wake,
    wakeSite: createWaker({ db, sleepers: edge.sleepers, wake: control.wake, appsDomain: settings.appsDomain, now }),
    keepProxyRunning: edge.keepProxyRunning,
    certificates: () => report,
    samples: () => control.samples,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

function showCertificates(
  metrics: Metrics,
  origin: 'files' | 'authority' | undefined,
  { served, missing, failing }: CertificateReport,
): void {
  metrics.certificates.set({ state: 'served' }, served.length);
  metrics.certificates.set({ state: 'missing' }, missing);
  metrics.certificates.set({ state: 'failing' }, failing);
  if (served.length > 0)
    metrics.firstCertificateEnd.set(Math.floor(Math.min(...served.map(({ expiresAt }) => expiresAt)) / 1000));
  if (origin === 'files')
    for (const [index, { expiresAt }] of served.entries())
      metrics.certificateEnds.set({ file: index + 1 }, Math.floor(expiresAt / 1000));
}

/** The work of this service, which another service may take over. Closing it ends the work. */
export type Turn = AsyncDisposable &
  Omit<Work, 'wakeSnapshots' | 'wakeBuilds'> & {
    /** Absent where no images are built from source. */
    builds: { sources: Sources; wake(): void } | undefined;
    /** Absent if snapshots are not available. */
    snapshots: { wake(): void } | undefined;
    /** Another service does the work from now on. */
    pause(): Promise<void>;
    /** This service does the work again. */
    resume(): Promise<void>;
  };

/** Starts the work. `pauseEngine`: stops the parts of the engine that only one process at a time may run. */
export async function openTurn(
  settings: Settings,
  { pauseEngine, ...parts }: WorkParts & { pauseEngine: ((isResting: boolean) => void) | undefined },
): Promise<Turn> {
  let work: Work | undefined = await openWork(settings, parts);
  return {
    wake: (deploymentId) => work?.wake(deploymentId),
    wakeSite: async (host) => await work?.wakeSite(host),
    keepProxyRunning: () => work?.keepProxyRunning(),
    wakeDomains: () => work?.wakeDomains(),
    snapshots: offersSnapshots(settings, parts.engine) ? { wake: () => work?.wakeSnapshots() } : undefined,
    builds: parts.sources && { sources: parts.sources, wake: () => work?.wakeBuilds() },
    certificates: () => work?.certificates(),
    samples: () => work?.samples(),
    async pause() {
      await work?.[Symbol.asyncDispose]();
      work = undefined;
      pauseEngine?.(true);
    },
    async resume() {
      pauseEngine?.(false);
      work ??= await openWork(settings, parts);
      work.keepProxyRunning();
    },
    [Symbol.asyncDispose]: async () => await work?.[Symbol.asyncDispose](),
  };
}
