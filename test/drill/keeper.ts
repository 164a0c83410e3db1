/** An application that acknowledges writes, and a client that writes to it during a fault and counts what is lost. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Berth, Started } from '../scenarios/berth.ts';

/** Answers a POST once the number of its query is on the disk, and a GET with all numbers. */
export const keeperYaml = (name: string, release = '1') => `application:
  name: ${name}
  pods:
    - name: web
      image: node:26-slim
      path: /
      servicePorts: [3000]
      command: node /app/server.mjs
      vars: { RELEASE: "${release}" }
      volumes: [{ name: data, size: 64Mi, mountPath: /data }]
      files:
        - path: /app/server.mjs
          content: |
            import { createServer } from 'node:http';
            import { closeSync, fsyncSync, openSync, readdirSync } from 'node:fs';
            const sync = (path, flags) => { const file = openSync(path, flags); fsyncSync(file); closeSync(file); };
            createServer((request, response) => {
              try {
                const number = request.url.slice(2);
                if (request.method === 'POST') { sync('/data/' + number, 'w'); sync('/data', 'r'); }
                response.end(request.method === 'POST' ? 'kept' : readdirSync('/data').join(' '));
              } catch (error) { response.writeHead(503).end(error.message); }
            }).listen(3000);
            process.once('SIGTERM', () => process.exit());
`;

const answerMs = 3_000;
const betweenWritesMs = 20;

export type Writer = {
  /** How many writes were acknowledged so far. */
  acknowledged(): number;
  stop(): Promise<void>;
};

/** Writes one number after another. A write without an answer is not counted, and is repeated. */
export function writeNumbers(berth: Berth, { url }: Started): Writer {
  let acknowledged = 0;
  let isOver = false;
  const writing = (async () => {
    while (!isOver) {
      const headers = { 'content-length': 0 };
      const answer = berth.visit(`${url}/?${acknowledged + 1}`, { method: 'POST', headers });
      if ((await answered(answer))?.text === 'kept') acknowledged++;
      await delay(betweenWritesMs);
    }
  })();
  return {
    acknowledged: () => acknowledged,
    async stop() {
      isOver = true;
      await writing;
    },
  };
}

/** The numbers that the application has; undefined if it does not answer. */
export async function numbersOf(berth: Berth, { url }: Started): Promise<Set<number> | undefined> {
  const found = await answered(berth.visit(url));
  return found?.status === 200 ? new Set(found.text.split(' ').map(Number)) : undefined;
}

async function answered<T>(answer: Promise<T>): Promise<T | undefined> {
  return await Promise.race([answer.catch(() => undefined), delay(answerMs, undefined)]);
}
