/** PURE. Shapes that stand in several places of a description become components with a name, and references to them. */
import stringify from 'safe-stable-stringify';

/**
 * `named`: the shapes that have names. Wherever the description has exactly one of them, also within another one, it
 * gets a reference; `schemas` holds those that were found.
 */
export function withComponents<T extends object>(
  description: T,
  named: { [name: string]: object },
): { description: T; schemas: { [name: string]: object } } {
  const nameOf = new Map(Object.entries(named).map(([name, schema]) => [stringify(schema), name]));
  const schemas: { [name: string]: object } = {};
  const replace = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(replace);
    if (typeof value !== 'object' || value === null) return value;
    const name = nameOf.get(stringify(value));
    if (name === undefined) return replaceWithin(value);
    schemas[name] ??= replaceWithin(value);
    return { $ref: `#/components/schemas/${name}` };
  };
  const replaceWithin = (value: object): object =>
    Object.fromEntries(
      // Examples are not schemas, even if they look like one.
      Object.entries(value).map(([key, inner]) => [key, key.startsWith('example') ? inner : replace(inner)]),
    );
  return { description: replaceWithin(description) as T, schemas: sorted(schemas) };
}

/** In the same order for any locale of the machine. */
function sorted<T>(values: { [key: string]: T }): { [key: string]: T } {
  return Object.fromEntries(Object.entries(values).sort(([a], [b]) => a.localeCompare(b, 'en')));
}
