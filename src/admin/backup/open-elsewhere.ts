/** Opens volumes that are stored on another machine, for commands that read or fill them. */
import type { CopiesSettings } from '../../engine/open.ts';
import type { OpenCopies } from '../../engine/opening.ts';
import { type Keys, sealWith } from '../../lib/seal.ts';

/** Opens the copies of an installation with its keys. Throws an error with a message for users. */
export type OpenElsewhere = (owner: string, keys: Keys | undefined) => Promise<OpenCopies | undefined>;

/** `isBeside`: the installation's service is running, and answers requests from other machines. */
export function elsewhereOf(settings: CopiesSettings, isBeside: boolean): OpenElsewhere {
  return async (owner, keys) => {
    if (!keys) throw new Error('The key of the installation is missing.');
    // The import loads all engines, which takes longer than most commands last.
    const { openCopiesElsewhere } = await import('../../engine/open.ts');
    return await openCopiesElsewhere(settings, { owner, seal: sealWith(...keys), isBeside });
  };
}
