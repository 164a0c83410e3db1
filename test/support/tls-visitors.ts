/**
 * Visitors by TLS, as a process of its own, so that the test's own work does not slow them down. One request in four
 * makes a new handshake, and the others use existing connections. The process' argument is its task, as JSON. It prints
 * an empty line for each answer and, at the end of its input, the results, as JSON.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get } from 'node:https';
import { connect, createSecureContext } from 'node:tls';

export type Visiting = { port: number; root: string; hosts: readonly string[]; path: string; perSecond: number };

/** `tookMs`: a handshake, or the answer on a kept connection. */
export type Fared = { asked: number; failed: number; perSecond: number; tookMs: number[] };

/** `connections`: those that were kept, in all. `failures`: the first few. */
export type Visited = { fresh: Fared; kept: Fared; connections: number; failures: string[] };

export const freshShare = 1 / 4;

/** `answered`: how many were, until now. */
export type Visitors = { answered(): number; end(): Promise<Visited> };

export function startVisitors(visiting: Visiting): Visitors {
  const child = spawn(process.execPath, [import.meta.filename, JSON.stringify(visiting)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    said += part;
  });
  const closed = once(child, 'close');
  return {
    answered: () => said.match(/\n/g)?.length ?? 0,
    async end() {
      child.stdin.end();
      await closed;
      return JSON.parse(said) as Visited;
    },
  };
}

/** Maximum number of waiting requests: a slower machine has fewer visitors, without failures. */
const maxWaiting = 50;
const tickMs = 5;
const keptOfHost = 8;

async function visit({ port, root, hosts, path, perSecond }: Visiting): Promise<Visited> {
  const secureContext = createSecureContext({ ca: root });
  const agent = new Agent({ keepAlive: true, maxSockets: keptOfHost, scheduling: 'fifo', secureContext });
  const connections = new Set<unknown>();
  const failures: string[] = [];

  /** Returns the milliseconds of the handshake. */
  const askAnew = (host: string) =>
    new Promise<number>((resolve, reject) => {
      const at = performance.now();
      let tookMs = 0;
      const socket = connect({ port, host: '127.0.0.1', servername: host, secureContext });
      let answer = '';
      socket.setEncoding('latin1').on('data', (part: string) => {
        answer += part;
      });
      socket.once('secureConnect', () => {
        tookMs = performance.now() - at;
        socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}:${port}\r\nConnection: close\r\n\r\n`);
      });
      socket.once('error', reject);
      socket.once('close', () =>
        answer.startsWith('HTTP/1.1 200 ')
          ? resolve(tookMs)
          : reject(new Error(`${host} answered ${answer.slice(0, 40)}`)),
      );
    });

  /** Returns the milliseconds until the end of the response. */
  const askOn = (host: string) =>
    new Promise<number>((resolve, reject) => {
      const at = performance.now();
      const headers = { host: `${host}:${port}` };
      const asking = get({ port, host: '127.0.0.1', servername: host, agent, headers, path }, (answer) => {
        answer.resume().once('error', reject);
        answer.once('end', () =>
          answer.statusCode === 200
            ? resolve(performance.now() - at)
            : reject(new Error(`${host} answered ${answer.statusCode}`)),
        );
      });
      asking.once('socket', (socket) => connections.add(socket)).once('error', reject);
    });

  function come(perSecond: number, ask: (host: string) => Promise<number>) {
    const fared: Fared = { asked: 0, failed: 0, perSecond: 0, tookMs: [] };
    const waiting = new Set<Promise<void>>();
    const begunAt = performance.now();
    const askOnce = () => {
      const requested: Promise<void> = ask(hosts[fared.asked++ % hosts.length]!)
        .then((tookMs) => {
          fared.tookMs.push(tookMs);
          process.stdout.write('\n');
        })
        .catch((error: Error) => {
          fared.failed += 1;
          if (failures.length < 5) failures.push(error.message);
        })
        .finally(() => waiting.delete(requested));
      waiting.add(requested);
    };
    let skipped = 0;
    const timer = setInterval(() => {
      const due = Math.floor(((performance.now() - begunAt) * perSecond) / 1000) - fared.asked - skipped;
      const room = maxWaiting - waiting.size;
      for (let number = 0; number < Math.min(due, room); number += 1) askOnce();
      skipped += Math.max(0, due - room);
    }, tickMs);
    return async () => {
      clearInterval(timer);
      const lastedMs = performance.now() - begunAt;
      await Promise.all(waiting);
      return { ...fared, perSecond: (fared.asked / lastedMs) * 1000 };
    };
  }

  const [endFresh, endKept] = [come(perSecond * freshShare, askAnew), come(perSecond * (1 - freshShare), askOn)];
  process.stdin.resume();
  await once(process.stdin, 'end');
  const [fresh, kept] = await Promise.all([endFresh(), endKept()]);
  agent.destroy();
  return { fresh, kept, connections: connections.size, failures };
}

if (import.meta.main) process.stdout.write(JSON.stringify(await visit(JSON.parse(process.argv[2]!))));
