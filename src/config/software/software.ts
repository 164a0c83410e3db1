/** Facts about images that many applications use: their software, their ports, their initial data. */
import { parseImageReference, shortNameOf } from '../values/image-names.ts';

export type DatabaseKind =
  | 'postgres'
  | 'mysql'
  | 'mongo'
  | 'redis'
  | 'memcached'
  | 'rabbitmq'
  | 'kafka'
  | 'nats'
  | 'cassandra'
  | 'mssql'
  | 'elasticsearch'
  | 'clickhouse';

const databases: Record<string, DatabaseKind> = {
  postgres: 'postgres',
  postgresql: 'postgres',
  pgvector: 'postgres',
  postgis: 'postgres',
  timescaledb: 'postgres',
  'timescaledb-ha': 'postgres',
  mysql: 'mysql',
  'mysql-server': 'mysql',
  mariadb: 'mysql',
  mongo: 'mongo',
  mongodb: 'mongo',
  'mongodb-community-server': 'mongo',
  redis: 'redis',
  'redis-cluster': 'redis',
  'redis-stack-server': 'redis',
  valkey: 'redis',
  keydb: 'redis',
  dragonfly: 'redis',
  memcached: 'memcached',
  rabbitmq: 'rabbitmq',
  kafka: 'kafka',
  'cp-kafka': 'kafka',
  nats: 'nats',
  cassandra: 'cassandra',
  scylla: 'cassandra',
  server: 'mssql',
  elasticsearch: 'elasticsearch',
  opensearch: 'elasticsearch',
  clickhouse: 'clickhouse',
  'clickhouse-server': 'clickhouse',
};

/** The variables that images of a kind define, by their beginning. */
const own: Record<DatabaseKind, RegExp> = {
  postgres: /^(?:POSTGRES(?:QL)?_|PG)/,
  mysql: /^(?:MYSQL|MARIADB)_/,
  mongo: /^MONGO(?:DB)?_/,
  redis: /^(?:REDIS|VALKEY|KEYDB|DFLY|DRAGONFLY)_/,
  memcached: /^MEMCACHED_/,
  rabbitmq: /^RABBITMQ_/,
  kafka: /^KAFKA_/,
  nats: /^NATS_/,
  cassandra: /^(?:CASSANDRA|SCYLLA)_/,
  mssql: /^(?:MSSQL_|SA_)/,
  elasticsearch: /^(?:ELASTIC|OPENSEARCH)/,
  clickhouse: /^CLICKHOUSE_/,
};

/** Matches the variables that images of this kind define themselves. */
export function variablesOf(kind: DatabaseKind): RegExp {
  return own[kind];
}

/** Databases that speak HTTP on their first port: a public path is unwise there, and works. */
const speaksHttp = new Set<DatabaseKind>(['elasticsearch', 'clickhouse', 'rabbitmq', 'nats']);

/** Returns the kind of database of an image. Undefined for other images. */
export function databaseOf(image: string): DatabaseKind | undefined {
  const name = shortNameOf(image);
  if (name === 'server') return /(?:^|\/)mssql\/server(?:[:@]|$)/.test(image) ? 'mssql' : undefined;
  return Object.hasOwn(databases, name) ? databases[name] : undefined;
}

export function isRawTcp(kind: DatabaseKind): boolean {
  return !speaksHttp.has(kind);
}

/** Returns whether software of this kind is usually called "the database", unlike a cache, queue or index. */
export function isMainDatabase(kind: DatabaseKind | undefined): boolean {
  return kind !== undefined && ['postgres', 'mysql', 'mongo', 'mssql', 'cassandra'].includes(kind);
}

/** Variables that images only read when they create their database. An existing database is not changed. */
const firstStart: Partial<Record<DatabaseKind, RegExp>> = {
  postgres: /^POSTGRES(?:QL)?_(?:PASSWORD|USER(?:NAME)?|DB|DATABASE|INITDB_ARGS|HOST_AUTH_METHOD)(?:_FILE)?$/,
  mysql: /^(?:MYSQL|MARIADB)_(?:ROOT_PASSWORD|PASSWORD|USER|DATABASE)(?:_FILE)?$/,
  mongo: /^MONGO_INITDB_(?:ROOT_USERNAME|ROOT_PASSWORD|DATABASE)(?:_FILE)?$/,
  rabbitmq: /^RABBITMQ_DEFAULT_(?:USER|PASS|VHOST)$/,
  mssql: /^(?:MSSQL_)?SA_PASSWORD$/,
  elasticsearch: /^ELASTIC_PASSWORD$/,
};

/** Returns whether an existing database ignores changes of the variable. */
export function readsOnlyWhenNew(kind: DatabaseKind, variable: string): boolean {
  return firstStart[kind]?.test(variable) ?? false;
}

/** `15` of `postgres:15-alpine`, `16` of `pgvector/pgvector:pg16`; undefined where the tag does not begin with it. */
export function majorVersionOf(image: string): number | undefined {
  const reference = parseImageReference(image);
  const tag = reference.kind === 'complete' ? reference.tag : undefined;
  const version = /(?:^|-)pg(\d{1,3})(?!\d)/.exec(tag ?? '') ?? /^v?(\d{1,4})(?![\d])/.exec(tag ?? '');
  return version ? Number(version[1]) : undefined;
}

