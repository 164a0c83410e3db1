/** Rows for every table of the schema, without regard to the meaning of columns: for tests of all tables. */
import { type Kysely, sql } from 'kysely';
import { type TableShape, tableShapes } from '../../src/store/copy-tables.ts';
import type { Database } from '../../src/store/database.ts';
import type { Tables } from '../../src/store/rows.ts';

/** So many of each; those of tables that refer to others refer to one each. Of SQLite. */
export async function fillAnyTables(db: Kysely<Tables>, count: number): Promise<void> {
  const shapes = await tableShapes();
  await db.transaction().execute((db) => fill(db, shapes, count));
}

async function fill(db: Database, shapes: readonly TableShape[], count: number): Promise<void> {
  for (const { name, columns } of shapes) {
    await sql`delete from ${sql.table(name)}`.execute(db);
    const { rows: references } = await sql<{ from: string }>`
      select "from" from pragma_foreign_key_list(${name})`.execute(db);
    const referring = new Set(references.map(({ from }) => from));
    for (let number = 0; number < count; number++) {
      const values = columns.map((column) => valueFor(column, number, isName(column.name, name, referring)));
      const names = columns.map((column) => sql.ref(column.name));
      await sql`insert into ${sql.table(name)} (${sql.join(names)}) values (${sql.join(values)})`.execute(db);
    }
  }
  await db.insertInto('installation').values({ id: 'installation', createdAt: 7 }).execute();
}

/** Whether it is what others refer to, or refers to that: then it is the same in all tables. */
function isName(column: string, table: string, referring: ReadonlySet<string>): boolean {
  const named: Record<string, readonly string[]> = {
    imageNamespaces: ['name'],
    pushedManifests: ['repository', 'digest'],
  };
  return referring.has(column) || column === 'id' || (named[table]?.includes(column) ?? false);
}

/** In no order of theirs, and with what databases may have ideas of their own about. */
function valueFor({ name, type }: { name: string; type: string }, number: number, isReferred: boolean): unknown {
  const mixed = (number * 7919) % 10_007;
  if (type === 'bytea') return Uint8Array.of(0, 255, mixed % 256, number % 256, 10, 92);
  if (type === 'date') return new Date(Date.UTC(2026, 0, 1) + mixed * 1001).toISOString();
  if (type === 'boolean') return number % 2;
  if (type === 'bigint') return isReferred ? mixed : 2 ** 52 + mixed;
  if (type === 'integer') return mixed;
  if (isReferred) return `${mixed % 2 === 0 ? 'Z' : 'é'}${mixed}`;
  return `${name} ${mixed} ü'"\\ 😀\n\t${number % 3 === 0 ? '' : 'x'}`;
}
