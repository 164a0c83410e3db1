/** The environment of a program in a container of the in-memory engine: its arguments, its files, its network. */
import { posix } from 'node:path';
import { volumeKey } from './deployment-map.ts';
import type { MemoryContainer, MemoryImage, MemoryProcess, MemoryWorld } from './world.ts';

export function processOf(world: MemoryWorld, container: MemoryContainer, image: MemoryImage): MemoryProcess {
  const { workload } = container;
  // As in Docker, an entrypoint of the workload also removes the command of the image.
  const command = workload.command ?? (workload.entrypoint ? [] : image.command) ?? [];
  return {
    args: [...(workload.entrypoint ?? image.entrypoint ?? []), ...command],
    env: workload.env,
    read: (path) => filesAt(world, container, path).files.get(filesAt(world, container, path).path),
    write: (path, content) => {
      const place = filesAt(world, container, path);
      place.files.set(place.path, content.slice(0, place.maxBytes));
    },
    list: (path) => [...filesAt(world, container, `${path}/any`).files.keys()],
    fetch: (name, port, path) => {
      const target = world.containers
        .of(container.deploymentId)
        .find((other) => other.phase === 'running' && other.workload.aliases.includes(name));
      if (!target?.run.ports?.includes(port)) return undefined;
      return target.run.respond?.(path) ?? { status: 200, body: '' };
    },
  };
}

/** Returns the volume that contains the path, or the container's own files, and the maximum length of the file. */
export function filesAt(world: MemoryWorld, { deploymentId, workload, files }: MemoryContainer, anyPath: string) {
  const path = posix.resolve('/', anyPath);
  const mount = workload.volumes.find(({ mountPath }) => path.startsWith(`${posix.resolve('/', mountPath)}/`));
  const volume = mount && world.volumes.get(volumeKey(deploymentId, mount.volume));
  if (!volume || !mount) return { files, path, maxBytes: Number.POSITIVE_INFINITY };
  const inVolume = posix.relative(mount.mountPath, path);
  const others = [...volume.files].filter(([name]) => name !== inVolume);
  const maxBytes = volume.sizeBytes - others.reduce((sum, [, content]) => sum + content.length, 0);
  return { files: volume.files, path: inVolume, maxBytes };
}
