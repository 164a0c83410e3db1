import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Kysely, sql } from 'kysely';
import { databaseFile, earlierDatabase } from '../../../test/support/earlier-database.ts';
import { StartError } from '../../lib/start-error.ts';
import { type Database, openSqlite } from '../database.ts';
import { sqliteDialect } from '../dialect/sqlite.ts';
import type { Tables } from '../rows.ts';
import { generationOf } from './generations.ts';
import { generationChanges, migrations } from './index.ts';
import { hasAdditions, migrate, type SchemaRight, stepOf } from './migrate.ts';

const names = Object.keys(migrations);
const generation = generationOf(names);
const lastOfBefore = names.findLast((_, index) => generationOf(names.slice(0, index + 1)) < generation)!;

async function opened<T>(file: string, right: SchemaRight, look: (db: Database) => Promise<T>): Promise<T> {
  const db = await openSqlite(file, right);
  return await look(db).finally(() => db.destroy());
}
const presentIn = async (db: Database) => {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  return rows.map(({ name }) => name);
};
async function refusal(file: string, right: SchemaRight): Promise<string> {
  const error = await opened(file, right, async () => undefined).then(
    () => assert.fail('it was opened'),
    (error: unknown) => error,
  );
  assert.ok(error instanceof StartError, String(error));
  return error.message;
}
async function fileAfter(t: TestContext, last: string): Promise<string> {
  const file = databaseFile(t);
  await (await earlierDatabase(last, file)).db.destroy();
  return file;
}

test('a service begins a generation of the schema when the operator has agreed to that one, and says so before', async (t) => {
  const file = await fileAfter(t, lastOfBefore);
  for (const agreedGeneration of [undefined, generation - 1, generation + 1]) {
    const words = await refusal(file, { agreedGeneration });
    assert.match(words, /^This release needs another schema .* cannot be undone: /);
    assert.ok(words.includes(generationChanges[generation]!));
    assert.match(words, new RegExp(`backup[\\s\\S]*BERTH_CHANGE_SCHEMA=${generation}\\.$`));
  }
  const { db } = await earlierDatabase(lastOfBefore, file);
  assert.deepEqual(await presentIn(db as never), names.slice(0, names.indexOf(lastOfBefore) + 1));
  await db.destroy();
  assert.deepEqual(await opened(file, { agreedGeneration: generation }, presentIn), names);
});

test('a new database is made without asking, and what commands find is left as it is', async (t) => {
  const file = databaseFile(t);
  assert.match(await refusal(file, 'nothing'), /No service was ever started/);
  assert.deepEqual(await opened(file, { agreedGeneration: undefined }, presentIn), names);
  assert.deepEqual(await opened(file, 'nothing', presentIn), names);
  const older = await fileAfter(t, lastOfBefore);
  for (const right of ['nothing', 'make'] as const)
    assert.match(
      await refusal(older, right),
      /schema of an earlier release, and only a service that starts changes it/,
    );
});

test('a release works on what a later one of its generation has added to, and not on a later generation', async (t) => {
  const file = databaseFile(t);
  await opened(file, 'all', async (db) => {
    await sql`create table "later" ("id" text primary key)`.execute(db);
    await sql`insert into kysely_migration ("name", "timestamp") values ('9998-later', '')`.execute(db);
  });
  for (const right of ['all', 'nothing', { agreedGeneration: undefined }] as const)
    assert.equal((await opened(file, right, presentIn)).at(-1), '9998-later');
  await opened(file, 'all', async (db) => {
    const name = `9999-generation-${generation + 1}-other`;
    await sql`insert into kysely_migration ("name", "timestamp") values (${name}, '')`.execute(db);
  });
  for (const right of ['all', 'nothing', { agreedGeneration: generation + 1 }] as const)
    assert.match(await refusal(file, right), /newer release of Berth \(9998-later\).* restore a backup from before/);
});

test('of two releases of a generation that start at once, the older one goes on when the newer one was first', async (t) => {
  const file = await fileAfter(t, names.at(-2)!);
  const db = new Kysely<Tables>({ dialect: sqliteDialect(file) });
  t.after(() => db.destroy());
  assert.equal((await stepOf(db)).kind, 'add');
  await opened(file, 'all', async (other) => {
    await sql`insert into kysely_migration ("name", "timestamp") values ('9998-later', '')`.execute(other);
  });
  await migrate(db);
  assert.equal(await hasAdditions(db), true);
});
