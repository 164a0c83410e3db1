/** The options for a source archive: the flags, shell variables and answers of `berth up`. */
import type { FolderOptions } from './project.ts';

export type SourceOptions = Pick<FolderOptions, 'values' | 'files' | 'envFiles' | 'without' | 'profiles' | 'name'>;

/** The file in the archive that contains them. */
export const optionsPath = '.berth/options.json';
