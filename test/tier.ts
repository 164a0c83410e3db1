/**
 * The cases of this run, of a test that repeats: `usual` in `npm test`, `nightly` in `npm run test:nightly`. All of them
 * if the file was named or started by itself.
 */
export function inTier<T>(usual: readonly T[], nightly: readonly T[]): T[] {
  const { TEST_TIER: tier } = process.env;
  return [...(tier === 'nightly' ? [] : usual), ...(tier === 'usual' ? [] : nightly)];
}
