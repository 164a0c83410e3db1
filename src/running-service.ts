/**
 * Whether a service runs for a data directory, and as which process. Of its own, so that commands that ask this do not
 * load the whole service.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { dataDirProblem, edgePaths } from './edge/edge-paths.ts';
import { prepareRunDirectory } from './edge/sockets.ts';
import { findPredecessor, type Predecessor } from './handover.ts';
import { StartError } from './lib/start-error.ts';
import type { Settings } from './settings/settings.ts';

/** Whether a service answers for this data directory. */
export async function isServing({ dataDir }: Pick<Settings, 'dataDir'>): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = createConnection(edgePaths(dataDir).apiSocket);
    socket
      .once('error', () => resolve(false))
      .once('connect', () => {
        socket.destroy();
        resolve(true);
      });
  });
}

/** Makes the data directory fit for a service; answers the one that is at work for it and hands over. Throws StartError. */
export async function claimDataDirectory(settings: Pick<Settings, 'dataDir'>): Promise<Predecessor | undefined> {
  const { dataDir } = settings;
  const problem = dataDirProblem(dataDir);
  if (problem) throw new StartError(`BERTH_DATA_DIR: ${problem}`);
  await mkdir(dataDir, { recursive: true, mode: 0o711 });
  await prepareRunDirectory(dataDir);
  const predecessor = await findPredecessor(dataDir);
  if (!predecessor && (await isServing(settings)))
    throw new StartError(
      `Berth already serves from ${dataDir}, and is of a release that hands over to nobody: stop it first.`,
    );
  return predecessor;
}

/** Says the process id of this service from `write` on; closing it takes that back. */
export function openPidFile(settings: Pick<Settings, 'dataDir'>): AsyncDisposable & { write(): Promise<void> } {
  const file = pidFile(settings);
  let isWritten = false;
  return {
    async write() {
      await writeFile(file, String(process.pid));
      isWritten = true;
    },
    async [Symbol.asyncDispose]() {
      // Another service may have taken over.
      const isOurs = isWritten && (await readFile(file, 'utf8').catch(() => '')) === String(process.pid);
      if (isOurs) await rm(file, { force: true });
    },
  };
}

/** Where the service that runs for a data directory says its process id. */
export function pidFile({ dataDir }: Pick<Settings, 'dataDir'>): string {
  return join(dataDir, 'berth.pid');
}

export type Running = {
  /** Resolves when another service has taken over and this one has answered all that it was asked. */
  left: Promise<void>;
  /** Takes no more requests, ends what is under way, and leaves the applications and the edge running. */
  stop(): Promise<void>;
};

/**
 * The service as a process. It stops at the first Ctrl-C or SIGTERM, at once at the second, and when another one has taken
 * over; one that cannot start says why and ends with 1.
 */
export async function runService(start: () => Promise<Running>): Promise<void> {
  try {
    stopOnSignal(await start());
  } catch (error) {
    // Where closing has failed too, what it was closed for comes first.
    const cause: unknown = error instanceof SuppressedError ? error.suppressed : error;
    if (!(cause instanceof StartError)) throw error;
    process.stderr.write(`${cause.message}\n`);
    process.exit(1);
  }
}

export function stopOnSignal(running: Running): void {
  let signals = 0;
  const stop = async () => {
    signals += 1;
    if (signals > 1) process.exit(130);
    await running.stop();
    process.exit(0);
  };
  void running.left.then(stop);
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
}
