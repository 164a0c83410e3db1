/** People who ask for the same again and again, on connections that they keep and on new ones. */
import { Agent, get, type RequestOptions } from 'node:http';
import { wait } from '../../src/lib/wait.ts';

/** `statuses`: of which one is right; default: 200. One that came later than another must not come before it again. */
export type Asked = { port: number; host: string; path: string; statuses?: readonly number[] };

export type Crowd = {
  /** How often each of them has been answered. */
  counts: readonly number[];
  /** The wrong answers, once all requests are answered. */
  end(): Promise<string[]>;
};

export function crowdOf(requested: readonly Asked[]): Crowd {
  const failed: string[] = [];
  const counts: number[] = [];
  let isGoing = true;
  const everybody = [true, false].flatMap((keepAlive) =>
    requested.map(async ({ port, host, path, statuses = [200] }) => {
      const agent = new Agent({ keepAlive, maxSockets: 1 });
      const own = counts.push(0) - 1;
      let known = 0;
      while (isGoing) {
        const answered = await answerOf({ agent, host: '127.0.0.1', port, path, headers: { host } });
        const index = statuses.map(String).indexOf(answered, known);
        if (index < 0) failed.push(`${host} ${path.split('?')[0]} at ${port}: ${answered}`);
        else known = index;
        counts[own]!++;
        await wait(25);
      }
      agent.destroy();
    }),
  );
  return {
    counts,
    async end() {
      isGoing = false;
      await Promise.all(everybody);
      return failed;
    },
  };
}

function answerOf(options: RequestOptions): Promise<string> {
  return new Promise((resolve) => {
    get(options, (response) => {
      response.resume().once('end', () => resolve(String(response.statusCode)));
      response.once('error', ({ message }) => resolve(message));
    }).once('error', ({ message }) => resolve(message));
  });
}
