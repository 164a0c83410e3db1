/** Stops and removes containers. */
import { setTimeout } from 'node:timers/promises';
import type Docker from 'dockerode';
import { stopSecondsOf } from '../../labels.ts';
import { statusOf, textOf, unless } from '../faults.ts';

/** `usualSeconds`: the time to end, for containers that do not set their own. */
export async function stopContainer(
  docker: Docker,
  found: Docker.ContainerInspectInfo,
  usualSeconds: number,
): Promise<void> {
  const t = stopSecondsOf(found.Config.Labels, usualSeconds);
  // A process that is frozen never ends.
  if (found.State.Paused) await unless(docker.getContainer(found.Id).unpause(), 304, 404, 409, 500);
  // 304: it has stopped already. 409: its removal is under way. 500: it cannot be stopped, only killed.
  if (found.State.Running) await unless(docker.getContainer(found.Id).stop({ t }), 304, 404, 409, 500);
}

/** Kills the container if it runs, and removes it with its anonymous volumes. It may already be gone. */
export async function removeContainer(docker: Docker, id: string): Promise<void> {
  const container = docker.getContainer(id);
  for (let tries = 1; ; tries += 1) {
    try {
      return await unless(container.remove({ v: true, force: true }), 404);
    } catch (error) {
      // Another removal is in progress. Waits for its end.
      if (statusOf(error) === 409) return await unless(container.wait({ condition: 'removed' }), 404);
      if (tries === removalTries || !/directory not empty/.test(textOf(error))) throw error;
      await setTimeout(removalPauseMs);
    }
  }
}

/**
 * While Docker removes a container's folder, it may write the cause of an end there, such as an out-of-memory kill, and
 * then fails. A second request removes the rest.
 */
const removalTries = 5;
const removalPauseMs = 100;
