/**
 * A second node of the test cluster: a kubelet and a containerd of its own, which share only the kernel with the first
 * one. It disappears like a machine without power: at once, and without a notification.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { nodeFolder } from '../../scripts/testing/kube-node.ts';
import { connectDocker } from '../../src/engine/docker/connect-docker.ts';
import { type Cluster, connectCluster } from '../../src/engine/kubernetes/cluster.ts';
import type { FoundNode } from '../../src/engine/kubernetes/objects.ts';
import { wait } from '../../src/lib/wait.ts';
import { closeNodes, nodesPath, removeAllPods, removeNow } from './cordon.ts';
import { importImages } from './node.ts';

export const secondNode = 'second-node';

const run = promisify(execFile);

/** A network namespace that hangs on the first node's as on a router: this machine's own routes lead there already. */
const network = { firstName: 'k8s-node', name: 'berth-second', link: 'berth-second', router: '10.251.0.1' };
const address = '10.251.0.2';
const podNetwork = '10.244.200.0/24';
const controlGroups = '/sys/fs/cgroup';
const patienceMs = 300_000;

export type SecondNode = AsyncDisposable & {
  /** Kills all its processes with signal 9; the first node accepts pods again. */
  vanish(): Promise<void>;
};

/** `images`: of this machine's Docker, which it has. Until it vanishes, it alone takes pods. */
export async function openSecondNode(images: readonly string[]): Promise<SecondNode> {
  const cluster = await connectCluster();
  await using opening = new AsyncDisposableStack();
  opening.use(await openNetwork());
  opening.use(await openControlGroups());
  const folder = await mkdtemp(join(nodeFolder, 'second-'));
  opening.defer(() => rm(folder, { recursive: true }));
  // Before it is there: it would be closed with them.
  const openOthers = await closeNodes(cluster);
  opening.defer(openOthers);
  const machine = startMachine(folder);
  opening.defer(() => removeNow(cluster, `${nodesPath}/${secondNode}`));
  // The cluster would keep the pods of an unreachable node.
  opening.defer(() => removeAllPods(cluster, secondNode));
  opening.defer(() => end(machine));
  await untilReady(cluster, machine, folder);
  await importImages(await connectDocker(), images, join(folder, 'containerd.sock'));
  const open = opening.move();
  return {
    async vanish() {
      await end(machine);
      await openOthers();
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

async function openNetwork(): Promise<AsyncDisposable> {
  const { firstName, name, link, router } = network;
  const close = async () => {
    await run('ip', ['netns', 'del', name]).catch(() => {});
  };
  // Removes the leftovers of a killed run.
  await close();
  await run('ip', ['netns', 'add', name]);
  const inFirst = ['-n', firstName];
  const inSecond = ['-n', name];
  for (const words of [
    [...inFirst, 'link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name],
    [...inFirst, 'addr', 'add', `${router}/30`, 'dev', link],
    [...inFirst, 'link', 'set', link, 'up'],
    [...inSecond, 'link', 'set', 'lo', 'up'],
    [...inSecond, 'addr', 'add', `${address}/30`, 'dev', 'eth0'],
    [...inSecond, 'link', 'set', 'eth0', 'up'],
    [...inSecond, 'route', 'add', 'default', 'via', router],
    [...inFirst, 'route', 'add', podNetwork, 'via', address],
  ])
    await run('ip', words);
  return { [Symbol.asyncDispose]: close };
}

/** Each kubelet removes what it does not know from below its own root, of which there is one in each hierarchy. */
async function openControlGroups(): Promise<AsyncDisposable> {
  const folders = (await readdir(controlGroups)).map((each) => join(controlGroups, each));
  const roots = folders.filter((each) => existsSync(join(each, 'cgroup.procs'))).map((each) => join(each, secondNode));
  for (const root of roots) await mkdir(root, { recursive: true });
  return {
    async [Symbol.asyncDispose]() {
      for (const root of roots) await removeGroups(root);
    },
  };
}

/** Processes in the groups end with a delay. */
async function removeGroups(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await removeGroups(join(folder, entry.name));
  for (let left = 50; left > 0; left--) {
    const isGone = await rmdir(folder).then(
      () => true,
      ({ code }: NodeJS.ErrnoException) => code === 'ENOENT',
    );
    if (isGone) return;
    await wait(100);
  }
}

/** Ends with this process, whose pipe it reads. */
function startMachine(folder: string): ChildProcess {
  const namespaces = ['unshare', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
  const program = join(import.meta.dirname, 'second-node.sh');
  return spawn('nsenter', [`--net=/var/run/netns/${network.name}`, ...namespaces, program], {
    stdio: ['pipe', 'ignore', 'inherit'],
    env: { ...process.env, K8S_DIR: nodeFolder, FOLDER: folder, NODE: secondNode, ADDRESS: address, PODS: podNetwork },
  });
}

async function end(machine: ChildProcess): Promise<void> {
  if (machine.exitCode !== null || machine.signalCode !== null) return;
  machine.kill('SIGKILL');
  await once(machine, 'exit');
}

async function untilReady(cluster: Cluster, machine: ChildProcess, folder: string): Promise<void> {
  const deadline = AbortSignal.timeout(patienceMs);
  for (;;) {
    const found = await cluster.find<FoundNode>('Node', secondNode);
    if (found?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True')) return;
    if (deadline.aborted || machine.exitCode !== null) {
      const log = await readFile(join(folder, 'kubelet.log'), 'utf8').catch(() => 'it has not begun');
      throw new Error(`The second node does not become ready: ${log.slice(-4_000)}`);
    }
    await wait(250, deadline);
  }
}
