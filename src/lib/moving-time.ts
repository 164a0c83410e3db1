/** PURE. How long data of such a size are read or written at the most: what lasts longer keeps all others waiting. */
export function movingMs(bytes: number): number {
  return Math.ceil(10 * 60_000 + (bytes / 5_000_000) * 1000);
}
