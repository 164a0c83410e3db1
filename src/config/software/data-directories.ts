/** Finds the data directories of databases, and whether they are on a volume of their pod. Pure. */

import type { PodSpec } from '../spec/spec.ts';
import { shortNameOf } from '../values/image-names.ts';

/** Data directories by the name of the image. Caches and queues are not listed because their content may be lost. */
const directories: Record<string, string> = {
  postgres: '/var/lib/postgresql/data',
  pgvector: '/var/lib/postgresql/data',
  postgis: '/var/lib/postgresql/data',
  timescaledb: '/var/lib/postgresql/data',
  mysql: '/var/lib/mysql',
  'mysql-server': '/var/lib/mysql',
  mariadb: '/var/lib/mysql',
  mongo: '/data/db',
  'mongodb-community-server': '/data/db',
  cassandra: '/var/lib/cassandra',
  scylla: '/var/lib/scylla',
  'clickhouse-server': '/var/lib/clickhouse',
  clickhouse: '/var/lib/clickhouse',
  couchdb: '/opt/couchdb/data',
  influxdb: '/var/lib/influxdb2',
  neo4j: '/data',
};
/** Images of other publishers with the same names and other data directories. */
const distributed = /(?:^|\/)(?:bitnami|bitnamilegacy|linuxserver|rapidfort|chainguard|wodby)\//;
/** Sets another directory of the program. PostgreSQL has a variable for it. */
const chosen = /(?:^|\s)(?:-D|--?datadir|--dbpath)(?:[=\s]|$)/;

/** Returns the data directory of a database image, by its name. Undefined for other images. */
export function dataDirectoryOf(image: string): string | undefined {
  const name = shortNameOf(image);
  return Object.hasOwn(directories, name) ? directories[name] : undefined;
}

/**
 * Returns the directory without a volume, and whether the pod has volumes elsewhere. Undefined if the directory is on a
 * volume.
 */
export function unsavedData(pod: PodSpec): { directory: string; hasOthers: boolean } | undefined {
  const { image, volumes, vars, command = [], resourceType, servicePorts } = pod;
  const usual = dataDirectoryOf(image);
  // Without a port, the pod is a client of a database, such as a backup.
  if (usual === undefined || resourceType === 'job' || servicePorts.length === 0) return undefined;
  const directory = vars.PGDATA ?? usual;
  if (volumes.length === 0) return { directory: usual, hasOthers: false };
  const isElsewhere = distributed.test(image) || chosen.test(command.join(' ').slice(0, 10_000));
  if (isElsewhere || volumes.some(({ mountPath }) => isWithin(directory, mountPath) || isWithin(mountPath, usual))) {
    return undefined;
  }
  return { directory: usual, hasOthers: true };
}

function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory === '/' ? '/' : `${directory}/`);
}
