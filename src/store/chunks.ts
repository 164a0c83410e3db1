/** Lists for queries. */

/** Databases take some thousands of values in a query; with this many, a query is still one for the cache of statements. */
const longest = 500;

/** In parts that a query can name. */
export function* chunksOf<T>(values: readonly T[]): Generator<T[]> {
  for (let first = 0; first < values.length; first += longest) yield values.slice(first, first + longest);
}
