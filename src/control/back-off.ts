/** Back-off: how long a visit that has failed waits for its next try. Pure. */

const firstMs = 500;
export const longestBackOffMs = 30_000;

/**
 * Milliseconds after so many failures in a row: 0.5 s, doubled each time, up to 30 s, of which between a half and all
 * (`random` from 0 to below 1), so that what fails together does not come again together.
 */
export function backOffMs(failures: number, random: () => number): number {
  return Math.min(firstMs * 2 ** (failures - 1), longestBackOffMs) * (0.5 + random() / 2);
}
