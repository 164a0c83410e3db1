/** The data directory of PostgreSQL's image. Pure. */
import type { PodSpec } from '../spec/spec.ts';

/** The volume that images up to 17 declare. */
export const oldDataDirectory = '/var/lib/postgresql/data';
/** The volume that images from 18 on declare; they create a directory for their version below it. */
export const newDataDirectory = '/var/lib/postgresql';
/** All versions use it if it is set (PGDATA). */
export const dataDirectory = `${oldDataDirectory}/pgdata`;

/**
 * From version 18, the official image refuses to start if a volume is mounted at the directory of earlier versions,
 * unless PGDATA is set. An image without a version in its tag is a new one.
 */
export function needsDataDirectory({ image, volumes, vars }: PodSpec): boolean {
  const match = /(?:^|\/)(?:postgres|pgvector\/pgvector|postgis\/postgis)(?::([^@]*))?(?:@.*)?$/.exec(image);
  if (!match || vars.PGDATA !== undefined) return false;
  const version = /^(?:pg)?(\d+)/.exec(match[1] ?? '')?.[1];
  const isNew = version === undefined || Number(version) >= 18;
  return isNew && volumes.some(({ mountPath }) => mountPath === oldDataDirectory);
}
