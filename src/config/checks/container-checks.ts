/** Checks of container settings: directories in memory fit into the memory, and have allowed paths. */
import { excerpt } from '../diagnostics/diagnostics.ts';
import { memoryLimitOf } from '../spec/default-limits.ts';
import { normalisePath } from '../values/container-paths.ts';
import { printBytes } from '../values/units.ts';
import type { PodContext } from './context.ts';
import { isReserved } from './file-checks.ts';

/** Reduces values in the spec that exceed their maximum. */
export function checkContainer(context: PodContext): void {
  checkMemory(context);
  checkDirectories(context);
  checkReadOnly(context);
}

/** Directories in memory count as memory. A total above the limit could not be used. */
function checkMemory({ pod, path, report }: PodContext): void {
  const { container } = pod;
  if (!container) return;
  const max = memoryLimitOf(pod.resources);
  const bound = (bytes: number, field: string, index?: number) => {
    if (bytes <= max) return bytes;
    const words = `${printBytes(bytes)} in memory are more than the ${printBytes(max)} of memory that it has`;
    const at = index === undefined ? [...path, field] : [...path, field, index];
    report.warn(at, 'memory-limit', words, { hint: 'raise its limit of memory, or write less' });
    return max;
  };
  if (container.shmBytes !== undefined) container.shmBytes = bound(container.shmBytes, 'shmSize');
  container.tmpfs?.forEach((directory, index) => {
    if (directory.sizeBytes !== undefined) directory.sizeBytes = bound(directory.sizeBytes, 'tmpfs', index);
  });
}

function checkDirectories({ pod, path, report }: PodContext): void {
  const taken = new Set(pod.volumes.map(({ mountPath }) => plainPath(mountPath)));
  pod.container?.tmpfs?.forEach(({ mountPath }, index) => {
    const at = [...path, 'tmpfs', index];
    const name = plainPath(mountPath);
    if (name === '/' || mountPath.split('/').includes('..') || isReserved(name) || /[:,]/.test(name)) {
      const hint = name.startsWith('/dev/shm') ? 'its size is shmSize' : 'for example /tmp';
      report.error(at, 'bad-mount-path', `no directory in memory can be at "${excerpt(mountPath)}"`, { hint });
    } else if (taken.has(name)) {
      const message = `two volumes of the pod have the same mountPath "${excerpt(mountPath)}"`;
      report.error(at, 'duplicate-volume', message, { hint: 'keep one of them' });
    } else {
      const hidden = pod.files.find((file) => normalisePath(file.path).startsWith(`${name}/`));
      const hint = 'give one of them another path';
      if (hidden)
        report.error(at, 'file-on-volume', `the file "${excerpt(hidden.path)}" would be hidden by it`, { hint });
    }
    taken.add(name);
  });
}

/** Without a slash at its end. */
function plainPath(path: string): string {
  return normalisePath(path).replace(/(?<=.)\/$/, '');
}

/** Files are written into a container before its start, which the engine refuses for a read-only container. */
function checkReadOnly({ pod, path, report }: PodContext): void {
  const { container, files, volumes } = pod;
  if (!container?.readOnly || files.length === 0) return;
  const isOnVolume = (file: string) => volumes.some(({ mountPath }) => file.startsWith(`${plainPath(mountPath)}/`));
  if (files.every((file) => isOnVolume(normalisePath(file.path)))) return;
  const hint = 'put the files into the image, or below the mountPath of a volume';
  report.warn([...path, 'readOnly'], 'read-only-files', 'can be written: its files are put there', { hint });
  delete container.readOnly;
  if (Object.keys(container).length === 0) delete pod.container;
}
