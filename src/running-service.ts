/**
 * Whether a service runs for a data directory, and as which process. Of its own, so that commands that ask this do not
 * load the whole service.
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
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

/** Answers the service that is at work for a data directory and hands over. Throws StartError. */
export async function predecessorOf(settings: Pick<Settings, 'dataDir'>): Promise<Predecessor | undefined> {
  const { dataDir } = settings;
  const predecessor = await findPredecessor(dataDir);
  if (!predecessor && (await isServing(settings)))
    throw new StartError(`Berth already serves from ${dataDir}, and its release cannot hand over: stop it first.`);
  return predecessor;
}

export type PidFile = AsyncDisposable & {
  /** From now on this process is the one that serves, and no longer one that starts. */
  write(): Promise<void>;
};

/**
 * Makes the directory where it has to be, and says there that this process starts, from `write` on that it serves; closing
 * it takes that back. Throws StartError.
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

/** Where the service that runs for a data directory says its process id. */
export function pidFile({ dataDir }: Pick<Settings, 'dataDir'>): string {
  return join(dataDir, 'berth.pid');
}

/** Then the process id, and when it began: the id alone may be another's by now. */
const startPrefix = 'starting.';

/** The processes of services that start for a data directory, and do not serve yet. */
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

/** In ticks since the machine was started; undefined where there is no such process. */
async function beganAt(pid: number): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The 22nd field, counted after the name in parentheses; https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
  return stat === undefined ? undefined : Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
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
