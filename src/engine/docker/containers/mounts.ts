/**
 * PURE. Decides which volumes a container gets at which paths. If an image declares a VOLUME below a mount of the
 * workload, it would get an anonymous volume there, which hides that part of the workload's volume and is lost when the
 * container is replaced. (PostgreSQL up to 17 declares /var/lib/postgresql/data, and many configurations mount a volume
 * at /var/lib/postgresql.) Such a path gets its own volume with the same lifetime as the one above it. If that one has
 * its own file system, the path is another directory of it. A subdirectory of the same volume would also work, but
 * Docker supports such mounts only since 25.
 */
import { posix } from 'node:path';
import type { MountSettings } from 'dockerode';
import type { SharedFolder, Workload } from '../../../deployment/workload/workload.ts';
import { deploymentLabels, type Labels, nestedVolumeLabels, volumeLabels } from '../../labels.ts';
import { nestedSlug, nestedVolumeName, volumeName } from '../names.ts';

/** A path that the image declares as a volume, below a mount of the workload. */
export type NestedVolume = { volume: string; path: string; relativePath: string; slug: string };

/**
 * `boundTo`: the directories of volumes that are not Docker's own, by their path in the container. If Docker has lost
 * such a volume, it is bound to the directory again.
 */
export function mountsOf(
  owner: string,
  deploymentId: string,
  volumes: Workload['volumes'],
  imageVolumes: string[],
  boundTo: ReadonlyMap<string, string> = new Map(),
): MountSettings[] {
  const nested = nestedVolumes(volumes, imageVolumes);
  const bound = (path: string) => {
    const directory = boundTo.get(path);
    return directory === undefined ? {} : bindTo(directory);
  };
  const taken = new Set([...mountPaths(volumes), ...nested].map(({ path }) => path));
  return [
    ...mountPaths(volumes).map(({ volume, path }) =>
      mountOf(volumeName(deploymentId, volume), path, volumeLabels(owner, deploymentId, volume), bound(path)),
    ),
    ...nested.map(({ volume, path, relativePath }) =>
      mountOf(
        nestedVolumeName(deploymentId, volume, relativePath),
        path,
        nestedVolumeLabels(owner, deploymentId, volume, relativePath),
        bound(path),
      ),
    ),
    // Anonymous volumes as Docker would create them, but with labels, so that leftovers can be found.
    ...imageVolumes
      .map(absolute)
      .filter((path) => !taken.has(path))
      .map((path) => mountOf('', path, deploymentLabels(owner, deploymentId))),
  ];
}

/**
 * Returns anonymous volumes that bind shared directories and are removed with their container. Docker's removal keeps
 * the directory. Docker refuses an anonymous volume that is mounted read-only, so the volume itself is read-only.
 */
export function sharedMounts(
  owner: string,
  deploymentId: string,
  folders: readonly SharedFolder[] = [],
): MountSettings[] {
  return folders.map(({ directory, mountPath, isWritable }) =>
    mountOf('', absolute(mountPath), deploymentLabels(owner, deploymentId), {
      ...bindTo(directory),
      ...(!isWritable && { o: 'bind,ro' }),
    }),
  );
}

export function nestedVolumes(volumes: Workload['volumes'], imageVolumes: string[]): NestedVolume[] {
  const named = mountPaths(volumes);
  return imageVolumes.map(absolute).flatMap((path) => {
    const parent = named.some((mount) => mount.path === path) ? undefined : innermostAbove(named, path);
    if (!parent) return [];
    const relativePath = posix.relative(parent.path, path);
    return [{ volume: parent.volume, path, relativePath, slug: nestedSlug(relativePath) }];
  });
}

export function mountPaths(volumes: Workload['volumes']): { volume: string; path: string }[] {
  return volumes.map(({ volume, mountPath }) => ({ volume, path: absolute(mountPath) }));
}

function absolute(path: string): string {
  return posix.resolve('/', path);
}

function innermostAbove<T extends { path: string }>(mounts: T[], path: string): T | undefined {
  return mounts
    .filter((mount) => path.startsWith(mount.path === '/' ? '/' : `${mount.path}/`))
    .sort((a, b) => b.path.length - a.path.length)[0];
}

/** The local driver's options for an existing directory. */
export function bindTo(directory: string): Record<string, string> {
  return { type: 'none', o: 'bind', device: directory };
}

/** A volume that is missing is made by Docker, with these labels. */
function mountOf(source: string, target: string, labels: Labels, options: Record<string, string> = {}): MountSettings {
  return {
    Type: 'volume',
    Source: source,
    Target: target,
    VolumeOptions: { NoCopy: false, Labels: labels, DriverConfig: { Name: 'local', Options: options } },
  };
}
