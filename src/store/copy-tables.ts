/**
 * Copies all tables from one database to another in the order of their keys, so that a copy can resume after the last
 * row. The tables are read from an empty database of this version, so that none can be forgotten.
 */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { type Database, openSqlite } from './database.ts';
import type { Tables } from './rows.ts';

export type TableShape = {
  name: string;
  columns: readonly { name: string; type: string }[];
  /** The columns by which rows are sorted and identified. */
  key: readonly string[];
  /** The number of rows in an empty database. */
  seeded: number;
};

/** Tables that identify the database, and are not copied. */
const ofTheDatabase: readonly string[] = ['installation', 'storeMoves'] satisfies (keyof Tables)[];

/** Returns all tables of an installation, each after the tables that it refers to. */
export async function tableShapes(): Promise<TableShape[]> {
  const db = await openSqlite(':memory:');
  try {
    const tables = (await db.introspection.getTables()).map(({ name }) => name);
    const wanted = tables.filter((name) => !ofTheDatabase.includes(name)).sort();
    const shapes = new Map<string, TableShape>();
    const add = async (name: string): Promise<void> => {
      if (shapes.has(name)) return;
      for (const other of await referencesOf(db, name)) if (other !== name) await add(other);
      shapes.set(name, await shapeOf(db, name));
    };
    for (const name of wanted) await add(name);
    return [...shapes.values()];
  } finally {
    await db.destroy();
  }
}

async function referencesOf(db: Database, name: string): Promise<string[]> {
  const { rows } = await sql<{ table: string }>`select "table" from pragma_foreign_key_list(${name})`.execute(db);
  return rows.map(({ table }) => table);
}

async function shapeOf(db: Database, name: string): Promise<TableShape> {
  type Column = { name: string; type: string; pk: number };
  const { rows } = await sql<Column>`select name, lower(type) as type, pk from pragma_table_info(${name})`.execute(db);
  const key = rows.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
  const columns = rows.map(({ name, type }) => ({ name, type }));
  // Without a key, all columns identify the row.
  return { name, columns, key: (key.length > 0 ? key : rows).map(({ name }) => name), seeded: await count(db, name) };
}

async function count(db: Database, name: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(name)}`.execute(db);
  return rows[0]!.count;
}

/** Returns whether the database contains only what the migrations wrote. */
export async function isUntouched(db: Database, shapes: readonly TableShape[]): Promise<boolean> {
  for (const { name, seeded } of shapes) if ((await count(db, name)) !== seeded) return false;
  return true;
}

/** Referencing tables come first. */
export async function clearTables(db: Database, shapes: readonly TableShape[]): Promise<void> {
  for (const { name } of shapes.toReversed()) await sql`delete from ${sql.table(name)}`.execute(db);
}

type Value = string | number | null | Uint8Array;

/** In a form that both databases accept. */
type Row = Value[];

/** Rows per statement. A configuration may have a megabyte, and rows without bytes about a hundred bytes. */
const manyRows = 500;
const fewRows = 25;

/** The next rows after a key, or the first ones. */
async function rowsAfter(db: Database, shape: TableShape, after: Row | undefined): Promise<Row[]> {
  const { name, columns, key } = shape;
  const keys = sql.join(key.map((column) => sql.ref(column)));
  const { rows } = await sql<Record<string, unknown>>`
    select ${sql.join(columns.map((column) => sql.ref(column.name)))} from ${sql.table(name)}
    ${after ? sql`where (${keys}) > (${sql.join(after)})` : sql``}
    order by ${keys} limit ${columns.some(({ type }) => type === 'bytea') ? fewRows : manyRows}`.execute(db);
  return rows.map((row) => columns.map((column) => portable(row[column.name], column.type)));
}

/**
 * Converts values to a form that is the same in both databases: SQLite stores booleans as numbers, instants of the
 * sign-in library as text, and fractions and zero bytes unchanged. PostgreSQL does not.
 */
function portable(value: unknown, type: string): Value {
  if (value === null || value === undefined) return null;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'number') return /int/.test(type) ? Math.round(value) : value;
  if (typeof value !== 'string') return value as Uint8Array;
  if (type === 'date' && !Number.isNaN(Date.parse(value))) return new Date(value).toISOString();
  return value.replaceAll('\0', '\uFFFD');
}

function keyOf({ columns, key }: TableShape, row: Row): Row {
  return key.map((name) => row[columns.findIndex((column) => column.name === name)]!);
}

/** Returns the key of the last row. Rows are copied in order, so all earlier ones exist. */
export async function lastKey(db: Database, { name, key }: TableShape): Promise<Row | undefined> {
  const { rows } = await sql<Record<string, Value>>`
    select ${sql.join(key.map((column) => sql.ref(column)))} from ${sql.table(name)}
    order by ${sql.join(key.map((column) => sql`${sql.ref(column)} desc`))} limit 1`.execute(db);
  const last = rows[0];
  return last && key.map((column) => last[column]!);
}

/** Copies the next rows after a key. Returns the key of the last one, or undefined if there are no more rows. */
export async function copySome(
  from: Database,
  to: (work: (to: Database) => Promise<void>) => Promise<void>,
  shape: TableShape,
  after: Row | undefined,
): Promise<{ rows: number; last: Row } | undefined> {
  const rows = await rowsAfter(from, shape, after);
  const last = rows.at(-1);
  if (!last) return undefined;
  const names = sql.join(shape.columns.map(({ name }) => sql.ref(name)));
  const values = sql.join(rows.map((row) => sql`(${sql.join(row)})`));
  await to(async (to) => {
    await sql`insert into ${sql.table(shape.name)} (${names}) values ${values}`.execute(to);
  });
  return { rows: rows.length, last: keyOf(shape, last) };
}

export type TableDigest = { name: string; rows: number; digest: string };

/** Returns the digest of all rows of a table, in a form that both databases produce. */
export async function digestOf(db: Database, shape: TableShape): Promise<TableDigest> {
  const hash = createHash('sha256');
  let rows = 0;
  let after: Row | undefined;
  for (;;) {
    const some = await rowsAfter(db, shape, after);
    for (const row of some) hash.update(`${JSON.stringify(row.map(printed))}\n`);
    rows += some.length;
    const last = some.at(-1);
    if (!last) return { name: shape.name, rows, digest: hash.digest('hex') };
    after = keyOf(shape, last);
  }
}

/** A text never looks like bytes or a number. */
function printed(value: Value): unknown {
  return value instanceof Uint8Array ? { bytes: value.toHex() } : value;
}

/** Digests of all tables, consistent unless rows are written at the same time. */
export async function digests(db: Database, shapes: readonly TableShape[]): Promise<TableDigest[]> {
  const found: TableDigest[] = [];
  for (const shape of shapes) found.push(await digestOf(db, shape));
  return found;
}
