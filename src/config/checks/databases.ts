/** Databases: their data must be where their image looks for it. */
import { replaceValue } from '../edits.ts';
import { dataDirectory, needsDataDirectory, newDataDirectory, oldDataDirectory } from '../postgres.ts';
import type { PodContext } from './context.ts';

/** Tells PostgreSQL to keep its data on the volume that it has; where an older image looks, it needs no telling. */
export function readDataDirectory({ pod, path, report, source }: PodContext): void {
  if (!needsDataDirectory(pod)) return;
  pod.vars.PGDATA = dataDirectory;
  const position = pod.volumes.findIndex(({ mountPath }) => mountPath === oldDataDirectory);
  const at = [...path, 'volumes', position, 'mountPath'];
  const message = `PostgreSQL from 18 on does not start with a volume here; PGDATA is set to ${dataDirectory}`;
  report.warn(at, 'data-directory', message, {
    hint: `write ${newDataDirectory}, its directory since then`,
    fix: replaceValue(source, at, newDataDirectory),
  });
}
