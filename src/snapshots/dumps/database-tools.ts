/**
 * PURE. How each kind of database is dumped and loaded by its own tools. Scripts are constant. Variable parts are
 * arguments or input, and passwords are in the container's own variables.
 */
import type { LoadedKind } from '../../deployment/snapshot/dump.ts';
import type { Tool } from './run-tool.ts';

/** For PostgreSQL, the options of `CREATE DATABASE`. */
export type DumpedDatabase = { name: string } & Partial<Record<(typeof traits)[number], string>>;

const traits = ['owner', 'encoding', 'collate', 'ctype'] as const;

export type DatabaseTools = {
  /** Writes which databases there are, to be read by `databasesIn`. */
  list: Tool;
  dump(database: DumpedDatabase): Tool;
  /** The last line of a dump that is whole. */
  ending: RegExp;
  /** Returns the steps to load a dump, in order. `input`: replaces the dump. */
  load(databases: readonly DumpedDatabase[]): LoadStep[];
  /** The next step after a failure of one of these. */
  giveUp?(databases: readonly DumpedDatabase[]): LoadStep;
};

/** `before`: SQL that precedes the dump. */
export type LoadStep = { tool: Tool; input: { sql: string } | { before?: string; database: number } };

/** Parses the output of `list`, one database per line. Throws for other output. */
export function databasesIn(written: string): DumpedDatabase[] {
  const lines = written.split('\n').filter((line) => line.trim() !== '');
  const found = lines.map((line) => JSON.parse(line) as unknown).map(readDatabase);
  if (found.length === 0 || found.length > maxDatabases) throw new Error(`it has ${found.length} databases`);
  return found;
}

const maxDatabases = 100;

function readDatabase(value: unknown): DumpedDatabase {
  const given = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  const text = (key: string) => {
    const found = given[key];
    if (typeof found !== 'string' || found.length > 300 || found.includes('\0')) throw new Error(`no ${key}`);
    return found;
  };
  const known = traits.filter((key) => given[key] != null).map((key) => [key, text(key)] as const);
  return { name: text('name'), ...Object.fromEntries(known) };
}

const sh = (what: string, script: string, ...given: string[]): Tool => ({
  what,
  command: ['sh', '-c', script, 'sh', ...given],
});

const asOwner = 'export PGUSER="${POSTGRES_USER:-postgres}" PGPASSWORD="$POSTGRES_PASSWORD"; ';
// Connects to a database without other sessions.
const psql = `${asOwner}exec psql -XAtq -v ON_ERROR_STOP=1 -d template1`;
const sql = sh('psql', psql);

/**
 * Renaming a database locks it: new connections fail, and the rename waits a moment for existing ones, which another
 * session terminates. So connections need not be disabled before, because they would stay disabled after a kill.
 */
const ending = `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datid IN (SELECT objid FROM pg_locks
  WHERE classid = 'pg_database'::regclass AND mode = 'AccessExclusiveLock' AND granted)`;
const renaming = sh(
  'psql',
  `${asOwner}printf %s "${ending} \\\\watch 0.2" | psql -XAtq -d template1 >/dev/null 2>&1 & ending=$!; ` +
    'psql -XAtq -v ON_ERROR_STOP=1 -d template1; status=$?; kill $ending; exit $status',
);

/**
 * Each database is filled under a temporary name, and then all are renamed in one transaction. So either the old or the
 * new ones exist.
 */
const postgres: DatabaseTools = {
  list: sh(
    'psql',
    `${psql} -c "SELECT json_build_object('name', datname, 'owner', pg_get_userbyid(datdba), ` +
      `'encoding', pg_encoding_to_char(encoding), 'collate', datcollate, 'ctype', datctype) FROM pg_database ` +
      `WHERE NOT datistemplate AND datallowconn AND datname !~ '^berth_(restore|before)_[0-9]+$' ORDER BY datname"`,
  ),
  // The name is passed in a variable, because `pg_dump` could take an argument for an address.
  dump: ({ name }) => sh('pg_dump', `${asOwner}export PGDATABASE="$1"; exec pg_dump --format=plain`, name),
  ending: /^-- PostgreSQL database dump complete\s*$/m,
  load: (databases) => [
    ...databases.flatMap(({ owner = '', encoding = '', collate = '', ctype = '' }, at): LoadStep[] => [
      {
        tool: sql,
        input: {
          sql:
            `DROP DATABASE IF EXISTS ${other(at)} WITH (FORCE);\n` +
            `CREATE DATABASE ${other(at)} TEMPLATE template0 OWNER ${named(owner)} ENCODING ${quoted(encoding)} ` +
            `LC_COLLATE ${quoted(collate)} LC_CTYPE ${quoted(ctype)};\n`,
        },
      },
      {
        tool: sh('psql', `${asOwner}export PGDATABASE="$1"; exec psql -Xq -v ON_ERROR_STOP=1 -o /dev/null`, other(at)),
        input: { database: at },
      },
    ]),
    { tool: renaming, input: { sql: swapping(databases) } },
  ],
  giveUp: (databases) => ({
    tool: sql,
    input: { sql: databases.map((_, at) => `DROP DATABASE IF EXISTS ${other(at)} WITH (FORCE);\n`).join('') },
  }),
};

