/** Containers for the tests of images: started as hardened as a deployment's, gone when the test is over. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import Docker from 'dockerode';
import { hardening } from '../../src/engine/docker/containers/container.ts';

const docker = new Docker();
const label = { 'berth.test': 'true' };
const patienceMs = 120_000;

export type Start = {
  image: string;
  command?: string[] | undefined;
  env?: Record<string, string> | undefined;
  files?: readonly { path: string; content: string }[] | undefined;
  /** Volume name → mount path. */
  volumes?: Record<string, string>;
  network?: Docker.Network;
  alias?: string;
};

export type Running = Awaited<ReturnType<typeof startContainer>>;

/** A network of the test's own. */
export async function makeNetwork(test: TestContext): Promise<Docker.Network> {
  const network = await docker.createNetwork({ Name: `berth-test-${crypto.randomUUID()}`, Labels: label });
  atTheEnd(test, () => network.remove());
  return network;
}

export async function makeVolume(test: TestContext): Promise<string> {
  const name = `berth-test-${crypto.randomUUID()}`;
  await docker.createVolume({ Name: name, Labels: label });
  atTheEnd(test, () => docker.getVolume(name).remove());
  return name;
}

export async function startContainer(test: TestContext, options: Start) {
  const { network, alias } = options;
  const container = await docker.createContainer({
    Image: options.image,
    Cmd: options.command,
    Env: Object.entries(options.env ?? {}).map(([name, value]) => `${name}=${value}`),
    Labels: label,
    NetworkingConfig: network && { EndpointsConfig: { [network.id]: { Aliases: alias ? [alias] : [] } } },
    HostConfig: {
      NetworkMode: network?.id,
      ...hardening(process.arch === 'arm64' ? 'arm64' : 'amd64'),
      // The first process is the image's own: tests look at whose it is, and how it ends.
      Init: false,
      Binds: Object.entries(options.volumes ?? {}).map(([name, path]) => `${name}:${path}`),
    },
  });
  const remove = () => container.remove({ force: true, v: true }).catch(unlessGone);
  atTheEnd(test, remove);
  await putFiles(container, options.files ?? []);
  await container.start();
  return {
    container,
    remove,
    address: await addressOf(container),
    run: (...argv: string[]) => runInside(container, argv),
    output: async () => plain(await container.logs({ stdout: true, stderr: true })),
  };
}

/** Calls `ask` until it returns a value without an error; fails with the last error. */
export async function eventually<T>(ask: () => Promise<T | undefined>): Promise<T> {
  const deadline = performance.now() + patienceMs;
  let problem: unknown = new Error('it never came true');
  while (performance.now() < deadline) {
    try {
      const answer = await ask();
      if (answer !== undefined) return answer;
    } catch (error) {
      problem = error;
    }
    await pause(20);
  }
  throw problem;
}

const cleanUps = new WeakMap<TestContext, (() => Promise<unknown>)[]>();

/** The latest first: a network or a volume goes only when its containers are gone. */
function atTheEnd(test: TestContext, cleanUp: () => Promise<unknown>): void {
  const known = cleanUps.get(test);
  if (known) {
    known.unshift(cleanUp);
    return;
  }
  const all = [cleanUp];
  cleanUps.set(test, all);
  test.after(async () => {
    for (const next of all) await next();
  });
}

async function addressOf(container: Docker.Container): Promise<string> {
  const { NetworkSettings } = await container.inspect();
  return Object.values(NetworkSettings.Networks)[0]?.IPAddress ?? '';
}

async function putFiles(container: Docker.Container, files: Start['files'] & object): Promise<void> {
  if (files.length === 0) return;
  const folder = await mkdtemp(join(tmpdir(), 'berth-test-'));
  for (const { path, content } of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  // Only the files: a folder in the archive would give the container's own folder another mode.
  const tar = spawn('tar', [
    '--create',
    '--file=-',
    '--mode=a+r',
    `--directory=${folder}`,
    ...files.map(({ path }) => `.${path}`),
  ]);
  await container.putArchive(tar.stdout, { path: '/' });
  await rm(folder, { recursive: true });
}

/** Runs a program in a container to its end. */
export async function runInside(
  container: Docker.Container,
  argv: string[],
): Promise<{ exitCode: number; output: string }> {
  const exec = await container.exec({ Cmd: argv, AttachStdout: true, AttachStderr: true });
  const stream = await exec.start({});
  const output = new PassThrough();
  docker.modem.demuxStream(stream, output, output);
  const [said] = await Promise.all([text(output), once(stream, 'end').then(() => output.end())]);
  const { ExitCode } = await exec.inspect();
  return { exitCode: ExitCode ?? -1, output: said.trim() };
}

/** Log lines come in frames: a header of eight bytes, of which the last four are the length. */
function plain(frames: Buffer): string {
  const parts: string[] = [];
  for (let at = 0; at + 8 <= frames.length; at += 8 + frames.readUInt32BE(at + 4)) {
    parts.push(frames.toString('utf8', at + 8, at + 8 + frames.readUInt32BE(at + 4)));
  }
  return parts.join('');
}

function unlessGone(error: unknown): void {
  if (!(error instanceof Error && 'statusCode' in error && error.statusCode === 404)) throw error;
}