/** The kind of database, by the scheme of its address. */
const schemes: [DatabaseKind, RegExp][] = [
  ['postgres', /^(?:jdbc:)?postgres(?:ql)?(?:\+\w+)?:/i],
  ['mysql', /^(?:jdbc:)?(?:mysql|mariadb)2?(?:\+\w+)?:/i],
  ['mongo', /^mongodb:/i],
  ['redis', /^rediss?:/i],
  ['rabbitmq', /^amqps?:/i],
  ['nats', /^nats:/i],
  ['clickhouse', /^clickhouse:/i],
];
const variableNames: [DatabaseKind, RegExp][] = [
  ['postgres', /(?:^|_)(?:POSTGRES(?:QL)?|PG)(?:_|HOST|$)/],
  ['mysql', /(?:^|_)(?:MYSQL|MARIADB)(?:_|$)/],
  ['mongo', /(?:^|_)MONGO(?:DB)?(?:_|$)/],
  ['redis', /(?:^|_)(?:REDIS|VALKEY)(?:_|$)/],
  ['memcached', /(?:^|_)MEMCACHED?(?:_|$)/],
  ['rabbitmq', /(?:^|_)(?:RABBITMQ|AMQP)(?:_|$)/],
  ['kafka', /(?:^|_)KAFKA(?:_|$)/],
  ['elasticsearch', /(?:^|_)(?:ELASTIC(?:SEARCH)?|OPENSEARCH)(?:_|$)/],
  ['clickhouse', /(?:^|_)CLICKHOUSE(?:_|$)/],
];

export function databaseNamedBy(variable: string, value: string): DatabaseKind | undefined {
  const bySchema = schemes.find(([, pattern]) => pattern.test(value.slice(0, 64)))?.[0];
  return bySchema ?? variableNames.find(([, pattern]) => pattern.test(variable.slice(0, 200)))?.[0];
}

const httpPorts: Record<string, number> = {
  nginx: 80,
  httpd: 80,
  caddy: 80,
  traefik: 80,
  wordpress: 80,
  nextcloud: 80,
  whoami: 80,
  phpmyadmin: 80,
  ghost: 2368,
  grafana: 3000,
  gitea: 3000,
  n8n: 5678,
  adminer: 8080,
  keycloak: 8080,
  tomcat: 8080,
  jenkins: 8080,
  prometheus: 9090,
  'uptime-kuma': 3001,
  minio: 9000,
  meilisearch: 7700,
  ollama: 11434,
  qdrant: 6333,
};

/** The port that an image serves HTTP on by default. */
export function httpPortOf(image: string): number | undefined {
  const name = shortNameOf(image);
  return Object.hasOwn(httpPorts, name) ? httpPorts[name] : undefined;
}

/**
 * Images whose ENTRYPOINT is the program, so that their command only contains its arguments. Images whose entrypoint is
 * a script that runs any command are not listed (postgres, redis, node, …).
 */
const entrypoints: Record<string, string> = {
  hydra: 'hydra',
  kratos: 'kratos',
  keto: 'keto',
  oathkeeper: 'oathkeeper',
  ollama: 'ollama',
  openfga: 'openfga',
  prometheus: 'prometheus',
  alertmanager: 'alertmanager',
  loki: 'loki',
  cloudflared: 'cloudflared',
  ngrok: 'ngrok',
  n8n: 'n8n',
  keycloak: 'kc.sh',
  etcd: 'etcd',
  mailhog: 'MailHog',
  mailpit: 'mailpit',
  dex: 'dex',
  headscale: 'headscale',
  pocketbase: 'pocketbase',
};

/** The program that an image starts with any command. */
export function entrypointOf(image: string): string | undefined {
  const name = shortNameOf(image);
  return Object.hasOwn(entrypoints, name) ? entrypoints[name] : undefined;
}

/** Variables with these prefixes are built into pages and read by browsers, which cannot resolve `.pod` names. */
const browserPrefix =
  /^(?:NEXT_PUBLIC_|VITE_|REACT_APP_|NUXT_PUBLIC_|EXPO_PUBLIC_|GATSBY_|VUE_APP_|NG_APP_|PUBLIC_|STORYBOOK_|RSBUILD_PUBLIC_)/;

export function isBrowserVariable(name: string): boolean {
  return browserPrefix.test(name);
}

/**
 * Returns whether the value of a variable is a host without a port: the domain of a cookie or of mail, or allowed
 * hosts.
 */
export function wantsHost(name: string): boolean {
  return /(?:^|_)(?:COOKIE|SESSION|E?MAIL|SMTP)_(?:\w*_)?(?:DOMAIN|HOST)$|(?:^|_)(?:(?:ALLOWED|TRUSTED)_HOSTS?|VIRTUAL_HOST|LETSENCRYPT_HOST)$/.test(
    name.slice(0, 200),
  );
}
