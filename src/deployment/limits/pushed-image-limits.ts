/** PURE. What images may take that are pushed here. */

const gibibyte = 2 ** 30;

/** Where a plan says nothing of it. */
const usualOfPlan = 10 * gibibyte;
const usualOfAddress = 5 * gibibyte;

/** Of an account in all; bytes as they are sent, compressed. */
export function imageBytesOf({ imageBytes = usualOfPlan }: { imageBytes?: number }): number {
  return imageBytes;
}

/** Of all sessions that are nobody's and were pushed to from one address. */
export function imageBytesOfStrangers({ imageBytes = usualOfAddress }: { imageBytes?: number }): number {
  return imageBytes;
}
