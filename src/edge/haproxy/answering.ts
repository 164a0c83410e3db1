/**
 * Until when HAProxy answers for applications: it compares its clock with a time that it is told again and again. So it
 * stops by itself when nobody tells it, whatever has happened to the service, and also after it has stood still.
 */
import { join } from 'node:path';
import { replaceFile } from '../../lib/replace-file.ts';
import type { EdgePaths } from '../edge-paths.ts';
import { commandAll } from './runtime-socket.ts';
import { answeringMap } from './stale-rules.ts';

export type Answering = {
  /** From now on HAProxy answers until this instant, and not longer. */
  until(at: number): Promise<void>;
  /** For a HAProxy that starts now: until this instant, and, unless it is given, not before it is told. */
  writeFile(at?: number): Promise<void>;
};

export function createAnswering(paths: EdgePaths): Answering {
  const entry = (at: number) => `until ${Math.floor(at / 1000)}`;
  return {
    until: (at) => commandAll(paths.adminSocket, [`set map ${answeringMap} ${entry(at)}`]),
    writeFile: (at = 0) => replaceFile(join(paths.edge, answeringMap), `${entry(at)}\n`),
  };
}
