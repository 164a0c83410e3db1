/** A Docker engine of a test's own, which may be killed, starved and filled up without an effect on other tests. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { engineOptions } from '../../scripts/setup/engine-process.ts';
import { openKernel } from '../../src/engine/docker/groups/tenants-group.ts';
import { until } from './berth.ts';
import { createPrivateHost, type PrivateHost } from './private-host.ts';

export type PrivateEngine = {
  /** The host of the engine. A service that probes its containers has to run there. */
  host: PrivateHost;
  /** Installations whose containers ran here: their control groups are the machine's, and go with the engine. */
  owners: Set<string>;
  /** For DOCKER_HOST. */
  dockerHost: string;
  docker: Docker;
  /** Where the daemon keeps everything; its disk is mounted inside only. */
  dataRoot: string;
  /** Read by the daemon when it starts and at SIGHUP. */
  configurationFile: string;
  reload(): Promise<void>;
  /** Copies images from the machine's engine. */
  load(...images: string[]): Promise<void>;
  /** Resolves when the daemon answers. */
  start(): Promise<void>;
  /** Resolves when the daemon has ended. Its containers outlive a kill, until it starts again. */
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  close(): Promise<void>;
};

export type PrivateEngineOptions = {
  /** The daemon's directory is a disk of this size; default: a directory on the machine's. */
  diskBytes?: number;
  /** Further ones of `dockerd`. */
  daemonOptions?: string[];
};

/** Resolves with a running engine. Call `close` when done, also after a failure. */
export async function createPrivateEngine({
  diskBytes,
  daemonOptions = [],
}: PrivateEngineOptions = {}): Promise<PrivateEngine> {
  const host = await createPrivateHost();
  const folder = await mkdtemp(join(tmpdir(), 'berth-engine-'));
  const dataRoot = join(folder, 'data');
  const socketPath = join(folder, 'docker.sock');
  const logFile = join(folder, 'dockerd.log');
  const configurationFile = join(folder, 'daemon.json');
  const docker = new Docker({ socketPath });
  let daemon: ChildProcess | undefined;

  const engine: PrivateEngine = {
    owners: new Set(),
    host,
    dockerHost: `unix://${socketPath}`,
    docker,
    dataRoot,
    configurationFile,

    async load(...images) {
      for (const image of images) {
        const answer = await docker.loadImage(await new Docker().getImage(image).get());
        await new Promise<void>((resolve, reject) => {
          docker.modem.followProgress(answer, (error) => (error ? reject(error) : resolve()));
        });
      }
    },
    async start() {
      const started = host.spawn(['dockerd', ...optionsOf(folder), ...daemonOptions], {
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const log = createWriteStream(logFile, { flags: 'a' });
      started.stdout!.pipe(log, { end: false });
      started.stderr!.pipe(log, { end: false });
      daemon = started;
      await until('the engine answers', async () => {
        if (started.exitCode !== null) throw new Error(`dockerd has ended:\n${await readFile(logFile, 'utf8')}`);
        return await docker.ping().catch(() => undefined);
      });
    },
    async reload() {
      daemon!.kill('SIGHUP');
    },
    async stop(signal) {
      daemon!.kill(signal);
      await once(daemon!, 'exit');
    },
    async close() {
      await host.close();
      const kernel = await openKernel();
      for (const owner of engine.owners) await kernel?.remove(`berth-${owner}`);
      await rm(folder, { recursive: true, force: true });
    },
  };

  try {
    await mkdir(dataRoot);
    // The machine's own file may say where the machine's engine keeps its things.
    await writeFile(configurationFile, '{}');
    if (diskBytes !== undefined) await mountDisk(host, join(folder, 'disk'), diskBytes, dataRoot);
    await engine.start();
    return engine;
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/** One of its own containerd too: with a system-wide one it shares at least the names. */
function optionsOf(folder: string): string[] {
  const name = folder.slice(-6);
  return [
    ...engineOptions,
    ...['--config-file', join(folder, 'daemon.json'), '--pidfile', join(folder, 'dockerd.pid')],
    ...['--data-root', join(folder, 'data'), '--exec-root', join(folder, 'exec')],
    ...['--host', `unix://${join(folder, 'docker.sock')}`],
    ...['--containerd-namespace', `berth-${name}`, '--containerd-plugins-namespace', `berth-plugins-${name}`],
    // A registry on the machine, where the test runs.
    ...['--insecure-registry', '198.18.0.0/15'],
  ];
}

async function mountDisk(host: PrivateHost, file: string, bytes: number, mountPoint: string): Promise<void> {
  await writeFile(file, '');
  await truncate(file, bytes);
  await host.run(['mkfs.ext4', '-q', '-m', '0', file]);
  await host.run(['mount', '-o', 'loop', file, mountPoint]);
}
