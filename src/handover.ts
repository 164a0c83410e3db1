/**
 * Hands over between services. A service that starts on the data directory of a running service replaces it. The
 * running service pauses: it still answers requests, but makes no visits, and leaves HAProxy and the firewall to the
 * new one. When the new service is ready, the old one finishes its pending requests and ends. If the new one fails
 * before that, the old one resumes.
 */
import { createConnection, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { edgePaths } from './edge/edge-paths.ts';
import type { Admit } from './edge/server-sockets.ts';
import { StartError } from './lib/start-error.ts';
import { wait } from './lib/wait.ts';

/** Visits end at their next safe point, after the current operation of the engine. */
const patienceMs = 120_000;

const goOnEveryMs = 1_000;

/** Words of the two; each is a line. */
const words = { pause: 'stand aside', isAside: 'aside', isBusy: 'busy', serves: 'serves' } as const;

/** The service that this one replaces. Closing it without `serves` makes that service resume. */
export type Predecessor = AsyncDisposable & {
  /** Resolves when the running service has yielded or ended. Throws StartError. */
  pause(): Promise<void>;
  /** Lets the predecessor end. */
  serves(): void;
};

/** Undefined where no service is that could hand over. */
export async function findPredecessor(dataDir: string): Promise<Predecessor | undefined> {
  const { serviceSocket, formerServiceSocket } = edgePaths(dataDir);
  const socket = (await connectedTo(serviceSocket)) ?? (await connectedTo(formerServiceSocket));
  if (!socket) return undefined;
  socket.on('error', () => {});
  return {
    async pause() {
      const answer = new Promise<string>((resolve, reject) => {
        createInterface(socket)
          .once('line', resolve)
          .on('error', () => {});
        // The predecessor may have ended since it was found. A broken connection does not end the iteration over lines.
        socket.once('close', () => resolve(words.isAside));
        if (socket.destroyed) resolve(words.isAside);
        setTimeout(() => reject(new StartError(`The service of ${dataDir} does not hand over.`)), patienceMs).unref();
      });
      socket.write(`${words.pause}\n`);
      if ((await answer) === words.isBusy)
        throw new StartError(`Another service is just taking the place of the one of ${dataDir}.`);
    },
    serves: () => void socket.write(`${words.serves}\n`),
    async [Symbol.asyncDispose]() {
      socket.destroySoon();
    },
  };
}

/** Undefined if no process listens. */
async function connectedTo(path: string): Promise<Socket | undefined> {
  const socket = createConnection(path);
  const isThere = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  });
  return isThere ? socket : undefined;
}

export type HandoverSides = {
  pause(): Promise<void>;
  /** The successor has failed. */
  resume(): Promise<void>;
  /** The successor serves. */
  leave(): void;
  log: { info(fields: object, message: string): void; error(fields: object, message: string): void };
};

/** Lets a successor find this service. `admit`: opens the service's socket. */
export async function offerHandover(
  admit: Admit,
  { pause, resume, leave, log }: HandoverSides,
): Promise<AsyncDisposable> {
  const open = new Set<Socket>();
  let successor: Socket | undefined;
  let isLeaving = false;

  async function hear(socket: Socket, line: string): Promise<void> {
    if (line === words.pause) {
      if (successor) return void socket.end(`${words.isBusy}\n`);
      successor = socket;
      log.info({}, 'another service takes over from this one');
      await pause();
      socket.write(`${words.isAside}\n`);
    } else if (line === words.serves && socket === successor) {
      isLeaving = true;
      leave();
    }
  }

  /** No other process does this work, so it retries until it succeeds. */
  async function goOnAlone(): Promise<void> {
    log.error({}, 'the service that should take over has failed');
    while (!isLeaving) {
      try {
        await resume();
        log.info({}, 'this service goes on');
        successor = undefined;
        return;
      } catch (err) {
        log.error({ err }, 'this service cannot go on, will be tried again');
        await wait(goOnEveryMs);
      }
    }
  }

  const server = createServer((socket) => {
    let done = Promise.resolve();
    const next = (work: () => Promise<void>) => {
      done = done.then(work).catch((err) => log.error({ err }, 'handing over failed'));
    };
    open.add(socket);
    socket.on('error', () => {});
    createInterface(socket).on('line', (line) => next(() => hear(socket, line)));
    socket.on('close', () => {
      open.delete(socket);
      if (socket !== successor || isLeaving) return;
      next(goOnAlone);
    });
  });
  await admit(async (path) => {
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve));
  });
  return {
    async [Symbol.asyncDispose]() {
      isLeaving = true;
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