const other = (at: number) => `berth_restore_${at}`;
const before = (at: number) => `berth_before_${at}`;

/** A session that waits for a lock on one of them blocks all new connections to it. */
const maxWaiting = '1min';

function swapping(databases: readonly DumpedDatabase[]): string {
  const drops = databases.map((_, at) => `DROP DATABASE IF EXISTS ${before(at)} WITH (FORCE);\n`).join('');
  const renames = databases.map(
    ({ name }, at) =>
      `SELECT format('ALTER DATABASE %I RENAME TO %I', datname, ${quoted(before(at))}) FROM pg_database ` +
      `WHERE datname = ${quoted(name)} \\gexec\nALTER DATABASE ${other(at)} RENAME TO ${named(name)};\n`,
  );
  return `SET lock_timeout = '${maxWaiting}';\n${drops}BEGIN;\n${renames.join('')}COMMIT;\n${drops}`;
}

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;
const named = (text: string) => `"${text.replaceAll('"', '""')}"`;

const asRoot =
  'user=root; export MYSQL_PWD="${MARIADB_ROOT_PASSWORD:-$MYSQL_ROOT_PASSWORD}"; ' +
  'if [ -z "$MYSQL_PWD" ] && [ -n "${MARIADB_USER:-$MYSQL_USER}" ]; then ' +
  'user="${MARIADB_USER:-$MYSQL_USER}" MYSQL_PWD="${MARIADB_PASSWORD:-$MYSQL_PASSWORD}"; fi; ';
const client = `${asRoot}client=mariadb; command -v mariadb >/dev/null || client=mysql; exec "$client" --user="$user" --batch`;

/** The tools cannot rename all tables at once, so concurrent readers may see only a part of the data. */
const mysql: DatabaseTools = {
  list: sh(
    'mariadb',
    `${client} --raw --skip-column-names --execute "SELECT JSON_OBJECT('name', schema_name) FROM information_schema.schemata ` +
      `WHERE schema_name NOT IN ('mysql', 'information_schema', 'performance_schema', 'sys') ORDER BY schema_name"`,
  ),
  dump: ({ name }) =>
    sh(
      'mariadb-dump',
      `${asRoot}dump=mariadb-dump; command -v mariadb-dump >/dev/null || dump=mysqldump; ` +
        'exec "$dump" --user="$user" --single-transaction --quick --routines --events --triggers --hex-blob ' +
        '--no-tablespaces --add-drop-database --databases -- "$1"',
      name,
    ),
  ending: /^-- Dump completed.*$/m,
  load: (databases) =>
    databases.map((_, at) => ({ tool: sh('mariadb', client), input: { before: alone, database: at } })),
};

/**
 * A server continues a statement after its client has ended: a statement of a killed service could drop a database that
 * was loaded since. So a load takes a named lock, and kills the session that holds it. A select with two rows is an
 * error.
 */
const alone = `SET @held = IS_USED_LOCK('berth_restore');
SET @ending = IF(@held IS NULL, 'DO 0', CONCAT('KILL ', @held));
PREPARE berth_ending FROM @ending;
EXECUTE berth_ending;
SET @held = GET_LOCK('berth_restore', 60);
SET @held = (SELECT 1 UNION SELECT IF(@held = 1, 1, 2));
`;

/** Returns whether either the old or the new databases exist at any instant. */
export function loadsAtOnce(kind: LoadedKind): boolean {
  return kind === 'postgres';
}

export const databaseTools: Record<LoadedKind, DatabaseTools> = { postgres, mysql };
