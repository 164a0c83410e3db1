/** Opens volumes that are stored on another machine, for commands that read or fill them. */
import type { CopiesSettings } from '../../engine/open.ts';
import type { OpenCopies } from '../../engine/opening.ts';
import { type Keys, sealWith } from '../../lib/seal.ts';

/** Of an installation, by its keys. Throws an error for people. */
export type OpenElsewhere = (owner: string, keys: Keys | undefined) => Promise<OpenCopies | undefined>;

/** `isBeside`: its service works, and answers those who ask from outside. */
export function elsewhereOf(settings: CopiesSettings, isBeside: boolean): OpenElsewhere {
  return async (owner, keys) => {
    if (!keys) throw new Error('The key of the installation is missing.');
    // With all engines, which takes longer to load than most commands last.
    const { openCopiesElsewhere } = await import('../../engine/open.ts');
    return await openCopiesElsewhere(settings, { owner, seal: sealWith(...keys), isBeside });
  };
}
