/** Starts the service and stops it gracefully: `npm run serve`. Everything is wired here. */
import { join } from 'node:path';
import { pino } from 'pino';
import { openAccounts } from './accounts/open.ts';
import { planOfDeployment } from './api/admission/plans.ts';
import { openApi } from './api/open.ts';
import { createCountExchange } from './api/requests/count-exchange.ts';
import { type ControlParts, openControl } from './control/open.ts';
import { openEdge } from './edge/open.ts';
import { openEngine } from './engine/open.ts';
import { openBlobCache } from './images/blobs/blob-cache.ts';
import { openImages } from './images/open.ts';
import { openPushedImages } from './images/pushed/open.ts';
import { createBells } from './lib/bells.ts';
import { createMetrics } from './lib/metrics.ts';
import { StartError } from './lib/start-error.ts';
import { claimDataDirectory, openPidFile, stopOnSignal } from './running-service.ts';
import { openKeys } from './sealing-keys.ts';
import { settingsOrExit } from './settings/command-line.ts';
import { apiHosts, otherOrigins } from './settings/own-hosts.ts';
import { applicationUrl, type Settings } from './settings/settings.ts';
import { accountSettings } from './settings/sign-in-settings.ts';
import { longestNews, tellAll } from './store/news.ts';
import { openStore } from './store/open.ts';

export type Running = {
  /** Takes no more requests, ends what is under way, and leaves the applications and the edge running. */
  stop(): Promise<void>;
};

/** What may take another's place or listen in. */
export type Parts = Pick<ControlParts, 'now' | 'afterOperation'>;

/** Resolves when requests are taken. The log goes to the standard output or to `logFile`. Throws StartError. */
export async function serve(settings: Settings, logFile?: string, parts: Partial<Parts> = {}): Promise<Running> {
  const { now = Date.now, afterOperation } = parts;
  await claimDataDirectory(settings);
  const log = pino({ level: settings.logLevel }, pino.destination({ dest: logFile ?? 1, sync: true, mode: 0o600 }));
  const part = (name: string) => log.child({ part: name });
  // Whatever fails closes what was opened before it, the last first.
  await using opening = new AsyncDisposableStack();
  const metrics = createMetrics();
  const urlOf = (label: string) => applicationUrl(settings, label);

  const pid = opening.use(openPidFile(settings));
  const store = opening.use(await openStore(settings));
  const { db, owner } = store;
  const seal = await openKeys(db, settings, part('keys'));
  const { images: pushed } = opening.use(await openPushedImages(settings, { db, now, log: part('images') }));
  const cache = opening.use(
    await openBlobCache({
      folder: join(settings.dataDir, 'images', 'cache'),
      budgetBytes: settings.imageCacheBytes,
      now,
    }),
  );
  const { images } = opening.use(
    await openImages(settings, { pushed, cache, notePullsLeft: (pulls) => metrics.dockerHubPulls.set(pulls) }),
  );
  const { engine } = opening.use(await openEngine(settings, { owner, now, metrics, images, log }));
  const edgeExtras = { apiHosts: apiHosts(settings), isShared: settings.databaseUrl !== undefined };
  const edge = opening.use(await openEdge({ ...settings, ...edgeExtras }, { db, now, log }));
  const control = opening.use(
    await openControl(settings, {
      ...{ db, seal, engine, refreshEdge: edge.refresh, underWay: edge.countUnderWay, urlOf, metrics, now },
      ...(edge.othersServe && { othersServe: edge.othersServe }),
      egressOf: async (deployment) =>
        (await planOfDeployment(db, settings.tiers, deployment))?.tier.egress ?? settings.egress,
      log: part('control'),
      ...(afterOperation && { afterOperation }),
    }),
  );
  const told = createBells();
  const exchange = settings.databaseUrl && createCountExchange((text) => tellAll(db, 'asked', text), longestNews - 100);
  const heard = {
    due: (deploymentId = '') => control.wake(deploymentId),
    told: told.ring,
    asked: (text: string) => exchange?.hear(text),
    routes: edge.hearRoutes,
    edges: edge.hearRoutes,
  };
  opening.use(await store.follow(heard));
  const signIn = { ...accountSettings(settings), otherOrigins: otherOrigins(settings) };
  const accounts = openAccounts({ db, seal, now, log: part('accounts'), settings: signIn });
  const service = { db, seal, accounts, urlOf, metrics, now, engine, told, exchange, wake: control.wake };
  opening.use(
    await openApi(settings, {
      ...service,
      pushed,
      admit: edge.admitApi,
      admitRegistry: edge.admitRegistry,
      log: part('api'),
    }),
  );
  await pid.write();
  edge.keep();
  log.info({ url: settings.baseUrl.origin, dataDir: settings.dataDir }, 'Berth serves');

  const open = opening.move();
  return {
    async stop() {
      await open.disposeAsync();
      log.info('Berth has stopped; the applications keep running');
    },
  };
}

if (import.meta.main) {
  try {
    stopOnSignal(await serve(settingsOrExit()));
  } catch (error) {
    // Where closing has failed too, what it was closed for comes first.
    const cause: unknown = error instanceof SuppressedError ? error.suppressed : error;
    if (!(cause instanceof StartError)) throw error;
    process.stderr.write(`${cause.message}\n`);
    process.exit(1);
  }
}
