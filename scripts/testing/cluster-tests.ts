/** PURE. Tests that need a cluster of Kubernetes: whoever runs the others has none, mostly. */

const folder = 'test/kubernetes/';

/** They break what the others stand on. */
const disruptions = `${folder}disruptions/`;

/** `last`: to be run one by one after the others; `leftOut`: which are not run, and what they need. */
export function clusterTests(
  files: readonly string[],
  { BERTH_TEST_KUBERNETES: isWanted, KUBECONFIG: kubeconfig }: NodeJS.ProcessEnv,
): { files: string[]; last: string[]; leftOut?: string } {
  const needing = files.filter((file) => file.startsWith(folder));
  if (needing.length === 0 || (isWanted === '1' && kubeconfig)) {
    const last = needing.filter((file) => file.startsWith(disruptions));
    return { files: files.filter((file) => !last.includes(file)), last };
  }
  return {
    files: files.filter((file) => !needing.includes(file)),
    last: [],
    leftOut: `Not run: ${needing.join(', ')}. They need BERTH_TEST_KUBERNETES=1 and a cluster in KUBECONFIG; \`npm run test:kubernetes\` starts one where its kit is beside the project.`,
  };
}
