/** PostgreSQL, 14 or newer: a separate database on an external server. */
import { readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import type { ConnectionOptions } from 'node:tls';
import { type Dialect, type Kysely, PostgresDialect, type QueryExecutorProvider, sql } from 'kysely';
import { type ClientConfig, Pool, type PoolConfig, types } from 'pg';
import type { PostgresAddress } from '../../lib/postgres-address.ts';
import { StartError } from '../../lib/start-error.ts';
import { forKysely } from './postgres-pool.ts';

export type PostgresSettings = PostgresAddress & {
  /** The maximum number of connections of this process. */
  connections: number;
  /** The name of this process at the server and in notifications to other processes, without spaces. */
  processName?: string;
  /** The setting to fix if the URL is invalid. Default: BERTH_DATABASE_URL. */
  setting?: string;
  /** How long a request waits for a connection or a lock before the client gets "busy". Default: 5 s. */
  patienceMs?: number;
};

/** The prefix of services' names. Commands have another one. */
export const processPrefix = 'berth-';

const usualSetting = 'BERTH_DATABASE_URL';

/** Equal to the time limit of an API request. */
const statementMs = 30_000;
/** Another transaction may hold the lock. */
const usualPatienceMs = 5_000;
/**
 * Longer than any pause between two of Berth's statements. A process that exceeds it is suspended, and others wait for
 * its locks.
 */
const idleInTransactionMs = 15_000;

/** `isMigrating`: without a time limit, which changes of tables need. Throws StartError. */
export async function postgresDialect(settings: PostgresSettings, isMigrating = false): Promise<Dialect> {
  const { patienceMs = usualPatienceMs } = settings;
  const config: PoolConfig = {
    ...(await clientConfig(settings)),
    max: isMigrating ? 1 : settings.connections,
    types: { getTypeParser },
    ...(!isMigrating && {
      statement_timeout: statementMs,
      lock_timeout: patienceMs,
      idle_in_transaction_session_timeout: idleInTransactionMs,
      // A server that does not even report the timeout is unreachable.
      query_timeout: statementMs + patienceMs,
    }),
  };
  return new PostgresDialect({ pool: async () => forKysely(new Pool(config), patienceMs) });
}

/** Returns how to connect. Throws StartError if a file in the URL cannot be read. */
export async function clientConfig(settings: PostgresSettings): Promise<ClientConfig> {
  const { host, port, user = userInfo().username, password, database = user, processName = 'berth' } = settings;
  return {
    host,
    port,
    user,
    database,
    ...(password !== undefined && { password }),
    ssl: await tlsOptions(settings),
    application_name: processName,
    connectionTimeoutMillis: settings.patienceMs ?? usualPatienceMs,
    keepAlive: true,
  };
}

const oldestVersion = 14;

/** Throws StartError with a hint if the server cannot be reached, or if the database cannot be used. */
export async function requireUsable<T>(
  db: Kysely<T>,
  { host, port, setting = usualSetting }: PostgresSettings,
): Promise<void> {
  const facts = sql<{ version: number; encoding: string }>`select current_setting('server_version_num')::int as version,
    current_setting('server_encoding') as encoding`;
  const { rows } = await facts.execute(db).catch(({ message }: Error) => {
    throw new StartError(`${setting}: ${message} (server ${host}, port ${port})`);
  });
  const { version, encoding } = rows[0]!;
  if (version < oldestVersion * 10_000)
    throw new StartError(
      `The PostgreSQL at ${host} is ${Math.floor(version / 10_000)}; Berth needs ${oldestVersion} or newer.`,
    );
  if (encoding !== 'UTF8')
    throw new StartError(`The database of ${setting} holds ${encoding}: make one with encoding 'UTF8'.`);
}

/** The names of the other services that are connected to this database now. */
export async function otherServices(db: QueryExecutorProvider): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select distinct application_name as name from pg_stat_activity
    where datname = current_database() and application_name like ${`${processPrefix}%`}
    and application_name <> current_setting('application_name')`.execute(db);
  return rows.map(({ name }) => name);
}

async function tlsOptions({ host, tls, setting = usualSetting }: PostgresSettings): Promise<ConnectionOptions | false> {
  const { mode, caFile, certificateFile, keyFile } = tls;
  if (mode === 'disable') return false;
  const read = async (file: string) =>
    await readFile(file).catch(({ message }: Error) => {
      throw new StartError(`${setting}: ${message}`);
    });
  return {
    ...(caFile !== undefined && { ca: await read(caFile) }),
    ...(certificateFile !== undefined && { cert: await read(certificateFile) }),
    ...(keyFile !== undefined && { key: await read(keyFile) }),
    rejectUnauthorized: mode !== 'require' || caFile !== undefined,
    ...(mode !== 'verify-full' && { checkServerIdentity: () => undefined }),
    host,
  };
}

/** https://github.com/postgres/postgres/blob/REL_15_STABLE/src/include/catalog/pg_type.dat */
const int8 = 20;
const numeric = 1700;
const bytea = 17;

/** Parses values like SQLite: as numbers, which are large enough for instants and sizes, and as plain bytes. */
function getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  if (oid === int8 || oid === numeric) return toNumber;
  if (oid === bytea) return toBytes;
  return types.getTypeParser(oid, format);
}

function toNumber(text: string): number {
  const number = Number(text);
  if (Math.abs(number) > Number.MAX_SAFE_INTEGER) throw new Error('the database has a number that is too large');
  return number;
}

/** Written as `\\x` and two digits a byte. */
function toBytes(text: string): Uint8Array {
  return Uint8Array.fromHex(text.slice(2));
}
