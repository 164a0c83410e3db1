/** Fair selection: the first row of every client goes before the second row of any. */
import { type AliasedRawBuilder, sql } from 'kysely';

/** The column `place`: 1 for a client's first row, 2 for its second, in the order of `by`. */
export function orderFairly(client: string, by: string): AliasedRawBuilder<number, 'place'> {
  return sql<number>`row_number() over (partition by ${sql.ref(client)} order by ${sql.ref(by)})`.as('place');
}
