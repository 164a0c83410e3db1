/**
 * Finds out whether a service runs for a data directory, and as which process. Commands import only this file instead
 * of the whole service.
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { dataDirProblem, edgePaths } from './edge/edge-paths.ts';
import { prepareRunDirectory } from './edge/sockets.ts';
import { findPredecessor, type Predecessor } from './handover.ts';
import { StartError } from './lib/start-error.ts';
import type { Settings } from './settings/settings.ts';

/** Returns whether a service responds for this data directory. */
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

/** Returns the running service of a data directory, which can hand over. Throws StartError. */
export async function predecessorOf(settings: Pick<Settings, 'dataDir'>): Promise<Predecessor | undefined> {
  const { dataDir } = settings;
  const predecessor = await findPredecessor(dataDir);
  if (!predecessor && (await isServing(settings)))
    throw new StartError(`Berth already serves from ${dataDir}, and its release cannot hand over: stop it first.`);
  return predecessor;
}

export type PidFile = AsyncDisposable & {
  /** Records that this process serves, instead of that it is starting. */
  write(): Promise<void>;
};

/**
 * Creates the data directory and records there that this process is starting and, after `write`, that it serves.
 * Closing removes the record. Throws StartError.
 */
export async function openPidFile(settings: Pick<Settings, 'dataDir'>): Promise<PidFile> {
  const { dataDir } = settings;
  const problem = dataDirProblem(dataDir);
  if (problem) throw new StartError(`BERTH_DATA_DIR: ${problem}`);
  await mkdir(dataDir, { recursive: true, mode: 0o711 });
  await prepareRunDirectory(dataDir);
  const file = pidFile(settings);
  for (const { path, isThere } of await startFiles(settings)) if (!isThere) await rm(path, { force: true });
  const startFile = join(edgePaths(dataDir).run, `${startPrefix}${process.pid}.${await beganAt(process.pid)}`);
  await writeFile(startFile, '');
  let isWritten = false;
  return {
    async write() {
      await writeFile(file, String(process.pid));
      isWritten = true;
      await rm(startFile, { force: true });
    },
    async [Symbol.asyncDispose]() {
      await rm(startFile, { force: true });
      // Another service may have taken over.
      const isOurs = isWritten && (await readFile(file, 'utf8').catch(() => '')) === String(process.pid);
      if (isOurs) await rm(file, { force: true });
    },
  };
}

/** The file with the process id of the service of a data directory. */
export function pidFile({ dataDir }: Pick<Settings, 'dataDir'>): string {
  return join(dataDir, 'berth.pid');
}

/** The process ID and its start time follow. Another process may have the same ID now. */
const startPrefix = 'starting.';

/** Returns the processes that are starting for a data directory and do not serve yet. */
export async function startingServices(settings: Pick<Settings, 'dataDir'>): Promise<number[]> {
  return (await startFiles(settings)).flatMap(({ pid, isThere }) => (isThere ? [pid] : []));
}

async function startFiles({ dataDir }: Pick<Settings, 'dataDir'>) {
  const { run } = edgePaths(dataDir);
  const names = (await readdir(run).catch(() => [])).filter((name) => name.startsWith(startPrefix));
  return await Promise.all(
    names.map(async (name) => {
      const [pid, began] = name.slice(startPrefix.length).split('.').map(Number) as [number, number];
      return { path: join(run, name), pid, isThere: (await beganAt(pid)) === began };
    }),
  );
}

/** Returns the start time in ticks since the boot; undefined if the process does not exist. */
async function beganAt(pid: number): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The 22nd field, counted after the name in parentheses; https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
  return stat === undefined ? undefined : Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
}

export type Running = {
  /** Resolves when another service has taken over and this one has completed its requests. */
  left: Promise<void>;
  /** Refuses new requests, ends open work, and leaves the applications and the edge running. */
  stop(): Promise<void>;
};

/**
 * Runs the service as a process. It stops after the first Ctrl-C or SIGTERM, immediately after the second, and when
 * another service has taken over. If it cannot start, it prints the reason and exits with 1.
 */
export async function runService(start: () => Promise<Running>): Promise<void> {
  try {
    stopOnSignal(await start());
  } catch (error) {
    // If closing failed too, the first error counts.
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
