/** PURE. Limits of pushed images. */

const gibibyte = 2 ** 30;

/** The default. */
const usualOfPlan = 10 * gibibyte;
const usualOfAddress = 5 * gibibyte;

/** Returns the total of an account, in compressed bytes. */
export function imageBytesOf({ imageBytes = usualOfPlan }: { imageBytes?: number }): number {
  return imageBytes;
}

/** Returns the total of all unclaimed sessions of one address. */
export function imageBytesOfStrangers({ imageBytes = usualOfAddress }: { imageBytes?: number }): number {
  return imageBytes;
}
