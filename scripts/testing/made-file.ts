/** PURE. The paths of the bundles of `programs.ts`. */
import { join } from 'node:path';

/** `path`: of its source, from the root of the project. */
export function madeFile(folder: string, path: string): string {
  return join(folder, `${path}.mjs`);
}
