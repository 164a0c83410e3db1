/**
 * The store: one portable schema, reached through Kysely. SQLite here; another dialect needs only its own `open…`
 * beside this one. Every table has a file of its own with its queries.
 */
import { closeSync, openSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import {
  DEFAULT_MIGRATION_TABLE,
  type Dialect,
  type Generated,
  Kysely,
  Migrator,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  sql,
  type Transaction,
} from 'kysely';
import type { Deployment, Instant } from '../deployment/deployment.ts';
import type { EventKind } from '../deployment/event/event.ts';
import type { Ban } from '../deployment/limits/ban.ts';
import type { SessionStarts } from '../deployment/limits/session-starts.ts';
import { wait } from '../lib/wait.ts';
import { migrations } from './migrations/index.ts';

export type Tables = {
  installation: { id: string; createdAt: Instant };
  sessions: {
    id: string;
    tokenHash: string;
    createdAt: Instant;
    accountId: string | null;
    /** Null only where an earlier release has written it. */
    tokenMadeAt: Instant | null;
    tokenMadeFrom: string | null;
    tokenUsedAt: Instant | null;
    tokenUsedFrom: string | null;
    tokenEndedAt: Instant | null;
    starts: Generated<SessionStarts>;
  };
  /** Written by the sign-in library, as are the next two and others that nobody else touches; but `tier` is ours. */
  accounts: {
    id: string;
    name: string;
    email: string;
    /** A number in SQLite. */
    emailVerified: boolean | number;
    createdAt: string | Date;
    tier: string | null;
  };
  signIns: { expiresAt: string };
  verifications: { expiresAt: string };
  apiKeys: {
    id: string;
    accountId: string;
    name: string;
    start: string;
    keyHash: string;
    createdAt: Instant;
    lastUsedAt: Instant | null;
  };
  deployments: DeploymentRow;
  revisions: {
    deploymentId: string;
    number: number;
    /** Sealed JSON of the AppSpec. */
    spec: Uint8Array;
    /** Sealed text of the document as it was sent. */
    document: Uint8Array;
    createdAt: Instant;
    /** What it asks of the host. */
    memoryBytes: Generated<number>;
    cpuMillis: Generated<number>;
    diskBytes: Generated<number>;
    /** Null until the revisions from before they were counted are. */
    containers: number | null;
    volumes: number | null;
    gpus: number | null;
    /** JSON: all volumes of the deployment until then, each name with a size; null as the three before. */
    volumeSizes: string | null;
    /** A JSON list of what its pods name, in clear: an operator has to find who runs an image. */
    images: Generated<string>;
  };
  /** Sealed. */
  seeds: { deploymentId: string; seed: Uint8Array };
  revisionImages: { deploymentId: string; revision: number; image: string; reference: string };
  privateRepositories: { repository: string };
  imageAccess: { deploymentId: string; repository: string };
  pulledImages: { reference: string; lastUsedAt: Instant };
  events: EventRow;
  evictions: {
    deploymentId: string;
    revision: number;
    pod: string;
    replica: number;
    at: Instant;
    because: string;
  };
  leases: {
    deploymentId: string;
    dueAt: Instant | null;
    token: string | null;
    leasedUntil: Instant | null;
    /** Of what the last visit saw; null when it failed, and before the first one. */
    outline: string | null;
  };
  claims: { tokenHash: string; deploymentId: string; createdAt: Instant; expiresAt: Instant };
  /** Where a deployment was started from: the address, and the client that the limits count. */
  origins: { deploymentId: string; address: string; client: string };
  bans: Ban & { createdAt: Instant };
  auditEntries: { number: number; at: Instant; actor: string; action: string; subject: string; reason: string };
  idempotency: {
    keyHash: string;
    bodyHash: string;
    deploymentId: string;
    /** Sealed, so that a repeated request can be answered with the same token. */
    sessionToken: Uint8Array;
    expiresAt: Instant;
  };
};

export type EventRow = {
  deploymentId: string;
  number: number;
  /** Grows with everything that is told of the deployment. */
  sequence: number;
  kind: EventKind;
  /** Equal for those that repeat one another; null where nothing is counted. */
  identity: string | null;
  /** JSON of what the event says beside its kind. */
  fields: string;
  count: number;
  firstAt: Instant;
  at: Instant;
};

/** As the deployment, with what is no plain value as JSON. */
export type DeploymentRow = Omit<Deployment, 'explanation' | 'pods' | 'lastLines' | 'endpoints'> & {
  explanation: string | null;
  pods: string;
  lastLines: string;
  endpoints: string;
  /** 1 when it was there, beside a newer one of its name in its session, before names became unique; else 0. */
  sharesName: Generated<number>;
};

/** The database, or a transaction of it: every query takes either. */
export type Database = Kysely<Tables> | Transaction<Tables>;

/** Opens (and creates or migrates) the database file; `:memory:` for tests. */
export async function openSqlite(file: string): Promise<Kysely<Tables>> {
  return await openDatabase(sqliteDialect(file));
}

export function sqliteDialect(file: string): Dialect {
  // SQLite makes it readable to all, and its write-ahead log like the file itself.
  if (file !== ':memory:') closeSync(openSync(file, 'a', 0o600));
  // Before anything else: the first look at the file waits too, for another process that is closing it, for example.
  const sqlite = new DatabaseSync(file, { timeout: 5000 });
  // FULL: an answered request survives a power cut, not only a crash of ours. Costs 0.18 ms a write (measured).
  sqlite.exec('pragma journal_mode = wal; pragma synchronous = full');
  // What is deleted or written over leaves the file as well: it may be sealed with a key that others know by now.
  sqlite.exec('pragma secure_delete = on');
  return new TransactionalDialect({ database: forKysely(sqlite) });
}

/**
 * SQLite changes tables within transactions too; Kysely does not count on it. So a migration is all or nothing, and of
 * processes that start at once one migrates while the others wait.
 */
class TransactionalDialect extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new TransactionalAdapter();
  }
}

