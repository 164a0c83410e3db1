/** PURE. Parses JSON from others, which may be invalid. */

/** Undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the fields of a JSON object. Empty if the text is not one. */
export function parseObject(text: string): Record<string, unknown> {
  const value = parseJson(text);
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
