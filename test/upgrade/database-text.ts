/** A whole database as SQL, as the releases in this folder are kept: its schema as that release has made it, and all rows. */
import { execFile } from 'node:child_process';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { postgresPrograms, type TestPostgres } from '../support/postgres.ts';

/** Of a file of SQLite that nobody writes to. */
export function sqliteText(file: string): string {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    const made = db.prepare('select type, name, sql from sqlite_master where sql is not null order by rowid').all();
    const tables = made.filter(({ type }) => type === 'table');
    const others = made.filter(({ type }) => type !== 'table');
    const lines = [
      ...tables.map(({ sql }) => `${sql};`),
      ...tables.flatMap(({ name }) => insertsOf(db, String(name))),
      ...others.map(({ sql }) => `${sql};`),
    ];
    return `${lines.join('\n')}\n`;
  } finally {
    db.close();
  }
}

function insertsOf(db: DatabaseSync, table: string): string[] {
  const columns = db.prepare(`select name from pragma_table_info(?)`).all(table);
  const values = columns.map(({ name }) => `quote("${name}")`).join(` || ', ' || `);
  const rows = db.prepare(`select ${values} as "values" from "${table}"`).all();
  return rows.map((row) => `insert into "${table}" values (${row.values});`);
}

/** Makes the file, which must not be there. */
export function writeSqlite(text: string, file: string): void {
  const db = new DatabaseSync(file);
  try {
    // Rows come in any order.
    db.exec('pragma foreign_keys = off');
    db.exec(`begin;\n${text}commit;`);
  } finally {
    db.close();
  }
}

/** Of a database on a server of the tests. */
export async function postgresText({ url }: TestPostgres, database: string): Promise<string> {
  const how = ['--inserts', '--no-owner', '--no-privileges', '--no-comments'];
  const { stdout } = await promisify(execFile)(`${await postgresPrograms()}/pg_dump`, [...how, url(database)], {
    maxBuffer: 64 * 1024 * 1024,
  });
  // What is for psql, or tells which version has written it, and says nothing of the database.
  const kept = stdout
    .split('\n')
    .filter((line) => line !== '' && !/^(--|\\|SET |SELECT pg_catalog\.set_config)/.test(line));
  return `${kept.join('\n')}\n`;
}

/** Makes the database anew. */
export async function writePostgres(text: string, { ask, folder }: TestPostgres, database: string): Promise<void> {
  await ask(`drop database if exists ${database} with (force)`);
  await ask(`create database ${database}`);
  const client = new Client({ host: folder, user: 'berth', database });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}
