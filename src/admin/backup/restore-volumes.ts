/**
 * The data of deployments back where there are none of their volumes. One that is there stays as it is, with all the others
 * of its deployment, whose data would not fit to older ones.
 */
import type { KeptVolumes } from './backup-files.ts';

export type BroughtVolumes = {
  /** Those that a call which was interrupted has put in their places are left out. */
  brought: { deploymentId: string; volume: string }[];
  /** Deployments whose volumes are there. */
  left: string[];
};

/** Where the volumes are to be. */
export type VolumeFiller = {
  /** Of what is kept, which it can fill them from. */
  form: KeptVolumes['form'];
  /** Those of them that are not there. */
  missing(kept: KeptVolumes): Promise<KeptVolumes['volumes']>;
  /** Makes them beside, empty, then fills them and reads them back; `missing`: those that are needed. */
  fill(kept: KeptVolumes, missing: KeptVolumes['volumes']): Promise<void>;
  /** Puts all of them in their places: nothing is there that could be written over. */
  place(brought: BroughtVolumes['brought']): Promise<void>;
};

/** `begun`: by a call that was interrupted; what is there was put there by it, but for those that it has left. */
export async function bringVolumes(
  kept: readonly KeptVolumes[],
  filler: VolumeFiller,
  begun: { left: string[] } | undefined,
): Promise<BroughtVolumes> {
  const result: BroughtVolumes = { brought: [], left: [] };
  for (const one of kept) {
    const { deploymentId, volumes } = one;
    const missing = await filler.missing(one);
    if (begun ? begun.left.includes(deploymentId) : missing.length < volumes.length) {
      result.left.push(deploymentId);
      continue;
    }
    if (missing.length === 0) continue;
    await filler.fill(one, missing);
    result.brought.push(...missing.map(({ volume }) => ({ deploymentId, volume })));
  }
  return result;
}
