/**
 * PURE. Which volumes a container gets where.
 *
 * An image that declares a VOLUME below one of the workload's mounts would get an anonymous volume there, which hides
 * that part of the workload's volume and is lost when the container is replaced. (PostgreSQL up to 17 declares
 * /var/lib/postgresql/data, and many configurations mount a volume at /var/lib/postgresql.) Such a path gets a volume
 * of its own that lives and dies with the one above it. A subdirectory of the same volume would do as well, but Docker
 * has no such mounts before 25.
 */
import { posix } from 'node:path';
import type { MountSettings } from 'dockerode';
import type { Workload } from '../../deployment/workload.ts';
import { deploymentLabels, type Labels, volumeLabels } from '../labels.ts';
import { nestedVolumeName, volumeName } from './names.ts';

export function mountsOf(
  owner: string,
  deploymentId: string,
  volumes: Workload['volumes'],
  imageVolumes: string[],
): MountSettings[] {
  const named = volumes.map(({ volume, mountPath }) => ({ volume, path: posix.resolve('/', mountPath) }));
  const declared = imageVolumes
    .map((path) => posix.resolve('/', path))
    .filter((path) => !named.some((mount) => mount.path === path));
  return [
    ...named.map(({ volume, path }) =>
      mountOf(volumeName(deploymentId, volume), path, volumeLabels(owner, deploymentId, volume)),
    ),
    ...declared.map((path) => {
      const parent = innermostAbove(named, path);
      // Anonymous as Docker would make it, but labelled: one that is left behind is then found.
      if (!parent) return mountOf('', path, deploymentLabels(owner, deploymentId));
      const relative = posix.relative(parent.path, path);
      return mountOf(
        nestedVolumeName(deploymentId, parent.volume, relative),
        path,
        volumeLabels(owner, deploymentId, parent.volume),
      );
    }),
  ];
}

function innermostAbove<T extends { path: string }>(mounts: T[], path: string): T | undefined {
  return mounts
    .filter((mount) => path.startsWith(mount.path === '/' ? '/' : `${mount.path}/`))
    .sort((a, b) => b.path.length - a.path.length)[0];
}

/** A volume that is missing is made by Docker, with these labels. */
function mountOf(source: string, target: string, labels: Labels): MountSettings {
  return {
    Type: 'volume',
    Source: source,
    Target: target,
    VolumeOptions: { NoCopy: false, Labels: labels, DriverConfig: { Name: 'local', Options: {} } },
  };
}
