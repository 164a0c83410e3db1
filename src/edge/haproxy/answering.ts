/**
 * The deadline until which HAProxy answers for applications. HAProxy compares its clock with a time that is renewed
 * regularly. Therefore it stops by itself when the renewals end, after any fault of the service, and also after a
 * suspension.
 */
import { join } from 'node:path';
import { replaceFile } from '../../lib/replace-file.ts';
import type { EdgePaths } from '../edge-paths.ts';
import { commandAll } from './runtime-socket.ts';
import { answeringMap } from './stale-rules.ts';

export type Answering = {
  /** Lets HAProxy answer until this instant, and not longer. */
  until(at: number): Promise<void>;
  /** Writes the deadline for a HAProxy that starts now. Default: it does not answer before `until` is called. */
  writeFile(at?: number): Promise<void>;
};

export function createAnswering(paths: EdgePaths): Answering {
  const entry = (at: number) => `until ${Math.floor(at / 1000)}`;
  return {
    until: (at) => commandAll(paths.adminSocket, [`set map ${answeringMap} ${entry(at)}`]),
    writeFile: (at = 0) => replaceFile(join(paths.edge, answeringMap), `${entry(at)}\n`),
  };
}
