/** PURE. Where `programs.ts` puts what it makes of a program. */
import { join } from 'node:path';

/** `path`: of its source, from the root of the project. */
export function madeFile(folder: string, path: string): string {
  return join(folder, `${path}.mjs`);
}
