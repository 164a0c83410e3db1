/**
 * The data of deployments that do not expire, one deployment after another: its volumes are copied as they are at one
 * instant, and what is kept is read from the copies.
 */
import type { Database } from '../../store/database.ts';
import { keptDeployments } from '../../store/kept-deployments.ts';
import type { KeptVolumes } from './backup-files.ts';

/** `not-here`: none of them exists yet, or they do not have their own file systems on this machine. */
export type LeftOut = {
  deploymentId: string;
  volumes: string[];
  because: 'not-here' | 'no-room' | 'failed';
  fault?: Error;
};

export type SizedVolumes = { volume: string; sizeBytes: number }[];

/** `pausedMs`: for so long its writers have waited, or were stopped. */
export type KeptOnce = KeptVolumes & { pausedMs: number };

/** Where the volumes are. */
export type VolumeKeeper = {
  /** The existing volumes among the wanted ones. */
  sizes(deploymentId: string, wanted: readonly string[]): Promise<SizedVolumes>;
  /** Undefined if there is not enough space for the copy. */
  keep(deploymentId: string, volumes: SizedVolumes): Promise<KeptOnce | undefined>;
};

export type ToldOfVolumes = (step: { kind: 'kept-volumes'; deploymentId: string; pausedMs: number }) => void;

/** `keeper`: or why none can be had. */
export async function backUpVolumes(
  db: Database,
  keeper: VolumeKeeper | Error,
  told: ToldOfVolumes,
): Promise<{ kept: KeptVolumes[]; leftOut: LeftOut[] }> {
  const kept: KeptVolumes[] = [];
  const leftOut: LeftOut[] = [];
  for (const { id: deploymentId, volumes: wanted } of await keptDeployments(db)) {
    let volumes = wanted;
    const leave = (because: LeftOut['because'], fault?: Error) =>
      leftOut.push({ deploymentId, volumes, because, ...(fault && { fault }) });
    try {
      if (keeper instanceof Error) throw keeper;
      const here = await keeper.sizes(deploymentId, wanted);
      volumes = wanted.filter((volume) => !here.some((found) => found.volume === volume));
      if (volumes.length > 0) leave('not-here');
      if (here.length === 0) continue;
      volumes = here.map(({ volume }) => volume);
      const one = await keeper.keep(deploymentId, here);
      if (!one) {
        leave('no-room');
        continue;
      }
      const { pausedMs, ...data } = one;
      told({ kind: 'kept-volumes', deploymentId, pausedMs });
      kept.push(data);
    } catch (error) {
      // One of many must not keep the others from being backed up.
      leave('failed', error as Error);
    }
  }
  return { kept, leftOut };
}
