/**
 * Notifications between processes on the same PostgreSQL, delivered at commit. They may be lost while a connection is
 * replaced; polling makes up for that.
 */
import { Client, type ClientConfig } from 'pg';
import { createBackoff } from '../../lib/backoff.ts';
import { wait } from '../../lib/wait.ts';

/** The content of each channel. Payloads begin with the name of the sending process and a space. */
export const channels = {
  /** The id of a deployment that is due. */
  due: 'berth_due',
  /** The id of a deployment that has a new event. */
  events: 'berth_told',
  /** No payload: routes have changed. */
  routes: 'berth_routes',
  /** No payload: an edge has reported which routes it serves. */
  edges: 'berth_edges',
  /** Request counts of clients, as `api/requests/shared-limits.ts` writes them. */
  counts: 'berth_asked',
} as const;

export type Channel = keyof typeof channels;

export type Notification = { channel: Channel; text: string; isOwn: boolean };

export type NotificationReader = {
  /** The ID under which other processes see this one as connected. */
  processId: string;
  /** Called without news when some may have been missed. */
  notify(news?: Notification): void;
  /** Returns whether the other processes see this one as connected. */
  setReachable(isSeen: boolean): void;
  /** The connection of another process has ended, but its leases have not. */
  onProcessEnd(processId: string): void;
};

export function followNotifications(
  config: ClientConfig,
  { processId, notify, setReachable, onProcessEnd }: NotificationReader,
): AsyncDisposable {
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
        if (channel) notify({ channel, isOwn, text: payload.slice(end + 1) });
      });
      try {
        await client.connect();
        await announcePresence(client, processId);
        setReachable(true);
        for (const name of byName.keys()) await client.query(`listen ${name}`);
        backoff.reset();
        notify();
        const watching = new AbortController();
        void hasEnded.then(() => watching.abort());
        await watchPresence(client, onProcessEnd, watching.signal);
      } catch {
        await client.end().catch(() => {});
      }
      setReachable(false);
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

/**
 * Detects the connected processes on one PostgreSQL. Each holds a lock while its session lasts. The server ends the
 * session of a killed process at once, so other processes need not wait until its leases expire. A paused process keeps
 * its lock.
 */

/** Advisory locks with this number say that a process is connected. */
const presence = 0x6265_7276;

const lookMs = 1_000;

/** The number of consecutive checks that must miss a process. A broken session reconnects within one check. */
const looksUntilGone = 3;

/** After a restart of the server, the others reconnect within 5 s, like this one. */
const looksUntilAllAreBack = 10;

/** Absent processes that hold a lease or a duty. A holder's name begins with its process and a dot. */
const absentHolders = `
  select holder from (
    select split_part(token, '.', 1) as holder from leases where "leasedUntil" is not null and token like '%.%'
    union select split_part(holder, '.', 1) from duties where holder like '%.%'
  ) as holders
  where not exists (
    select from pg_locks where locktype = 'advisory' and classid = ${presence} and objsubid = 2
    and database = (select oid from pg_database where datname = current_database())
    and objid::bigint = (hashtext(holder)::bigint & 4294967295)
  )`;

/** Announces in this session, until its end, that the process is connected. */
async function announcePresence(client: Client, processId: string): Promise<void> {
  await client.query(`select pg_advisory_lock_shared(${presence}, hashtext($1))`, [processId]);
}

/** Reports each absent process that holds something, at every check, until the session ends or the abort. */
async function watchPresence(
  client: Client,
  onProcessEnd: (processId: string) => void,
  end: AbortSignal,
): Promise<void> {
  const absences = new Map<string, number>();
  for (let look = 1; ; look++) {
    await wait(lookMs, end);
    if (end.aborted) return;
    const { rows } = await client.query<{ holder: string }>(absentHolders);
    const absent = new Set(rows.map(({ holder }) => holder));
    for (const holder of absences.keys()) if (!absent.has(holder)) absences.delete(holder);
    for (const holder of absent) {
      const count = (absences.get(holder) ?? 0) + 1;
      absences.set(holder, count);
      if (count >= looksUntilGone && look > looksUntilAllAreBack) onProcessEnd(holder);
    }
  }
}
