/** Queries to a database, and their query plans. */
import { type Kysely, type QueryId, sql } from 'kysely';
import type { Tables } from '../../src/store/rows.ts';

export type Query = { sql: string; parameters: readonly unknown[]; rows: number };

/** The same database, with a list that grows with each query. */
export function watchQueries(db: Kysely<Tables>): { watched: Kysely<Tables>; queries: Query[] } {
  const queries: Query[] = [];
  const byId = new WeakMap<QueryId, Query>();
  const watched = db.withPlugin({
    transformQuery({ node, queryId }) {
      const { sql, parameters } = db.getExecutor().compileQuery(node, queryId);
      const query = { sql, parameters, rows: 0 };
      byId.set(queryId, query);
      queries.push(query);
      return node;
    },
    async transformResult({ result, queryId }) {
      byId.get(queryId)!.rows = result.rows.length;
      return result;
    },
  });
  return { watched, queries };
}

/** The steps in which SQLite reads whole tables, or whole indexes. */
export async function scansOf(db: Kysely<Tables>, { sql: text, parameters }: Query): Promise<string[]> {
  const [first, ...rest] = text.split('?');
  const requested = sql.join(
    [
      sql.raw(`explain query plan ${first}`),
      ...rest.flatMap((part, index) => [sql.val(parameters[index]), sql.raw(part)]),
    ],
    sql``,
  );
  const { rows } = await sql<{ detail: string }>`${requested}`.execute(db);
  return rows.map(({ detail }) => detail).filter((detail) => detail.startsWith('SCAN'));
}
