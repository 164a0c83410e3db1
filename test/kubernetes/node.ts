/** Direct changes to the tests' node, like those of a user who has put images on it. */
import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import type Docker from 'dockerode';
import { type Ctr, ctr, ctrOf, kit, nodeFolder } from '../../scripts/testing/kube-node.ts';
import { wait } from '../../src/lib/wait.ts';
import { alone } from '../claim.ts';

/** This machine, as pods of the test node see it. */
export const edgeNetworks = ['10.250.0.1/32'];

/** Puts images of a Docker engine on the node, under their own names. `socket`: of another node's containerd. */
export async function importImages(docker: Docker, images: readonly string[], socket?: string): Promise<void> {
  // If two processes import the same image, the second one fails.
  await alone('images of the test node', () => importMissing(docker, images, ctrOf(socket)));
}

async function importMissing(docker: Docker, images: readonly string[], ctr: Ctr): Promise<void> {
  const present = (await ctr('images', 'list', '--quiet')).split('\n');
  const missing = images.filter((image) => !present.includes(fullName(image)));
  if (missing.length === 0) return;
  const folder = await mkdtemp(join(tmpdir(), 'berth-node-'));
  try {
    for (const [index, image] of missing.entries()) {
      const file = join(folder, `${index}.tar`);
      await pipeline(await docker.getImage(image).get(), createWriteStream(file));
      await ctr('images', 'import', file);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Gives an image of the node a further name. */
export async function tagImage(image: string, name: string): Promise<void> {
  await ctr('images', 'tag', fullName(image), fullName(name));
}

export async function untagImage(name: string): Promise<void> {
  await ctr('images', 'remove', fullName(name));
}

/** Removes an image by its full name. Its containers keep running. */
export async function removeFromNode(image: string): Promise<void> {
  await ctr('images', 'remove', '--sync', image);
}

/** Ends a program of the node as a crash would, and resolves when it has ended. */
export async function killOnNode(program: 'kubelet' | 'kube-apiserver'): Promise<void> {
  const pid = (await readFile(join(nodeFolder, 'run', `${program}.pid`), 'utf8')).trim();
  const isThere = async () => basename(await readlink(`/proc/${pid}/exe`).catch(() => '')) === program;
  if (!(await isThere())) throw new Error(`${program} does not run`);
  process.kill(Number(pid), 'SIGKILL');
  while (await isThere()) await wait(20);
}

/** Starts again what was killed; everything else goes on. */
export async function reviveNode(): Promise<void> {
  await promisify(execFile)(join(kit, 'up.sh'), { env: { ...process.env, K8S_DIR: nodeFolder } });
}

function fullName(image: string): string {
  return `docker.io/library/${image}`;
}

/** The folder of the node's kubelet, which no setting of the kit changes. */
const seccompFolder = '/var/lib/kubelet/seccomp/berth';

/** Puts the seccomp profile of builders on the node, as operators do. Dispose of it when done. */
export async function installBuilderProfile(): Promise<AsyncDisposable> {
  const profile = join(import.meta.dirname, '../../deploy/kubernetes/builds/builder.json');
  await mkdir(seccompFolder, { recursive: true });
  await copyFile(profile, join(seccompFolder, 'builder.json'));
  return { [Symbol.asyncDispose]: removeBuilderProfile };
}

export async function removeBuilderProfile(): Promise<void> {
  await rm(dirname(seccompFolder), { recursive: true, force: true });
}
