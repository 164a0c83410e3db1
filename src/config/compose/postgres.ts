/** Where PostgreSQL's image keeps its data. */
import type { PodSpec } from '../spec.ts';

const oldDirectory = '/var/lib/postgresql/data';

/**
 * The official image from 18 on keeps its data in `/var/lib/postgresql/<version>/docker`, and refuses to start when a
 * volume is mounted at the directory of the earlier ones. Told to use that directory, it does.
 */
export function needsDataDirectory({ image, volumes, vars }: PodSpec): boolean {
  const match = /(?:^|\/)(?:postgres|pgvector\/pgvector|postgis\/postgis)(?::([^@]*))?(?:@.*)?$/.exec(image);
  if (!match || vars.PGDATA !== undefined) return false;
  const version = /^(?:pg)?(\d+)/.exec(match[1] ?? '')?.[1];
  const isNew =
    version === undefined ? /^(?:latest|alpine|bookworm|trixie|)/.test(match[1] ?? '') : Number(version) >= 18;
  return isNew && volumes.some(({ mountPath }) => mountPath === oldDirectory);
}

export const dataDirectory = `${oldDirectory}/pgdata`;
