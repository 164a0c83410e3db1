/**
 * Restores the data of deployments whose volumes are all missing. An existing volume stays as it is, and so do the
 * others of its deployment, because older data would not match.
 */
import type { KeptVolumes } from './backup-files.ts';

export type BroughtVolumes = {
  /** Volumes that this call restored. Those of an earlier, interrupted call are left out. */
  brought: { deploymentId: string; volume: string }[];
  /** Deployments whose volumes are there. */
  left: string[];
};

/** Where the volumes are to be. */
export type VolumeFiller = {
  /** The form of the copies that it can restore from. */
  form: KeptVolumes['form'];
  /** Those of them that are not there. */
  missing(kept: KeptVolumes): Promise<KeptVolumes['volumes']>;
  /** Creates the volumes separately and empty, then fills and verifies them. `missing`: the needed ones. */
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
