/** The edge has rules for prefixes of so many segments: HAProxy 2.6 cannot remove a prefix of a length that varies. */
export const maxStripped = 5;

/** The number of segments of a route's path: 0 for `/`, 2 for `/api/v1`. */
export function segmentsOf(path: string): number {
  return path.split('/').filter(Boolean).length;
}
