/** Where a program of the project is that a test starts: `npm test` has made some of them one file, which starts faster. */
import { existsSync } from 'node:fs';
import { madeFile } from '../scripts/testing/made-file.ts';

/** `path`: of its source, from the root of the project, which is where tests run. */
export function programFile(path: string): string {
  const folder = process.env.TEST_PROGRAMS;
  const made = folder === undefined ? undefined : madeFile(folder, path);
  return made !== undefined && existsSync(made) ? made : path;
}
