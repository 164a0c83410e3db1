/**
 * Tests whether this host supports volumes with a hard limit, by creating one. The service must be root and allowed to
 * mount, and the engine must see mounts made here (it may run elsewhere or in its own mount namespace).
 */
import type { IncomingMessage } from 'node:http';
import type Docker from 'dockerode';
import { pack } from 'tar-stream';
import { newId } from '../../../lib/ids.ts';
import { deploymentLabels, volumeLabels } from '../../labels.ts';
import { diskTrialId } from '../../trial-ids.ts';
import { bindTo } from '../containers/mounts.ts';
import { orAbsent, textOf, unless } from '../faults.ts';
import { isLocal } from '../host/host-facts.ts';
import { volumeName } from '../names.ts';
import { createLoopVolumes } from './loop-volumes.ts';

type Trial = { deploymentId: string; volume: string };

/** Why not, in words for the operator; undefined when they can. Takes 0.2 s, and leaves nothing. */
export async function loopObstacle(docker: Docker, owner: string, directory: string): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return 'Berth does not run as root';
  if (!isLocal(docker)) return 'the engine is on another machine';
  const loops = createLoopVolumes(directory);
  // No deployment has this id: what a crash leaves of the trial is an orphan, and swept like any other. Nor has another
  // trial: the engine has one volume of a name for all installations on it, and several may start at once.
  const trial: Trial = { deploymentId: diskTrialId(newId()), volume: 'trial' };
  const tag = `berth-disk-trial:${owner}`;
  try {
    await loops.ensure(trial, 1);
    await importEmptyImage(docker, tag);
    return (await canEngineSee(docker, { owner, image: tag, trial, directory: loops.dataOf(trial) }))
      ? undefined
      : 'the engine does not see what is mounted here';
  } catch (error) {
    return `it was tried, and failed (${wordsOf(error)})`;
  } finally {
    await unless(docker.getImage(tag).remove({ force: true }), 404).catch(() => {});
    await loops.remove(trial).catch(() => {});
  }
}

/** Looks into a container that has the volume and never runs. Engines mount it when they make that, or for the look. */
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
    // Its connection is kept until it is read to its end, which is at once.
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

function wordsOf(error: unknown): string {
  const { cause } = error as Error;
  return cause instanceof Error ? cause.message : String((error as Error).message);
}
