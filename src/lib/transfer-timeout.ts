/** PURE. The maximum time for reading or writing data of a size. Longer transfers would delay all others. */
export function transferTimeoutMs(bytes: number): number {
  return Math.ceil(10 * 60_000 + (bytes / 5_000_000) * 1000);
}
