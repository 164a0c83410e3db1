/** Named volumes of a deployment. One of the configuration may be several of Docker's, see `mounts.ts`. */
import type Docker from 'dockerode';
import { EngineFault } from '../engine.ts';
import { isOwnedBy, labelKeys, labelSelector, volumeLabels } from '../labels.ts';
import { unless } from './faults.ts';
import { volumeName } from './names.ts';

export async function createVolume(docker: Docker, owner: string, deploymentId: string, volume: string): Promise<void> {
  const name = volumeName(deploymentId, volume);
  // Docker answers a second creation with the volume that is there, whoever made it.
  const created = await docker.createVolume({ Name: name, Labels: volumeLabels(owner, deploymentId, volume) });
  const { Labels: labels } = await created.inspect();
  if (!isOwnedBy(owner, labels))
    throw new EngineFault('bad-request', `A volume named ${name} exists already and is not of this installation.`);
}

/** Removes the volume and those for directories inside it. */
export async function removeVolume(docker: Docker, owner: string, deploymentId: string, volume: string): Promise<void> {
  const volumes = await listVolumes(docker, owner, deploymentId);
  for (const { Name: name, Labels: labels } of volumes)
    if (labels?.[labelKeys.volume] === volume) await unless(docker.getVolume(name).remove(), 404);
}

/** Those of one deployment, or all of this installation. */
export async function listVolumes(
  docker: Docker,
  owner: string,
  deploymentId?: string,
): Promise<Docker.VolumeInspectInfo[]> {
  const { Volumes: volumes } = await docker.listVolumes({
    filters: { label: labelSelector(owner, deploymentId) },
  });
  return volumes ?? [];
}
