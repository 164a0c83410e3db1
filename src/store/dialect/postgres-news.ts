/**
 * Notifications between processes on the same PostgreSQL, delivered at commit. They may be lost while a connection is
 * replaced; polling makes up for that.
 */
import { Client, type ClientConfig } from 'pg';
import { createBackoff } from '../../lib/backoff.ts';
import { wait } from '../../lib/wait.ts';
import { bePresent, watchPresence } from './postgres-presence.ts';

/** The content of each channel. Payloads begin with the name of the sending process and a space. */
export const channels = {
  /** The id of a deployment that is due. */
  due: 'berth_due',
  /** The id of a deployment that has a new event. */
  told: 'berth_told',
  /** Nothing: routes have changed. */
  routes: 'berth_routes',
  /** Nothing: an edge has said which routes it serves. */
  edges: 'berth_edges',
  /** Request counts of clients, as `api/requests/shared-limits.ts` writes them. */
  asked: 'berth_asked',
} as const;

export type Channel = keyof typeof channels;

export type News = { channel: Channel; text: string; isOwn: boolean };

export type NewsReader = {
  /** Says to the others that it is there, by this id. */
  processId: string;
  /** Called without news when some may have been missed. */
  tell(news?: News): void;
  /** Whether the others see that it is there. */
  seen(isSeen: boolean): void;
  /** Another process holds something, and is not there any more. */
  gone(processId: string): void;
};

export function followNews(config: ClientConfig, { processId, tell, seen, gone }: NewsReader): AsyncDisposable {
  const ending = new AbortController();
  const byName = new Map<string, Channel>(
    Object.entries(channels).map(([channel, name]) => [name, channel as Channel]),
  );
  let present: Client | undefined;

  async function follow(): Promise<void> {
    const backoff = createBackoff(pauses);
    while (!ending.signal.aborted) {
      const client = new Client(config);
      present = client;
      const { promise: hasEnded, resolve } = Promise.withResolvers<void>();
      client.on('error', () => {}).once('end', resolve);
      client.on('notification', ({ channel: name, payload = '' }) => {
        const channel = byName.get(name);
        const end = payload.indexOf(' ');
        const isOwn = payload.slice(0, end) === config.application_name;
        if (channel) tell({ channel, isOwn, text: payload.slice(end + 1) });
      });
      try {
        await client.connect();
        await bePresent(client, processId);
        seen(true);
        for (const name of byName.keys()) await client.query(`listen ${name}`);
        backoff.reset();
        tell();
        const watching = new AbortController();
        void hasEnded.then(() => watching.abort());
        await watchPresence(client, gone, watching.signal);
      } catch {
        await client.end().catch(() => {});
      }
      seen(false);
      await wait(backoff.next(), ending.signal);
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

const pauses = { firstMs: 200, longestMs: 5_000 };
