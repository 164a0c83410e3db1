/**
 * The node of the Kubernetes kit, which is next to the project: built, started and stopped by the kit's own scripts.
 * The scripts time out after a minute, which is short on a busy machine, and do not notice a failed import of an image.
 * They are therefore repeated, and then do the missing steps.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readlinkSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

export type KubeNode = {
  isRunning(): boolean;
  /** Builds what is missing, and resolves when pods can run. Throws when that cannot be. */
  start(): Promise<void>;
  /** Also removes all data of the node. */
  stop(): Promise<void>;
  environment: NodeJS.ProcessEnv;
};

export type RunProgram = (program: string, words: string[], more?: RunOptions) => Promise<void>;

type RunOptions = { env?: NodeJS.ProcessEnv; quiet?: boolean };

/** The folder of the kit's scripts and data. */
export const kit = process.env.BERTH_KUBE_KIT ?? join(import.meta.dirname, '../../../shared/kube');
export const nodeFolder = process.env.K8S_DIR ?? join(homedir(), '.cache/kube-node');

const tries = 10;
const exec = promisify(execFile);

export function kubeNode(run: RunProgram): KubeNode {
  const folder = nodeFolder;
  const environment = {
    ...process.env,
    K8S_DIR: folder,
    KUBECONFIG: join(folder, 'etc/admin.kubeconfig'),
    PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
  };
  const script = (name: string, words: string[] = [], quiet = false) =>
    run(join(kit, name), words, { env: environment, quiet });

  return {
    environment,
    isRunning() {
      try {
        const pid = readFileSync(join(folder, 'run/kubelet.pid'), 'utf8').trim();
        return basename(readlinkSync(`/proc/${pid}/exe`)) === 'kubelet';
      } catch {
        return false;
      }
    },
    async start() {
      const isBuilt = existsSync(join(folder, 'bin/kingress')) && existsSync(join(folder, 'img/bb.tar'));
      if (!isBuilt) await script('build.sh');
      // Remains of an interrupted run: half of an etcd, and images that are recorded but missing.
      await script('down.sh', ['wipe']);
      for (let left = tries; ; left--) {
        const fault = await script('up.sh').catch((error: Error) => error);
        const missing = await forgetMissingImages();
        if (!fault && missing.length === 0) return;
        const because = [...(fault ? [fault.message] : []), ...missing.map((file) => `${file} was not imported`)].join(
          '; ',
        );
        if (left === 1) throw new Error(`The node does not become ready: ${because}`);
        console.log(`The node is not ready yet: ${because}`);
      }
    },
    stop: () => script('down.sh', ['wipe'], true),
  };
}

/** The kit records its imports. Images that containerd does not have must be imported again. */
async function forgetMissingImages(): Promise<string[]> {
  const present = await ctr('images', 'list', '--quiet').catch(() => '');
  const files = (await readdir(join(nodeFolder, 'img'))).filter((name) => name.endsWith('.tar'));
  const missing: string[] = [];
  for (const file of files) {
    const { stdout } = await exec('tar', ['-xOf', join(nodeFolder, 'img', file), 'manifest.json']);
    const [{ RepoTags: names }] = JSON.parse(stdout) as [{ RepoTags: string[] }];
    if (names.every((name) => present.split('\n').includes(name))) continue;
    missing.push(file);
    await rm(join(nodeFolder, 'var', `imported.${file}`), { force: true });
  }
  return missing;
}

export type Ctr = (...words: string[]) => Promise<string>;

/** Returns the client of the node's containerd, or of another one at that socket. */
export function ctrOf(socket = join(nodeFolder, 'run/containerd.sock')): Ctr {
  const libraries = ['usr/lib', 'lib'].map((each) => join(nodeFolder, 'rootfs', each, 'x86_64-linux-gnu')).join(':');
  const env = { ...process.env, LD_LIBRARY_PATH: libraries };
  const program = join(nodeFolder, 'rootfs/usr/bin/ctr');
  return async (...words) => (await exec(program, ['-a', socket, '-n', 'k8s.io', ...words], { env })).stdout;
}

export const ctr = ctrOf();

/** Runs programs one after another. A signal to this process is forwarded to the running one. */
export function createRunner(cwd: string): RunProgram {
  let running: ChildProcess | undefined;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => running?.kill(signal));
  return async (program, words, { env = process.env, quiet = false } = {}) => {
    running = spawn(program, words, { cwd, env, stdio: ['ignore', quiet ? 'ignore' : 'inherit', 'inherit'] });
    const [code] = (await once(running, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`${basename(program)} has ended with ${code}`);
  };
}
