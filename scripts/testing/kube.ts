/**
 * `npm run test:kubernetes`: builds and starts the node of the kit beside the project, runs the tests that need a cluster
 * on it, and stops it again where it did not run before. Words after it choose files, as with `npm test`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const kit = process.env.BERTH_KUBE_KIT ?? join(root, '../shared/kube');
const folder = process.env.K8S_DIR ?? join(homedir(), '.cache/kube-node');
const environment = {
  ...process.env,
  K8S_DIR: folder,
  KUBECONFIG: join(folder, 'etc/admin.kubeconfig'),
  BERTH_TEST_KUBERNETES: '1',
};

let running: ChildProcess | undefined;
// Who ends this ends what it does, and has the node stopped all the same.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => running?.kill(signal));

if (!existsSync(join(kit, 'up.sh'))) {
  console.error(`There is no kit in ${kit}; BERTH_KUBE_KIT names another folder.`);
  process.exit(1);
}
const isBuilt = existsSync(join(folder, 'bin/kingress')) && existsSync(join(folder, 'img/bb.tar'));
if (!isBuilt) await run(join(kit, 'build.sh'));
const wasRunning = existsSync(join(folder, 'run/kubelet.pid'));
try {
  if (!wasRunning) await run(join(kit, 'up.sh'));
  const words = process.argv.slice(2);
  await run(process.execPath, join(root, 'scripts/test.ts'), ...(words.length > 0 ? words : ['test/kubernetes/']));
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
} finally {
  if (!wasRunning) await run(join(kit, 'down.sh'), 'wipe');
}

async function run(program: string, ...words: string[]): Promise<void> {
  running = spawn(program, words, { cwd: root, env: environment, stdio: 'inherit' });
  const [code] = (await once(running, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${program} has ended with ${code}.`);
}
