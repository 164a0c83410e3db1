/** Starts the service and stops it gracefully: `npm run serve`. Everything is wired here. */
import { join } from 'node:path';
import { pino } from 'pino';
import { openAccounts } from './accounts/open.ts';
import { addressMark, agreeOnAddress } from './agreed-address.ts';
import { leavingMs, openApi } from './api/open.ts';
import { createCountExchange } from './api/requests/count-exchange.ts';
import { offersBuilds } from './builds/open.ts';
import { openSources } from './builds/sources.ts';
import type { ControlParts } from './control/open.ts';
import { agreeOnInstallation, requireDatabase } from './data-directory.ts';
import { edgePaths } from './edge/edge-paths.ts';
import { openPages } from './edge/open-pages.ts';
import { createServerSockets } from './edge/server-sockets.ts';
import { openEngine } from './engine/open.ts';
import { offerHandover } from './handover.ts';
import { openImageStore } from './images/open.ts';
import { readRegistries } from './images/upstream/listed-registries.ts';
import { finishConnections } from './lib/finish-connections.ts';
import { createMetrics } from './lib/metrics.ts';
import { createNotifier } from './lib/notifier.ts';
import { openPidFile, predecessorOf, type Running, runService } from './running-service.ts';
import { openKeys } from './sealing-keys.ts';
import { settingsOrExit } from './settings/command-line.ts';
import { applicationUrl, type Settings } from './settings/settings.ts';
import { accountSettings } from './settings/sign-in-settings.ts';
import { withStartErrors } from './start-errors.ts';
import { maxNotificationLength, notifyAll } from './store/notify-processes.ts';
import { openStore } from './store/open.ts';
import { openTurn } from './work.ts';

/** Parts that tests replace or observe. */
export type Parts = Pick<ControlParts, 'now' | 'afterOperation'>;

/**
 * Resolves when the service accepts requests. The log goes to the standard output or to `logFile`. Throws StartError.
 */
export function serve(settings: Settings, logFile?: string, parts: Partial<Parts> = {}): Promise<Running> {
  return withStartErrors(settings.dataDir, () => start(settings, logFile, parts));
}

async function start(settings: Settings, logFile: string | undefined, parts: Partial<Parts>): Promise<Running> {
  const { now = Date.now } = parts;
  // A failure closes all parts that were opened before it, in reverse order.
  await using opening = new AsyncDisposableStack();
  const pid = opening.use(await openPidFile(settings));
  // The pid file has created the data directory.
  const destination = pino.destination({ dest: logFile ?? 1, sync: true, mode: 0o600 });
  // A full disk loses lines of the log, and does not end the service.
  destination.on('error', () => {});
  const log = pino({ level: settings.logLevel }, destination);
  const part = (name: string) => log.child({ part: name });
  const predecessor = opening.use(await predecessorOf(settings));
  const sockets = opening.use(createServerSockets());
  const { apiSocket, pagesSocket, registrySocket, serviceSocket } = edgePaths(settings.dataDir);
  const metrics = createMetrics();
  const urlOf = (label: string) => applicationUrl(settings, label);
  await requireDatabase(settings);
  const store = opening.use(await openStore({ ...settings, mark: addressMark(settings) }));
  const { db, owner } = store;
  await agreeOnInstallation(db, settings.dataDir, owner);
  await agreeOnAddress(db, settings, predecessor ? 1 : 0);
  const seal = await openKeys(db, settings, part('keys'));
  const reportPullsLeft = (pulls: number) => metrics.dockerHubPulls.set(pulls);
  const keeping = { db, now, reportPullsLeft, seal, isSucceeding: predecessor !== undefined, log: part('images') };
  const kept = opening.use(await openImageStore(settings, keeping));
  const { images, pushed } = kept;
  const around = { owner, epoch: () => store.epoch.value, now, metrics, images, log };
  const { engine, pause } = opening.use(await openEngine(settings, around));
  const exchange =
    settings.databaseUrl && createCountExchange((text) => notifyAll(db, 'counts', text), maxNotificationLength - 100);
  const shared = { seal, engine, urlOf, metrics, now, notifier: createNotifier(), exchange };
  const sources = (await offersBuilds(settings, engine, part('builds')))
    ? opening.adopt(
        await openSources(
          join(settings.dataDir, 'sources'),
          await readRegistries(settings.gitServers, 'BERTH_GIT_SERVERS'),
        ),
        (opened) => opened.close(),
      )
    : undefined;
  await predecessor?.pause();
  const turn = opening.use(
    await openTurn(settings, { ...parts, ...shared, images, pushed, sources, store, log, pauseEngine: pause }),
  );
  const accounts = openAccounts({ db, seal, now, log: part('accounts'), settings: accountSettings(settings) });
  const { builds, certificates, wakeDomains, samples, snapshots, wake, wakeSite } = turn;
  const known = { db, now, builds, certificates, wakeDomains, samples, snapshots, wake };
  const pages = opening.use(
    await openPages(settings, { ...known, wakeSite, admit: sockets.at(pagesSocket), log: part('pages') }),
  );
  const own = { admit: sockets.at(apiSocket), admitRegistry: sockets.at(registrySocket), log: part('api') };
  const api = opening.use(
    await openApi(settings, { ...shared, ...known, ...own, accounts, pushed, registries: images }),
  );
  const leaving = () => [api.leave(), finishConnections(pages.server, leavingMs), kept.leave(leavingMs)];
  const { promise: left, resolve: leave } = Promise.withResolvers<void>();
  const sides = {
    pause: turn.pause,
    resume: () => sockets.open().then(turn.resume).then(pid.write),
    leave: () => void Promise.all(leaving()).then(() => leave()),
  };
  opening.use(await offerHandover(sockets.at(serviceSocket, 'private'), { ...sides, log }));
  await pid.write();
  await sockets.open();
  turn.keepProxyRunning();
  predecessor?.serves();
  log.info({ url: settings.baseUrl.origin, dataDir: settings.dataDir }, 'Berth serves');
  const open = opening.move();
  const stop = () => open.disposeAsync().then(() => log.info('Berth has stopped; the applications keep running'));
  return { left, stop };
}

if (import.meta.main) await runService(() => serve(settingsOrExit()));
