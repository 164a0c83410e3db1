/** Starts the service and stops it gracefully: `npm run serve`. Everything is wired here. */
import { join } from 'node:path';
import { pino } from 'pino';
import { openAccounts } from './accounts/open.ts';
import { leavingMs, openApi } from './api/open.ts';
import { createCountExchange } from './api/requests/count-exchange.ts';
import type { ControlParts } from './control/open.ts';
import { createDoors } from './edge/doors.ts';
import { edgePaths } from './edge/edge-paths.ts';
import { openPages } from './edge/open-pages.ts';
import { openEngine } from './engine/open.ts';
import { offerHandover } from './handover.ts';
import { openBlobCache } from './images/blobs/blob-cache.ts';
import { openImages } from './images/open.ts';
import { openPushedImages } from './images/pushed/open.ts';
import { createBells } from './lib/bells.ts';
import { finishConnections } from './lib/finish-connections.ts';
import { createMetrics } from './lib/metrics.ts';
import { StartError } from './lib/start-error.ts';
import { claimDataDirectory, openPidFile, stopOnSignal } from './running-service.ts';
import { openKeys } from './sealing-keys.ts';
import { settingsOrExit } from './settings/command-line.ts';
import { otherOrigins } from './settings/own-hosts.ts';
import { applicationUrl, type Settings } from './settings/settings.ts';
import { accountSettings } from './settings/sign-in-settings.ts';
import { longestNews, tellAll } from './store/news.ts';
import { openStore } from './store/open.ts';
import { openWork, type Work } from './work.ts';

export type Running = {
  /** Resolves when another service has taken over and this one has answered all that it was asked. */
  left: Promise<void>;
  /** Takes no more requests, ends what is under way, and leaves the applications and the edge running. */
  stop(): Promise<void>;
};

/** What may take another's place or listen in. */
export type Parts = Pick<ControlParts, 'now' | 'afterOperation'>;

/** Resolves when requests are taken. The log goes to the standard output or to `logFile`. Throws StartError. */
export async function serve(settings: Settings, logFile?: string, parts: Partial<Parts> = {}): Promise<Running> {
  const { now = Date.now, afterOperation } = parts;
  const predecessor = await claimDataDirectory(settings);
  const log = pino({ level: settings.logLevel }, pino.destination({ dest: logFile ?? 1, sync: true, mode: 0o600 }));
  const part = (name: string) => log.child({ part: name });
  // Whatever fails closes what was opened before it, the last first.
  await using opening = new AsyncDisposableStack();
  if (predecessor) opening.use(predecessor);
  const doors = opening.use(createDoors());
  const { apiSocket, pagesSocket, registrySocket, serviceSocket } = edgePaths(settings.dataDir);
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
  const { engine, standAside } = opening.use(await openEngine(settings, { owner, now, metrics, images, log }));
  const told = createBells();
  const exchange = settings.databaseUrl && createCountExchange((text) => tellAll(db, 'asked', text), longestNews - 100);
  const workParts = { store, seal, engine, urlOf, metrics, now, told, exchange, log };
  const startWork = () => openWork(settings, { ...workParts, ...(afterOperation && { afterOperation }) });
  await predecessor?.standAside();
  let work: Work | undefined = await startWork();
  opening.defer(() => work?.[Symbol.asyncDispose]());
  const pages = opening.use(await openPages(settings, { db, now, admit: doors.at(pagesSocket), log: part('pages') }));
  const signIn = { ...accountSettings(settings), otherOrigins: otherOrigins(settings) };
  const accounts = openAccounts({ db, seal, now, log: part('accounts'), settings: signIn });
  const wake = (deploymentId: string) => work?.wake(deploymentId);
  const service = { db, seal, accounts, urlOf, metrics, now, engine, told, exchange, wake };
  const at = { admit: doors.at(apiSocket), admitRegistry: doors.at(registrySocket) };
  const api = opening.use(await openApi(settings, { ...service, ...at, pushed, log: part('api') }));
  const { promise: left, resolve: leave } = Promise.withResolvers<void>();
  opening.use(
    await offerHandover(doors.at(serviceSocket), {
      async standAside() {
        await work?.[Symbol.asyncDispose]();
        work = undefined;
        standAside?.(true);
      },
      async goOn() {
        standAside?.(false);
        work ??= await startWork();
        work.keep();
        await pid.write();
      },
      leave: () => void Promise.all([api.leave(), finishConnections(pages.server, leavingMs)]).then(() => leave()),
      log,
    }),
  );
  await pid.write();
  await doors.open();
  work.keep();
  predecessor?.serves();
  log.info({ url: settings.baseUrl.origin, dataDir: settings.dataDir }, 'Berth serves');

  const open = opening.move();
  return {
    left,
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
