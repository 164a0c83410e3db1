/** A migration that begins no generation only adds: the release before reads and writes as ever. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Kysely, sql } from 'kysely';
import { earlierDatabase } from '../../../test/support/earlier-database.ts';
import { generationOf } from './generations.ts';
import { migrations } from './index.ts';

type Column = { table: string; name: string; type: string; notnull: number; dflt: string | null; pk: number };
type Rule = { table: string; rule: string };

/** All that a writer has to keep to. */
async function shapeOf(db: Kysely<never>): Promise<{ columns: Column[]; rules: Rule[] }> {
  const columns = sql<Column>`
    select t.name as "table", c.name, lower(c.type) as type, c."notnull", c.dflt_value as dflt, c.pk
    from sqlite_master t, pragma_table_info(t.name) c where t.type = 'table'`;
  const unique = sql<Rule>`
    select t.name as "table", 'unique: ' || coalesce(m.sql, (select group_concat(name) from pragma_index_info(i.name))) as rule
    from sqlite_master t, pragma_index_list(t.name) i left join sqlite_master m on m.name = i.name
    where t.type = 'table' and i."unique"`;
  const references = sql<Rule>`
    select t.name as "table", 'refers: ' || f."from" || ' to ' || f."table" as rule
    from sqlite_master t, pragma_foreign_key_list(t.name) f where t.type = 'table'`;
  return {
    columns: (await columns.execute(db)).rows,
    rules: [...(await unique.execute(db)).rows, ...(await references.execute(db)).rows],
  };
}

type Shape = Awaited<ReturnType<typeof shapeOf>>;

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
      .filter((column) => tables.has(column.table) && !known.has(key(column)) && column.notnull && column.dflt === null)
      .map((column) => `${key(column)} has to be written`),
    ...after.rules
      .filter((each) => tables.has(each.table) && !rules.has(JSON.stringify(each)))
      .map(({ table, rule }) => `${table} has a new rule, ${rule}`),
  ];
}

const names = Object.keys(migrations);
for (const [index, name] of names.entries()) {
  const before = generationOf(names.slice(0, index));
  // What was before the second generation had no promise to keep.
  if (before === 1 || generationOf(names.slice(0, index + 1)) > before) continue;
  test(`${name} only adds`, async () => {
    const { db, migrator } = await earlierDatabase<never>(names[index - 1]!);
    const earlier = await shapeOf(db);
    const { error } = await migrator.migrateTo(name);
    assert.equal(error, undefined);
    assert.deepEqual(obstaclesFor(earlier, await shapeOf(db)), []);
    await db.destroy();
  });
}

test('what would stop the release before is found, and what it does not notice is not', async () => {
  const { db } = await earlierDatabase<never>(names.at(-1)!);
  const earlier = await shapeOf(db);
  const change = async (text: string) => await sql.raw(text).execute(db);
  await change('create table "later" ("id" text primary key, "of" text not null unique references sessions(id))');
  await change('alter table "sessions" add column "note" text');
  await change('alter table "sessions" add column "count" integer not null default 0');
  await change('create index "byNote" on "sessions" ("note")');
  assert.deepEqual(obstaclesFor(earlier, await shapeOf(db)), []);
  await change('create unique index "one" on "sessions" ("accountId")');
  await change('alter table "revisions" drop column "settledAt"');
  await change('alter table "bans" rename column "reason" to "because"');
  const found = obstaclesFor(earlier, await shapeOf(db));
  assert.deepEqual(found.map((each) => each.replace(/ on .*/, '')).sort(), [
    'bans.because has to be written',
    'bans.reason is gone',
    'revisions.settledAt is gone',
    'sessions has a new rule, unique: CREATE UNIQUE INDEX "one"',
  ]);
  await db.destroy();
});
