/** Opens the Docker engine of this machine with everything around it: firewall, disk, control groups. */
import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { join, resolve } from 'node:path';
import type Docker from 'dockerode';
import type { Logger } from 'pino';
import { pack } from 'tar-stream';
import type { DiskLimits } from '../../deployment/disk/disk-levels.ts';
import { newId } from '../../lib/ids.ts';
import { StartError } from '../../lib/start-error.ts';
import type { LocalImages } from '../images/local-images.ts';
import { deploymentLabels, volumeLabels } from '../labels.ts';
import type { EngineParts, OpenEngine } from '../opening.ts';
import { diskTrialId } from '../trial-ids.ts';
import { connectDocker } from './connect-docker.ts';
import { endOnceBegun, endOrphanedExecs } from './containers/exec-journal.ts';
import { bindTo } from './containers/mounts.ts';
import { createDockerEngine, type DockerEngineOptions } from './docker.ts';
import { orAbsent, textOf, unless } from './faults.ts';
import type { FirewallOptions } from './firewall/firewall.ts';
import { isolate } from './firewall/isolate.ts';
import { openTenantsGroup, type TenantsMemory } from './groups/tenants-group.ts';
import { isLocal } from './host/host-facts.ts';
import { findOutdatedPrograms, findRuntimeProblem, type Runtime } from './host/runtime.ts';
import { removeUnnamed } from './images/image-store.ts';
import { volumeName } from './names.ts';
import { watchProcessor } from './processor/processor-watch.ts';
import { thawLeftovers } from './volumes/freeze.ts';
import { volumesFolder } from './volumes/loop-layout.ts';
import { createLoopVolumes } from './volumes/loop-volumes.ts';
import { removeOrphanedCopies } from './volumes/volume-archives.ts';

export type DockerSettings = Pick<Parameters<typeof isolate>[1], 'dataDir' | 'egress' | 'resolvers' | 'buildProxy'> & {
  host: string;
  port: number;
  /** The HTTPS port, if the edge has one. */
  httpsPort?: number | undefined;
  runtime: Runtime;
  builds: { inGvisor: boolean };
  networkPool: string;
  gpus: number;
  localImages: LocalImages;
  diskFreeBytes: number;
  diskLimits: DiskLimits;
  diskRate: DockerEngineOptions['diskRate'] | undefined;
  tenantsMemory: TenantsMemory;
  /** With `firewall`, untrusted users are served although their containers are not isolated from this machine. */
  allowUnsafe: readonly string[];
};

