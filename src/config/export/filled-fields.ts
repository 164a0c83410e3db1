/** Fields of a document that is written: those without a value are left out. PURE. */

/** Without the fields that are undefined. */
export function written<T extends object>(object: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as never;
}

/** Undefined instead of a list or map with nothing in it. */
export function filled<T extends object>(value: T): T | undefined {
  return Object.keys(value).length > 0 ? value : undefined;
}
