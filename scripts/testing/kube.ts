/**
 * `npm run test:kubernetes`: builds and starts the node of the Kubernetes kit next to the project, runs the tests that
 * need a cluster, and stops the node if it was not running before. Words choose files, as with `npm test`. The exit
 * status is that of the tests. `--run FILE` runs another program of the project there, with the words after it and
 * Node's flags before it.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createRunner, kit, kubeNode } from './kube-node.ts';

const root = join(import.meta.dirname, '../..');

if (!existsSync(join(kit, 'up.sh'))) {
  console.error(`The kit is missing from ${kit}. Set BERTH_KUBE_KIT to another folder.`);
  process.exit(1);
}
const run = createRunner(root);
const node = kubeNode(run);
const wasRunning = node.isRunning();
try {
  if (!wasRunning) await node.start();
  const [first, program, ...more] = process.argv.slice(2);
  const words = process.argv.length > 2 ? process.argv.slice(2) : ['test/kubernetes/'];
  const argv = first === '--run' && program !== undefined ? [program, ...more] : ['scripts/test.ts', ...words];
  await run(process.execPath, argv, { env: { ...node.environment, BERTH_TEST_KUBERNETES: '1' } });
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
} finally {
  if (!wasRunning) await node.stop();
}