class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/**
 * Empties the write-ahead log, which holds pages from before the last changes. False when others read all the time.
 */
export async function forgetOldPages(db: Kysely<Tables>): Promise<boolean> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(db);
    if (rows[0]?.busy === 0) return true;
    await wait(20);
  }
  return false;
}

/** Migrated to the schema of this version. */
export async function openDatabase(dialect: Dialect): Promise<Kysely<Tables>> {
  const database = new Kysely<Tables>({ dialect });
  const migrator = new Migrator({ db: database, provider: { getMigrations: async () => migrations } });
  if (await isCurrent(database)) return database;
  const { error } = await migrator.migrateToLatest();
  if (error) throw error;
  return database;
}

/** Migrating begins as a writer, and would wait for whoever writes: a command beside a service has nothing to migrate. */
async function isCurrent(database: Kysely<Tables>): Promise<boolean> {
  const tables = await database.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === DEFAULT_MIGRATION_TABLE)) return false;
  const table = sql.table(DEFAULT_MIGRATION_TABLE);
  const { rows } = await sql<{ name: string }>`select name from ${table} order by name`.execute(database);
  // One that is not known here is a newer release's, and for the migrator to refuse.
  return isDeepStrictEqual(
    rows.map(({ name }) => name),
    Object.keys(migrations).sort(),
  );
}

/**
 * Our transactions read and then write. One that begins as a reader is refused at its first write when another process
 * (a command of the operator) has written since; one that begins as a writer waits for it instead.
 */
const beginToWrite = 'begin immediate';

/** Kysely's dialect was made for another driver with the same ideas; this is the difference. */
function forKysely(sqlite: DatabaseSync): SqliteDatabase {
  const statements = new Map<string, { statement: ReturnType<DatabaseSync['prepare']>; reader: boolean }>();

  function statementOf(sql: string) {
    const known = statements.get(sql);
    if (known) return known;
    const statement = sqlite.prepare(sql === 'begin' ? beginToWrite : sql);
    const made = { statement, reader: statement.columns().length > 0 };
    statements.set(sql, made);
    return made;
  }

  return {
    close: () => sqlite.close(),
    prepare(sql) {
      const { statement, reader } = statementOf(sql);
      const values = (parameters: readonly unknown[]) => parameters as SQLInputValue[];
      return {
        reader,
        all: (parameters) => statement.all(...values(parameters)),
        run: (parameters) => statement.run(...values(parameters)),
        iterate: (parameters) => statement.iterate(...values(parameters)) as IterableIterator<unknown>,
      };
    },
  };
}
