/** What a migration that begins no generation owes, on each database: it only adds, and the release before reads and writes as ever. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Kysely, Migrator, sql } from 'kysely';
import { isPostgres } from '../../../src/store/dialect/dialect.ts';
import { generationOf } from '../../../src/store/migrations/generations.ts';
import { migrations } from '../../../src/store/migrations/index.ts';

type Column = { table: string; name: string; type: string; isNeeded: boolean; default: string | null };
type Rule = { table: string; rule: string };
/** All that a writer has to keep to. */
type Shape = { columns: Column[]; rules: Rule[] };

const names = Object.keys(migrations);
const latest = names.at(-1)!;

/** `open`: a database without a table, for each test. */
export function onlyAddsContract(database: string, open: () => Promise<Kysely<never>>): void {
  test(`${database}: each migration within a generation only adds`, async () => {
    await using db = await open();
    const migrateTo = migratorOf(db);
    let earlier: Shape = { columns: [], rules: [] };
    for (const [index, name] of names.entries()) {
      const [before, after] = [index, index + 1].map((end) => generationOf(names.slice(0, end)));
      // What was before the second generation had no promise to keep.
      if (after === 1) continue;
      await migrateTo(name);
      const shape = await shapeOf(db);
      if (after === before) assert.deepEqual(obstaclesFor(earlier, shape), [], name);
      earlier = shape;
    }
    assert.ok(earlier.columns.length > 100 && earlier.rules.length > 10, 'a shape was read');
  });

  test(`${database}: what would stop the release before is found, and what it does not notice is not`, async () => {
    await using db = await open();
    await migratorOf(db)(latest);
    const earlier = await shapeOf(db);
    const change = async (text: string) => await sql.raw(text).execute(db);
    await change('create table "later" ("id" text primary key, "of" text not null unique references sessions(id))');
    await change('alter table "sessions" add column "note" text');
    await change('alter table "sessions" add column "count" integer not null default 0');
    await change('create index "byNote" on "sessions" ("note")');
    assert.deepEqual(obstaclesFor(earlier, await shapeOf(db)), []);
    await change('create unique index one on "sessions" ("accountId")');
    await change('alter table "revisions" drop column "settledAt"');
    await change('alter table "bans" rename column "reason" to "because"');
    const found = obstaclesFor(earlier, await shapeOf(db));
    assert.deepEqual(found.map((each) => each.toLowerCase().replace(/ on .*/, '')).sort(), [
      'bans.because has to be written',
      'bans.reason is gone',
      'revisions.settledat is gone',
      'sessions has a new rule, unique: create unique index one',
    ]);
  });
}

function migratorOf(db: Kysely<never>): (name: string) => Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  return async (name) => {
    const { error } = await migrator.migrateTo(name);
    assert.equal(error, undefined);
  };
}

async function shapeOf(db: Kysely<never>): Promise<Shape> {
  const { columns, rules } = isPostgres(db) ? postgresShape : sqliteShape;
  return {
    columns: (await columns.execute(db)).rows.map((column) => ({ ...column, isNeeded: Boolean(column.isNeeded) })),
    rules: (await rules.execute(db)).rows,
  };
}

const sqliteShape = {
  columns: sql<Column>`
    select t.name as "table", c.name, lower(c.type) || ' ' || c.pk as type, c."notnull" as "isNeeded", c.dflt_value as "default"
    from sqlite_master t, pragma_table_info(t.name) c where t.type = 'table'`,
  rules: sql<Rule>`
    select t.name as "table", 'unique: ' || coalesce(m.sql, (select group_concat(name) from pragma_index_info(i.name))) as rule
    from sqlite_master t, pragma_index_list(t.name) i left join sqlite_master m on m.name = i.name
    where t.type = 'table' and i."unique"
    union all
    select t.name, 'refers: ' || f."from" || ' to ' || f."table"
    from sqlite_master t, pragma_foreign_key_list(t.name) f where t.type = 'table'`,
};

const postgresShape = {
  columns: sql<Column>`
    select table_name as "table", column_name as name, data_type || ' ' || coalesce(collation_name, '') as type,
      is_nullable = 'NO' as "isNeeded", case when is_identity = 'YES' then 'its own' else column_default end as "default"
    from information_schema.columns where table_schema = 'public' order by table_name, ordinal_position`,
  rules: sql<Rule>`
    select tablename as "table", 'unique: ' || indexdef as rule
    from pg_indexes where schemaname = 'public' and indexdef like 'CREATE UNIQUE %'
    union all
    select conrelid::regclass::text, pg_get_constraintdef(oid)
    from pg_constraint where connamespace = 'public'::regnamespace and contype in ('f', 'c', 'x')`,
};

/** What somebody who knows only the shape of before would stumble over. */
function obstaclesFor(before: Shape, after: Shape): string[] {
  const key = ({ table, name }: Column) => `${table}.${name}`;
  const now = new Map(after.columns.map((column) => [key(column), column]));
  const known = new Set(before.columns.map(key));
  const tables = new Set(before.columns.map(({ table }) => table));
  const rules = new Set(before.rules.map((each) => JSON.stringify(each)));
  return [
    ...before.columns.flatMap((column) => {
      const kept = now.get(key(column));
      if (!kept) return [`${key(column)} is gone`];
      return JSON.stringify(kept) === JSON.stringify(column) ? [] : [`${key(column)} is another one`];
    }),
    ...after.columns
      .filter((column) => tables.has(column.table) && !known.has(key(column)))
      .filter((column) => column.isNeeded && column.default === null)
      .map((column) => `${key(column)} has to be written`),
    ...after.rules
      .filter((each) => tables.has(each.table) && !rules.has(JSON.stringify(each)))
      .map(({ table, rule }) => `${table} has a new rule, ${rule}`),
  ];
}
