/**
 * Named volumes of a deployment. A volume of the configuration may consist of several Docker volumes, see `mounts.ts`.
 * A volume is bound to its own file system if the host supports that, and is a Docker directory otherwise. It never
 * changes its kind.
 */
import { readdir } from 'node:fs/promises';
import type Docker from 'dockerode';
import { EngineFault, type RepairedVolume } from '../../engine.ts';
import { epochLabel, isOwnedBy, labelKeys, labelSelector, volumeLabels } from '../../labels.ts';
import { bindTo } from '../containers/mounts.ts';
import { unless } from '../faults.ts';
import { volumeName } from '../names.ts';
import type { LoopVolume, LoopVolumes } from './loop-volumes.ts';

export type Volumes = {
  /** Makes sure that the volume exists. With a hard limit, it has at least the size. */
  create(deploymentId: string, volume: string, sizeBytes: number): Promise<void>;
  /** Removes the volume and those for directories inside it. */
  remove(deploymentId: string, volume: string): Promise<void>;
  /** See the engine port. */
  mend(): Promise<RepairedVolume[]>;
  /**
   * Returns the size of each of the deployment's volumes with a hard limit. 0 while it is incomplete. `known`: the
   * volumes of Docker. A complete volume that Docker has lost is included, because the next container restores it.
   */
  hardSizes(deploymentId: string, known: Docker.VolumeInspectInfo[]): Promise<Record<string, number>>;
  /** Removes one that `listForgotten` or Docker lists, by Docker's name for it. */
  removeNamed(name: string): Promise<void>;
  /** File systems of volumes that Docker does not know, after a crash or a manual removal of the volume. */
  listForgotten(known: Docker.VolumeInspectInfo[], deploymentId?: string): Promise<ForgottenVolume[]>;
};

/** `sizeBytes`: 0 while it is not complete. */
export type ForgottenVolume = LoopVolume & { name: string; sizeBytes: number };

export type VolumesOptions = {
  owner: string;
  epoch: () => number;
  /** The location of volumes with a hard limit, and whether new ones get one. */
  loops: LoopVolumes | undefined;
  isLoopForNew: boolean;
  stopSeconds: number;
};

