/**
 * What other processes on the same PostgreSQL have made due, as soon as they have committed it. News may be missed while
 * a connection is made anew; whoever polls finds it then.
 */
import { Client, type ClientConfig } from 'pg';
import { wait } from '../../lib/wait.ts';

/** The channel's name: those who listen are told in which process something was made due, and what. */
export const dueChannel = 'berth_due';

const shortestPauseMs = 100;
const longestPauseMs = 5_000;

/** `tell` is called with the id of a deployment, or with none when news may have been missed. */
export function followNews(config: ClientConfig, tell: (deploymentId?: string) => void): AsyncDisposable {
  const ending = new AbortController();
  let present: Client | undefined;

  async function follow(): Promise<void> {
    let pauseMs = shortestPauseMs;
    while (!ending.signal.aborted) {
      const client = new Client(config);
      present = client;
      const { promise: hasEnded, resolve } = Promise.withResolvers<void>();
      client.on('error', () => {}).once('end', resolve);
      client.on('notification', ({ payload = '' }) => {
        const [process, deploymentId] = payload.split(' ');
        if (process !== config.application_name) tell(deploymentId);
      });
      try {
        await client.connect();
        await client.query(`listen ${dueChannel}`);
        pauseMs = shortestPauseMs;
        tell();
        await hasEnded;
      } catch {
        await client.end().catch(() => {});
      }
      await wait(pauseMs, ending.signal);
      pauseMs = Math.min(2 * pauseMs, longestPauseMs);
    }
  }

  const following = follow();
  return {
    async [Symbol.asyncDispose]() {
      ending.abort();
      await present?.end().catch(() => {});
      await following;
    },
  };
}
