/** The door of this layer: the database of an installation, in its data directory or on a server. */
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import { newId } from '../lib/ids.ts';
import type { PostgresAddress } from '../lib/postgres-address.ts';
import { openPostgres, openSqlite, type Tables } from './database.ts';
import { clientConfig } from './dialect/postgres.ts';
import { followNews } from './dialect/postgres-news.ts';
import { provideInstallationId } from './installation.ts';

export type StoreSettings = {
  dataDir: string;
  /** Absent: SQLite, in a file of the data directory. */
  databaseUrl: PostgresAddress | undefined;
  databaseConnections: number;
};

export type Store = AsyncDisposable & {
  db: Kysely<Tables>;
  /** The id of the installation. */
  owner: string;
  /**
   * Tells of deployments that other processes have made due, at once where the database can: in PostgreSQL. Without an
   * id, there may have been some.
   */
  follow(tell: (deploymentId?: string) => void): Promise<AsyncDisposable>;
};

/** Makes or migrates it where it has to be. Throws StartError where a server cannot be used. */
export async function openStore(settings: StoreSettings): Promise<Store> {
  await using opening = new AsyncDisposableStack();
  const { databaseUrl, databaseConnections: connections } = settings;
  const server = databaseUrl && { ...databaseUrl, connections, processName: `berth-${newId()}` };
  const db = server ? await openPostgres(server) : await openSqlite(databaseFile(settings));
  opening.defer(() => db.destroy());
  const owner = await provideInstallationId(db);
  const open = opening.move();
  return {
    ...{ db, owner },
    follow: async (tell) => (server ? followNews(await clientConfig(server), tell) : new AsyncDisposableStack()),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

/** Where the database is that no setting names. */
export function databaseFile({ dataDir }: Pick<StoreSettings, 'dataDir'>): string {
  return join(dataDir, 'berth.db');
}

/** The database alone, for commands: close it with `destroy`. */
export async function openTables(settings: StoreSettings): Promise<Kysely<Tables>> {
  const { databaseUrl, databaseConnections: connections } = settings;
  return databaseUrl ? await openPostgres({ ...databaseUrl, connections }) : await openSqlite(databaseFile(settings));
}