/** Throws StartError. */
export async function openDocker(settings: DockerSettings, parts: EngineParts): Promise<OpenEngine> {
  const { owner, epoch, now, metrics, images, log } = parts;
  const { dataDir, networkPool, runtime, egress, resolvers, gpus, diskRate, localImages, diskFreeBytes } = settings;
  await using opening = new AsyncDisposableStack();
  const docker = await connect(settings, log);
  const unnamed = await removeUnnamed(docker);
  if (unnamed > 0) log.info({ unnamed }, 'removed images of interrupted pulls');
  const { firewall, problem } = await isolate(docker, {
    owner,
    egress,
    resolvers,
    buildProxy: settings.buildProxy,
    dataDir,
    ...edgeSeenBy(settings),
    log: log.child({ part: 'firewall' }),
    report: (areInForce) => metrics.isolated.set(Number(areInForce)),
  });
  opening.defer(() => firewall?.close());
  if (problem) refuseStrangers(problem, settings, log);
  const means = await diskMeans(docker, owner, settings);
  log[means.because === undefined ? 'info' : 'warn'](means, 'disk limits');
  metrics.diskMeans.set({ of: 'volumes', means: means.volumes }, 1);
  metrics.diskMeans.set({ of: 'containers', means: means.containers }, 1);
  const loops = {
    directory: volumesFolder(dataDir),
    isForNew: means.volumes === 'loop',
    copies: join(dataDir, 'volume-copies'),
  };
  void thawLeftovers(loops.directory).catch((err: unknown) =>
    log.warn({ err }, 'volumes from an interrupted copy may still be frozen'),
  );
  await removeOrphanedCopies(loops.directory);
  const execs = join(dataDir, 'execs');
  const { ended, unbegun } = await endOrphanedExecs(docker, execs);
  if (ended > 0) log.info({ ended }, 'ended commands in containers that a killed service left');
  const leaving = new AbortController();
  opening.defer(() => leaving.abort());
  void endOnceBegun(docker, execs, { execIds: unbegun, signal: leaving.signal }).catch((err: unknown) =>
    log.warn({ err }, 'the last commands of a killed service are checked at the next start'),
  );
  const { group, obstacle } = await openTenantsGroup(docker, owner, settings.tenantsMemory);
  log[group ? 'info' : 'warn']({ limitBytes: group?.limitBytes, because: obstacle }, 'control group');
  // Without containers it goes with the service.
  opening.defer(() => group?.remove());
  // The kernel's files are this machine's, and root's to write.
  if (isLocal(docker) && process.getuid?.() === 0) {
    const watching = watchProcessor(docker, { owner, log }, leaving.signal);
    opening.defer(() => {
      leaving.abort();
      return watching;
    });
  }
  const { disk, ...engine } = createDockerEngine({
    docker,
    owner,
    epoch,
    networkPool,
    runtime,
    resolvers,
    gpus,
    loops,
    execs,
    now,
    firewall,
    images,
    localImages,
    diskFreeBytes,
    ...(group && { group }),
    ...(diskRate && { diskRate }),
  });
  const open = opening.move();
  return {
    // Without a watch on container writes, the disk is not checked.
    engine: { ...engine, ...(means.containers === 'watch' && { disk }) },
    ...(firewall && { pause: firewall.pause }),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

async function connect({ runtime, builds }: DockerSettings, log: Logger): Promise<Docker> {
  const docker = await connectDocker().catch((error: Error) => {
    throw new StartError(
      `No Docker engine responds (${error.message}). \`npm start\` sets one up; or set DOCKER_HOST.`,
    );
  });
  const unfit = await findRuntimeProblem(docker, runtime);
  if (unfit) throw new StartError(`BERTH_RUNTIME is ${runtime}, but ${unfit}.`);
  const unfitForBuilds = builds.inGvisor ? await findRuntimeProblem(docker, 'runsc') : undefined;
  if (unfitForBuilds) throw new StartError(`BERTH_BUILDS has gvisor, but ${unfitForBuilds}.`);
  for (const warning of await findOutdatedPrograms(docker, runtime)) log.warn(warning);
  return docker;
}

async function diskMeans(docker: Docker, owner: string, { dataDir, diskLimits }: DockerSettings): Promise<DiskMeans> {
  const wanted = { owner, directory: volumesFolder(dataDir), limits: diskLimits };
  return await findDiskMeans(docker, wanted).catch((error: Error) => {
    throw new StartError(`BERTH_DISK_LIMITS: ${error.message}`);
  });
}

/** Addresses of this machine that containers may reach: the public ports, where visitors find them. */
function edgeSeenBy({ host, port, httpsPort, dataDir }: DockerSettings): Pick<FirewallOptions, 'edges'> {
  if (host.startsWith('127.') || host === '::1') return {};
  const of = hash('sha256', resolve(dataDir), 'hex').slice(0, 12);
  const ports = httpsPort === undefined ? [port] : [port, httpsPort];
  return { edges: ports.map((port) => ({ port, of, ...(host !== '0.0.0.0' && host !== '::' && { address: host }) })) };
}

/** All users of the API can run code here. Throws StartError unless the operator allowed that. */
function refuseStrangers(problem: string, { allowUnsafe }: DockerSettings, log: Logger): void {
  const words = `Containers are not kept from this machine's services and private networks: ${problem}.`;
  if (!allowUnsafe.includes('firewall'))
    throw new StartError(`${words}\nIf only you can deploy, BERTH_ALLOW_UNSAFE=1 starts the service anyway.`);
  log.warn({ problem }, `${words} BERTH_ALLOW_UNSAFE is set`);
}

/** How the disk is protected from tenants on this host. */

type DiskMeans = {
  /**
   * `loop`: each new volume has its own file system with a hard limit. `watch`: the content of volumes is measured, and
   * workloads that exceed a limit are stopped.
   */
  volumes: 'loop' | 'watch' | 'none';
  /** How writes of containers outside of volumes are limited. */
  containers: 'watch' | 'none';
  /** Why it is not better, for the operator. */
  because?: string;
};

/**
 * Determines the capabilities of the host by trying them, without leftovers. Throws with a message if `loop` is
 * required and not possible.
 */
export async function findDiskMeans(
  docker: Docker,
  { owner, directory, limits }: { owner: string; directory: string; limits: DiskLimits },
): Promise<DiskMeans> {
  if (limits === 'off') return { volumes: 'none', containers: 'none', because: 'BERTH_DISK_LIMITS is off' };
  if (limits === 'watch') return { volumes: 'watch', containers: 'watch', because: 'BERTH_DISK_LIMITS is watch' };
  const obstacle = await loopObstacle(docker, owner, directory);
  if (obstacle === undefined) return { volumes: 'loop', containers: 'watch' };
  if (limits === 'loop') throw new Error(`volumes cannot have file systems of their own: ${obstacle}`);
  return { volumes: 'watch', containers: 'watch', because: obstacle };
}

/**
 * Tests whether this host supports volumes with a hard limit, by creating one. The service must be root and allowed to
 * mount, and the engine must see mounts made here (it may run elsewhere or in its own mount namespace).
 */

type Trial = { deploymentId: string; volume: string };

/**
 * Returns why loop volumes cannot be used, as a sentence for the operator. Undefined if they can. The check takes 0.2 s
 * and leaves nothing behind.
 */
async function loopObstacle(docker: Docker, owner: string, directory: string): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return 'Berth does not run as root';
  if (!isLocal(docker)) return 'the engine is on another machine';
  const loops = createLoopVolumes(directory);
  // No deployment has this ID, so leftovers of a crashed trial are removed as orphans. Each trial has another ID,
  // because volume names are shared by all installations on an engine, and several may start at once.
  const trial: Trial = { deploymentId: diskTrialId(newId()), volume: 'trial' };
  const tag = `berth-disk-trial:${owner}`;
  try {
    await loops.ensure(trial, 1);
    await importEmptyImage(docker, tag);
    return (await canEngineSee(docker, { owner, image: tag, trial, directory: loops.dataOf(trial) }))
      ? undefined
      : 'the engine does not see mounts of this process';
  } catch (error) {
    return `it was tried, and failed (${messageOf(error)})`;
  } finally {
    await unless(docker.getImage(tag).remove({ force: true }), 404).catch(() => {});
    await loops.remove(trial).catch(() => {});
  }
}

/**
 * Checks the volume in a container that never runs. Engines mount it when they create the container, or for the check.
 */
async function canEngineSee(
  docker: Docker,
  { owner, image, trial, directory }: { owner: string; image: string; trial: Trial; directory: string },
): Promise<boolean> {
  const volume = docker.getVolume(volumeName(trial.deploymentId, trial.volume));
  let container: Docker.Container | undefined;
  try {
    await docker.createVolume({
      Name: volume.name,
      Labels: volumeLabels(owner, trial.deploymentId, trial.volume),
      DriverOpts: bindTo(directory),
    });
    container = await docker.createContainer({
      Image: image,
      Cmd: ['none'],
      Labels: deploymentLabels(owner, trial.deploymentId),
      HostConfig: { Mounts: [{ Type: 'volume', Source: volume.name, Target: '/trial' }], NetworkMode: 'none' },
    });
    const answer: IncomingMessage | undefined = await orAbsent(container.infoArchive({ path: '/trial' }));
    // The connection is only released after the response was read, which has no body.
    answer?.resume();
    return answer !== undefined;
  } catch (error) {
    if (!/failed to mount/i.test(textOf(error))) throw error;
    return false;
  } finally {
    await container?.remove({ force: true });
    await unless(volume.remove(), 404);
  }
}

async function importEmptyImage(docker: Docker, tag: string): Promise<void> {
  const archive = pack();
  archive.entry({ name: 'trial/', type: 'directory' });
  archive.finalize();
  const [repo, version] = tag.split(':');
  const answer = await docker.importImage(archive as unknown as NodeJS.ReadableStream, { repo, tag: version });
  await new Promise<void>((resolve, reject) => {
    docker.modem.followProgress(answer, (error) => (error ? reject(error) : resolve()));
  });
}

function messageOf(error: unknown): string {
  const { cause } = error as Error;
  return cause instanceof Error ? cause.message : String((error as Error).message);
}
