/** PURE. Tests that need a Kubernetes cluster, which most machines do not have. */

const folder = 'test/kubernetes/';

/** With `TEST_ENGINE=kubernetes`, scenarios also run on a cluster, but never on a user's current context. */
const scenarios = 'test/scenarios/';

/** These tests disrupt others. */
const disruptions = `${folder}disruptions/`;

/** `last`: run one by one after the others. `leftOut`: not run, with their requirements. */
export function clusterTests(
  files: readonly string[],
  { BERTH_TEST_KUBERNETES: isWanted, KUBECONFIG: kubeconfig, TEST_ENGINE: engine }: NodeJS.ProcessEnv,
): { files: string[]; last: string[]; leftOut?: string } {
  const folders = engine === 'kubernetes' ? [folder, scenarios] : [folder];
  const needing = files.filter((file) => folders.some((each) => file.startsWith(each)));
  if (needing.length === 0 || (isWanted === '1' && kubeconfig)) {
    const last = needing.filter((file) => file.startsWith(disruptions));
    return { files: files.filter((file) => !last.includes(file)), last };
  }
  return {
    files: files.filter((file) => !needing.includes(file)),
    last: [],
    leftOut: `Not run: ${needing.join(', ')}. They need BERTH_TEST_KUBERNETES=1 and a cluster in KUBECONFIG; \`npm run test:kubernetes\` starts one if its kit is next to the project.`,
  };
}
