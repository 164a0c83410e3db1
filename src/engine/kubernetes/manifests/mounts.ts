/** PURE. The mounts of a workload: files, volumes and memory directories. */
import { posix } from 'node:path';
import type { V1Volume, V1VolumeMount } from '@kubernetes/client-node';
import { limitsOf } from '../../../deployment/limits/pod-resources.ts';
import type { Workload } from '../../../deployment/workload/workload.ts';
import { EngineFault } from '../../engine.ts';
import { clusterName, objectName } from '../names.ts';

type Mounts = { volumes: V1Volume[]; mounts: V1VolumeMount[] };

export type MountRequest = {
  deploymentId: string;
  workload: Workload;
  imageVolumes?: readonly string[];
  /** Claims by volume, if the name of the claim differs from the name of the volume. */
  claims?: ReadonlyMap<string, string>;
};

/** Paths that the cluster mounts over itself. */
const hidden = /^\/(dev|proc|sys)(\/|$)|^\/etc\/(hosts|hostname|resolv\.conf)$/;

/** A subfolder, because disks of a cluster contain a `lost+found`, which databases refuse. */
export const volumeFolder = 'data';

export function mountsOf(request: MountRequest): Mounts {
  const parts = [filesOf(request), volumesOf(request), memoryOf(request)];
  return { volumes: parts.flatMap(({ volumes }) => volumes), mounts: parts.flatMap(({ mounts }) => mounts) };
}

/**
 * Mounts each file separately, so that other files of the image in its directory stay. A file below a volume's path is
 * on top of the volume. A cluster cannot set the owner, so a mode that is readable only by the owner is opened to all.
 * Nothing else runs in the pod.
 */
function filesOf({ deploymentId, workload }: MountRequest): Mounts {
  if (workload.files.length === 0) return { volumes: [], mounts: [] };
  const mounts = workload.files.map(({ path }, index) => {
    const mountPath = absolute(path);
    refuseHidden(mountPath, path, workload);
    return { name: 'files', mountPath, subPath: fileKey(index), readOnly: true };
  });
  const items = workload.files.map(({ mode }, index) => ({
    key: fileKey(index),
    path: fileKey(index),
    ...(mode !== undefined && { mode: readableByAll(mode) }),
  }));
  const secret = { secretName: objectName(deploymentId, workload.name), items, defaultMode: 0o644 };
  return { volumes: [{ name: 'files', secret }], mounts };
}

/** Applies the owner's read and execute bits to the group and others. */
function readableByAll(mode: string): number {
  const owner = (Number.parseInt(mode, 8) >> 6) & 0o5;
  return Number.parseInt(mode, 8) | (owner << 3) | owner;
}

/**
 * A path that the image declares as a volume below one of these would get an empty directory that is lost with the pod.
 * It is mounted again from the volume that contains it.
 */
function volumesOf({ workload, imageVolumes = [], claims = new Map() }: MountRequest): Mounts {
  const names = [...new Set(workload.volumes.map(({ volume }) => volume))];
  const nameOf = (volume: string) => `volume-${names.indexOf(volume)}`;
  const own = workload.volumes.map(({ volume, mountPath }) => ({
    name: nameOf(volume),
    mountPath: absolute(mountPath),
    subPath: volumeFolder,
  }));
  const nested = imageVolumes.map(absolute).flatMap((path) => {
    const above = own
      .filter(({ mountPath }) => path.startsWith(mountPath === '/' ? '/' : `${mountPath}/`))
      .sort((a, b) => b.mountPath.length - a.mountPath.length)[0];
    if (!above || own.some(({ mountPath }) => mountPath === path)) return [];
    return [{ ...above, mountPath: path, subPath: `${volumeFolder}/${posix.relative(above.mountPath, path)}` }];
  });
  return {
    volumes: names.map((volume) => ({
      name: nameOf(volume),
      persistentVolumeClaim: { claimName: claims.get(volume) ?? clusterName(volume) },
    })),
    mounts: [...own, ...nested],
  };
}

/** A cluster cannot choose their owner and mode: all users may write. */
function memoryOf({ workload }: MountRequest): Mounts {
  const { shmBytes, tmpfs = [], readOnly } = workload.container ?? {};
  const { memoryBytes } = limitsOf(workload.resources);
  const taken = [...workload.volumes, ...tmpfs].map(({ mountPath }) => absolute(mountPath));
  const directories = [
    ...(shmBytes === undefined ? [] : [{ mountPath: '/dev/shm', sizeBytes: shmBytes }]),
    ...tmpfs.map(({ mountPath, sizeBytes }) => ({ mountPath: absolute(mountPath), sizeBytes })),
    // Most programs need `/tmp` if the root file system is read-only.
    ...(readOnly && !taken.includes('/tmp') ? [{ mountPath: '/tmp', sizeBytes: undefined }] : []),
  ];
  return {
    volumes: directories.map(({ sizeBytes }, index) => ({
      name: `memory-${index}`,
      emptyDir: {
        medium: 'Memory',
        sizeLimit: String(Math.min(sizeBytes ?? Math.floor(memoryBytes / 2), memoryBytes)),
      },
    })),
    mounts: directories.map(({ mountPath }, index) => ({ name: `memory-${index}`, mountPath })),
  };
}

function refuseHidden(path: string, written: string, { pod }: Workload): void {
  if (!hidden.test(path)) return;
  throw new EngineFault('bad-request', `no file can be put at ${written}: that path belongs to the cluster.`, {
    pods: [pod],
  });
}

/** Normalised, so that no `..` is left. */
function absolute(path: string): string {
  return posix.resolve('/', path);
}

/** PURE. Where the values of a workload are in its Secret, whose keys have fewer characters than names of variables. */
export const envKey = (index: number) => `env-${index}`;
export const fileKey = (index: number) => `file-${index}`;
