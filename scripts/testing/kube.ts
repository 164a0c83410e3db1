/**
 * `npm run test:kubernetes`: builds and starts the node of the kit beside the project, runs the tests that need a cluster
 * on it, and stops it again where it did not run before. Words after it choose files, as with `npm test`. What it ends
 * with is the count of the tests.
 */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createRunner, kubeNode } from './kube-node.ts';

const root = join(import.meta.dirname, '../..');
const kit = process.env.BERTH_KUBE_KIT ?? join(root, '../shared/kube');
const folder = process.env.K8S_DIR ?? join(homedir(), '.cache/kube-node');

if (!existsSync(join(kit, 'up.sh'))) {
  console.error(`There is no kit in ${kit}; BERTH_KUBE_KIT names another folder.`);
  process.exit(1);
}
const run = createRunner(root);
const node = kubeNode(kit, folder, run);
const wasRunning = node.isRunning();
try {
  if (!wasRunning) await node.start();
  const words = process.argv.slice(2);
  const chosen = words.length > 0 ? words : ['test/kubernetes/'];
  const env = { ...node.environment, BERTH_TEST_KUBERNETES: '1' };
  await run(process.execPath, [join(root, 'scripts/test.ts'), ...chosen], { env });
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
} finally {
  if (!wasRunning) await node.stop();
}
