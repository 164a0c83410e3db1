/** PURE. Reads JSON of others, which may be something else. */

/** Undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The fields of a JSON object; none if the text is something else. */
export function parseObject(text: string): Record<string, unknown> {
  const value = parseJson(text);
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
