/** Lists for queries. */

/** Databases accept some thousands of values in a query. With this number, the statement can still be cached. */
const longest = 500;

/** Splits values into parts for queries. */
export function* chunksOf<T>(values: readonly T[]): Generator<T[]> {
  for (let first = 0; first < values.length; first += longest) yield values.slice(first, first + longest);
}
