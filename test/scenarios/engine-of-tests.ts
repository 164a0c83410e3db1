/** The engine of the scenarios: Docker, or with `TEST_ENGINE=kubernetes` the cluster of the tests. */

export const engineOfTests = process.env.TEST_ENGINE === 'kubernetes' ? 'kubernetes' : 'docker';

/** For a test of what there is on Docker alone: elsewhere it is left out, for this reason. */
export function onDocker(elsewhere: string): { skip: string | false } {
  return { skip: engineOfTests === 'docker' ? false : elsewhere };
}
