/** The door of this layer: the database of an installation, in its data directory or on a server. */
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import { newId } from '../lib/ids.ts';
import type { PostgresAddress } from '../lib/postgres-address.ts';
import { openPostgres, openSqlite } from './database.ts';
import { clientConfig, processPrefix } from './dialect/postgres.ts';
import { followNotifications, type Notification } from './dialect/postgres-notifications.ts';
import { requireSound } from './dialect/sqlite-corruption.ts';
import type { StoreProcess } from './duties.ts';
import { provideInstallationId } from './installation.ts';
import type { NotificationListener } from './notify-processes.ts';
import { readEpoch } from './quarantine.ts';
import type { Tables } from './rows.ts';
import { requireNotMoving } from './store-moves.ts';

export type StoreSettings = {
  dataDir: string;
  /** Absent: SQLite, in a file of the data directory. */
  databaseUrl: PostgresAddress | undefined;
  databaseConnections: number;
  /** A word without a dot or a space that other services on the database see in the name of this process. */
  mark?: string;
};

export type Store = AsyncDisposable & {
  db: Kysely<Tables>;
  /** The id of the installation. */
  owner: string;
  /** The epoch of the store, as this process last read or raised it. */
  epoch: { value: number };
  /** The name of this process among those on the database. */
  processName: string;
  /** This process, as other processes see it: its holdings, and whether it is connected. */
  process: StoreProcess;
  /** Subscribes to notifications between processes, if there may be several: in PostgreSQL. */
  follow(listener: NotificationListener): Promise<AsyncDisposable>;
};

/**
 * For a service: makes or updates its tables. Throws StartError, also if the server cannot be used.
 */
export async function openStore(settings: StoreSettings): Promise<Store> {
  await using opening = new AsyncDisposableStack();
  const { databaseUrl, databaseConnections: connections, mark } = settings;
  const processId = newId();
  const processName = `${processPrefix}${processId}${mark === undefined ? '' : `.${mark}`}`;
  const server = databaseUrl && { ...databaseUrl, connections, processName };
  const db = server ? await openPostgres(server) : await openSqlite(databaseFile(settings));
  opening.defer(() => db.destroy());
  if (!server) await requireSound(db, databaseFile(settings));
  await requireNotMoving(db);
  const owner = await provideInstallationId(db);
  const epoch = { value: await readEpoch(db) };
  let isSeen = false;
  const setReachable = (is: boolean) => {
    isSeen = is;
  };
  const open = opening.move();
  return {
    db,
    owner,
    epoch,
    processName,
    process: { id: processId, isSeen: () => isSeen },
    follow: async (listener) => {
      const reader = {
        processId,
        setReachable,
        notify: (news?: Notification) => pass(news, listener),
        onProcessEnd: listener.onProcessEnd,
      };
      return server ? followNotifications(await clientConfig(server), reader) : new AsyncDisposableStack();
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

/** Passes a notification to its listener. */
function pass(news: Notification | undefined, listener: NotificationListener): void {
  if (!news) {
    listener.due();
    listener.routes();
    return;
  }
  const { channel, text, isOwn } = news;
  // The process that sent these notifications needs no reaction to them.
  if (isOwn && (channel === 'due' || channel === 'counts')) return;
  listener[channel](text);
}

/** Where the database is that no setting names. */
export function databaseFile({ dataDir }: Pick<StoreSettings, 'dataDir'>): string {
  return join(dataDir, 'berth.db');
}

/**
 * Opens only the database, for commands, without changing its schema. Throws StartError if the schema is of another
 * version. Close it with `destroy`.
 */
export async function openTables(settings: StoreSettings): Promise<Kysely<Tables>> {
  const { databaseUrl, databaseConnections: connections } = settings;
  return databaseUrl
    ? await openPostgres({ ...databaseUrl, connections }, 'nothing')
    : await openSqlite(databaseFile(settings), 'nothing');
}
