/** PURE. The address by which the pods of a deployment connect to a database of it, with its name and its password. */
import { databaseOf } from './software.ts';

type Database = {
  /** The configured image. */
  image: string;
  /** The host name for other pods. */
  host: string;
  ports: readonly number[];
  env: Readonly<Record<string, string>>;
};

/** Undefined if the image is not a known database. Unset variables have the defaults of the image. */
export function connectionUrlOf({ image, host, ports, env }: Database): string | undefined {
  const first = (...names: string[]) => names.map((name) => env[name]).find((value) => value !== undefined);
  switch (databaseOf(image)) {
    case 'postgres': {
      const user = first('POSTGRES_USER', 'POSTGRESQL_USERNAME') ?? 'postgres';
      const password = first('POSTGRES_PASSWORD', 'POSTGRESQL_PASSWORD');
      const name = first('POSTGRES_DB', 'POSTGRESQL_DATABASE') ?? user;
      return url('postgresql', { user, password, host, port: ports[0] ?? 5432, name });
    }
    case 'mysql': {
      const own = first('MYSQL_USER', 'MARIADB_USER');
      const password =
        own === undefined
          ? first('MYSQL_ROOT_PASSWORD', 'MARIADB_ROOT_PASSWORD')
          : first('MYSQL_PASSWORD', 'MARIADB_PASSWORD');
      const name = first('MYSQL_DATABASE', 'MARIADB_DATABASE') ?? '';
      return url('mysql', { user: own ?? 'root', password, host, port: ports[0] ?? 3306, name });
    }
    case 'mongo': {
      const user = env.MONGO_INITDB_ROOT_USERNAME;
      const name =
        user === undefined ? (env.MONGO_INITDB_DATABASE ?? '') : `${env.MONGO_INITDB_DATABASE ?? ''}?authSource=admin`;
      return url('mongodb', { user, password: env.MONGO_INITDB_ROOT_PASSWORD, host, port: ports[0] ?? 27017, name });
    }
    case 'redis':
      return url('redis', { password: env.REDIS_PASSWORD, host, port: ports[0] ?? 6379, name: '' });
    default:
      return undefined;
  }
}

type Parts = { user?: string | undefined; password: string | undefined; host: string; port: number; name: string };

function url(scheme: string, { user = '', password, host, port, name }: Parts): string {
  const secret = password === undefined ? '' : `:${encodeURIComponent(password)}`;
  const login = user === '' && secret === '' ? '' : `${encodeURIComponent(user)}${secret}@`;
  const [database = '', query] = name.split('?');
  const path = name === '' ? '' : `/${encodeURIComponent(database)}${query === undefined ? '' : `?${query}`}`;
  return `${scheme}://${login}${host}:${port}${path}`;
}
