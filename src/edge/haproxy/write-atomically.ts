/** Files of HAProxy's working directory. */
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EdgePaths } from '../edge-paths.ts';

/** Whoever reads it finds all of what was before, or all of what is now. */
export async function writeAtomically(paths: EdgePaths, name: string, content: string): Promise<void> {
  const path = join(paths.edge, name);
  await writeFile(`${path}.new`, content, { mode: 0o600 });
  await rename(`${path}.new`, path);
}