export function createVolumes(docker: Docker, options: VolumesOptions): Volumes {
  const { owner, epoch, loops, isLoopForNew, stopSeconds } = options;

  /** The users of the volume are stopped for the work and started again after it. */
  async function withoutUsers(name: string, work: (release: () => Promise<void>) => Promise<void>): Promise<void> {
    const stopped: Docker.Container[] = [];
    try {
      await work(async () => void stopped.push(...(await stopUsers(docker, owner, name, stopSeconds))));
    } finally {
      for (const container of stopped) await unless(container.start(), 304, 404);
    }
  }

  async function listForgotten(known: Docker.VolumeInspectInfo[], deploymentId?: string): Promise<ForgottenVolume[]> {
    const names = new Set(known.map(({ Name }) => Name));
    const all = ((await loops?.list(deploymentId)) ?? []).map((which) => ({
      ...which,
      name: volumeName(which.deploymentId, which.volume),
    }));
    const forgotten = all.filter(({ name }) => !names.has(name));
    return await Promise.all(forgotten.map(async (each) => ({ ...each, sizeBytes: await loops!.sizeOf(each) })));
  }

  return {
    async create(deploymentId, volume, sizeBytes) {
      const name = volumeName(deploymentId, volume);
      const which = { deploymentId, volume };
      const isLoop = loops !== undefined && (isLoopForNew || (await loops.has(which)));
      // Docker returns the existing volume for a repeated creation, even with other options and labels.
      const make = async () => {
        const created = await docker.createVolume({
          Name: name,
          Labels: { ...volumeLabels(owner, deploymentId, volume), ...epochLabel(epoch()) },
          ...(isLoop && { DriverOpts: bindTo(loops.dataOf(which)) }),
        });
        return await created.inspect();
      };
      let found = await make();
      // If the engine is killed while it creates a volume, the volume stays without labels. If it is bound to a
      // directory of Berth, it is Berth's, and Docker's removal leaves the directory. If it is not bound yet, it is
      // empty.
      if (loops && !hasLabels(found) && (isBoundTo(found, loops.dataOf(which)) || (await isBare(found)))) {
        await docker.getVolume(name).remove();
        found = await make();
      }
      if (!isOwnedBy(owner, found.Labels))
        throw new EngineFault(
          'bad-request',
          `A volume named ${name} already exists and does not belong to this installation.`,
        );
      if (!loops || !isBoundTo(found, loops.dataOf(which))) return;
      await withoutUsers(name, (release) => loops.ensure(which, sizeBytes, release));
    },

    async mend() {
      const tries: RepairedVolume[] = [];
      for (const which of (await loops?.listStopped()) ?? []) {
        const name = volumeName(which.deploymentId, which.volume);
        await withoutUsers(name, (release) => loops!.mend(which, release)).then(
          () => tries.push(which),
          (fault: Error) => tries.push({ ...which, fault }),
        );
      }
      return tries;
    },

    async remove(deploymentId, volume) {
      // Docker's volume is removed last, because it marks that something is left to remove.
      await loops?.remove({ deploymentId, volume });
      for (const { Name: name, Labels: labels } of await listVolumes(docker, owner, deploymentId))
        if (labels?.[labelKeys.volume] === volume) await unless(docker.getVolume(name).remove(), 404);
    },

    async hardSizes(deploymentId, known) {
      if (!loops) return {};
      const sizes = known.map(async (found): Promise<[string, number][]> => {
        const which = loopVolumeOf(found);
        if (!which || !isBoundTo(found, loops.dataOf(which))) return [];
        return [[which.volume, await loops.sizeOf(which)]];
      });
      const forgotten = await listForgotten(known, deploymentId);
      return Object.fromEntries([
        ...(await Promise.all(sizes)).flat(),
        ...forgotten.flatMap(({ volume, sizeBytes }) => (sizeBytes > 0 ? [[volume, sizeBytes] as const] : [])),
      ]);
    },

    async removeNamed(name) {
      const found = (await listVolumes(docker, owner)).find(({ Name }) => Name === name);
      const which = found
        ? loopVolumeOf(found)
        : (await loops?.list())?.find(({ deploymentId, volume }) => volumeName(deploymentId, volume) === name);
      if (which) await loops?.remove(which);
      if (found) await unless(docker.getVolume(name).remove(), 404);
    },

    listForgotten,
  };
}

/** Stops the containers that have the volume, and answers them. */
async function stopUsers(docker: Docker, owner: string, name: string, seconds: number): Promise<Docker.Container[]> {
  const filters = { label: labelSelector(owner), volume: [name], status: ['running' as const, 'restarting' as const] };
  const users = (await docker.listContainers({ filters })).map(({ Id }) => docker.getContainer(Id));
  await Promise.all(users.map((container) => unless(container.stop({ t: seconds }), 304, 404)));
  return users;
}

/** Lists the volumes of one deployment, or of the whole installation. */
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

/** Returns the volume of the configuration. Undefined for a volume of an inner directory. */
function loopVolumeOf({ Name: name, Labels: labels }: Docker.VolumeInspectInfo): LoopVolume | undefined {
  const deploymentId = labels?.[labelKeys.deployment];
  const volume = labels?.[labelKeys.volume];
  if (!deploymentId || !volume || name !== volumeName(deploymentId, volume)) return undefined;
  return { deploymentId, volume };
}

function hasLabels({ Labels: labels }: Docker.VolumeInspectInfo): boolean {
  return Object.keys(labels ?? {}).length > 0;
}

/** Returns whether the volume is empty and not bound to a directory. */
async function isBare({ Options: options, Mountpoint: directory }: Docker.VolumeInspectInfo): Promise<boolean> {
  if (Object.keys(options ?? {}).length > 0) return false;
  return (await readdir(directory).catch(() => undefined))?.length === 0;
}

function isBoundTo({ Options: options }: Docker.VolumeInspectInfo, directory: string): boolean {
  return options?.device === directory;
}
