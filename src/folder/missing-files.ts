/** Missing files with variables that a document names. Repositories often leave them out. */
import { basename } from 'node:path';
import type { Findings } from './findings.ts';
import type { FolderOptions } from './project.ts';

/** Returns whether the name is one of a file of variables: `.env`, `.env.production`, `db.env`. */
export function isVariablesFile(path: string): boolean {
  return /^(?:\.env(?:\..*)?|.*\.env)$/.test(basename(path));
}

/**
 * Lets the user decide whether the file is needed, unless the options already state that it may be missing.
 * @param file Relative to the folder, as `example`.
 */
export function reportMissingFile(
  { file, at, example }: { file: string; at: number; example?: string },
  { findings, options }: { findings: Findings; options: Pick<FolderOptions, 'without'> },
): void {
  if (findings.needs(file, at)) return;
  if (options.without?.includes(file)) findings.note('without-file', `${file} is missing and is skipped`, at);
  else if (!findings.missingFiles.has(file)) findings.missingFiles.set(file, { at, example });
}
