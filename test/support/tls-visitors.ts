/**
 * Visitors with a handshake each, as a process of its own, so that whatever the test computes does not slow them down. What
 * they are to do is its argument, as JSON; at the end of its input it says how they fared, as JSON, on its output.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { connect, createSecureContext } from 'node:tls';

export type Visiting = { port: number; root: string; hosts: readonly string[]; path: string; perSecond: number };

/** `failures`: the first few; `handshakesMs`: from the connection to the end of the handshake. */
export type Visited = { asked: number; failed: number; failures: string[]; perSecond: number; handshakesMs: number[] };

export function startVisitors(visiting: Visiting): { end(): Promise<Visited> } {
  const child = spawn(process.execPath, [import.meta.filename, JSON.stringify(visiting)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const said = text(child.stdout);
  const ended = once(child, 'exit');
  return {
    async end() {
      child.stdin.end();
      await ended;
      return JSON.parse(await said) as Visited;
    },
  };
}

/** No more wait at a time: a machine that does not get so far has fewer visitors, and none that fails for that. */
const mostWaiting = 50;
const tickMs = 5;

async function visit({ port, root, hosts, path, perSecond }: Visiting): Promise<Visited> {
  const secureContext = createSecureContext({ ca: root });
  const visited: Visited = { asked: 0, failed: 0, failures: [], perSecond: 0, handshakesMs: [] };
  const waiting = new Set<Promise<void>>();
  const begunAt = performance.now();

  const one = (host: string) =>
    new Promise<void>((resolve, reject) => {
      const at = performance.now();
      const socket = connect({ port, host: '127.0.0.1', servername: host, secureContext });
      let answer = '';
      socket.setEncoding('latin1').on('data', (part: string) => {
        answer += part;
      });
      socket.once('secureConnect', () => {
        visited.handshakesMs.push(performance.now() - at);
        socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}:${port}\r\nConnection: close\r\n\r\n`);
      });
      socket.once('error', reject);
      socket.once('close', () =>
        answer.startsWith('HTTP/1.1 200 ') ? resolve() : reject(new Error(`${host} answered ${answer.slice(0, 40)}`)),
      );
    });

  function ask(): void {
    const asked: Promise<void> = one(hosts[visited.asked++ % hosts.length]!)
      .catch((error: Error) => {
        visited.failed += 1;
        if (visited.failures.length < 5) visited.failures.push(error.message);
      })
      .finally(() => waiting.delete(asked));
    waiting.add(asked);
  }

  let skipped = 0;
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - begunAt) * perSecond) / 1000) - visited.asked - skipped;
    const room = mostWaiting - waiting.size;
    for (let number = 0; number < Math.min(due, room); number += 1) ask();
    skipped += Math.max(0, due - room);
  }, tickMs);
  process.stdin.resume();
  await once(process.stdin, 'end');
  clearInterval(timer);
  const lastedMs = performance.now() - begunAt;
  await Promise.all(waiting);
  return { ...visited, perSecond: (visited.asked / lastedMs) * 1000 };
}

if (import.meta.main) process.stdout.write(JSON.stringify(await visit(JSON.parse(process.argv[2]!))));
