/** Facts about images by their names: the port that they listen on, and whether visitors should see them. */
import { isOfDockerHub, shortNameOf } from '../values/image-names.ts';

/** Suggests a version for an image without a tag. Pure. */

/** Tags of official images that follow minor versions and stay on a major version. */
const versions: Record<string, string> = {
  postgres: '17',
  mysql: '8.4',
  mariadb: '11',
  mongo: '8',
  redis: '7',
  memcached: '1.6',
  rabbitmq: '4',
  nginx: '1.29',
  httpd: '2.4',
  caddy: '2',
  traefik: 'v3',
  wordpress: '6',
  ghost: '6',
  adminer: '5',
  phpmyadmin: '5',
  node: '22',
  python: '3.13',
  php: '8.4',
  ruby: '3.4',
  golang: '1.25',
  alpine: '3.22',
  debian: '13',
  ubuntu: '24.04',
};

/** Returns one message about all images without a tag. */
export function untaggedMessage(images: readonly string[]): { message: string; hint: string } {
  const shown = images.slice(0, 5).map((image) => `"${image}"`);
  const list = images.length > 5 ? `${shown.join(', ')}, …` : shown.join(', ');
  const subject =
    images.length === 1 ? `the image ${list} has no tag, and means` : `the images ${list} have no tag, and mean`;
  const [first = ''] = images;
  const example = images.map(exampleOf).find((one) => one !== undefined);
  const instead = example
    ? `say which version, for example ${example}`
    : `name the version that you run, as ${first}:VERSION`;
  const isStore = images.some((image) => knownImage(image)?.role === 'store');
  return { message: `${subject} latest`, hint: isStore ? `${instead}; the next one may not read its data` : instead };
}

function exampleOf(image: string): string | undefined {
  const name = shortNameOf(image);
  const isOfficial = isOfDockerHub(image) && (image === name || image === `library/${name}`);
  return isOfficial && Object.hasOwn(versions, name) ? `${image}:${versions[name]}` : undefined;
}

export type KnownImage = {
  port: number;
  /**
   * `store`: stores data for other services; gets `/` only if it is the only published one. `tool`: for the operator of
   * the application; sorted after services for visitors. `site`: for visitors. `task`: ends when its work is done.
   */
  role: 'store' | 'tool' | 'site' | 'task';
};

const table: [KnownImage['role'], number, string][] = [
  ['store', 5432, 'postgres postgresql postgis pgvector timescaledb timescaledb-ha pgvecto-rs vchord-postgres'],
  ['store', 5432, 'pgbouncer paradedb supavisor'],
  ['store', 3306, 'mysql mysql-server mariadb percona percona-server mariadb-galera'],
  ['store', 6379, 'redis valkey keydb dragonfly redis-stack redis-stack-server redismod'],
  ['store', 27017, 'mongo mongodb mongodb-community-server percona-server-mongodb ferretdb'],
  ['store', 5672, 'rabbitmq'],
  ['store', 11211, 'memcached'],
  ['store', 1433, 'server mssql azure-sql-edge mssql-server'],
  ['store', 9042, 'cassandra scylla'],
  ['store', 9092, 'kafka cp-kafka cp-server redpanda kafka-native'],
  ['store', 2181, 'zookeeper cp-zookeeper'],
  ['store', 4222, 'nats nats-streaming'],
  ['store', 2379, 'etcd'],
  ['store', 1883, 'eclipse-mosquitto emqx'],
  ['store', 9200, 'elasticsearch opensearch elasticsearch-oss'],
  ['store', 9600, 'logstash'],
  ['store', 8086, 'influxdb'],
  ['store', 8123, 'clickhouse clickhouse-server'],
  ['store', 5984, 'couchdb'],
  ['store', 7700, 'meilisearch'],
  ['store', 8108, 'typesense'],
  ['store', 6333, 'qdrant'],
  ['store', 7474, 'neo4j'],
  ['store', 8983, 'solr'],
  ['store', 26257, 'cockroach'],
  ['store', 8529, 'arangodb'],
  ['store', 8000, 'surrealdb'],
  ['tool', 8080, 'adminer'],
  ['tool', 80, 'phpmyadmin pgadmin4'],
  ['tool', 8081, 'mongo-express redis-commander redisinsight'],
  ['tool', 8025, 'mailhog mailpit'],
  ['tool', 1080, 'mailcatcher maildev'],
  ['tool', 9000, 'inbucket'],
  ['tool', 80, 'smtp4dev'],
  ['tool', 8080, 'kafka-ui dozzle cadvisor'],
  ['tool', 9000, 'portainer-ce kafdrop'],
  ['tool', 9090, 'prometheus'],
  ['tool', 9000, 'minio'],
  ['tool', 9093, 'alertmanager'],
  ['tool', 9100, 'node-exporter'],
  ['tool', 5555, 'flower'],
  ['tool', 16686, 'all-in-one jaeger'],
  ['tool', 9411, 'zipkin'],
  ['site', 80, 'nginx httpd caddy traefik wordpress nextcloud phpbb matomo drupal joomla mediawiki'],
  ['site', 8080, 'nginx-unprivileged tomcat keycloak'],
  ['site', 3000, 'grafana gitea umami metabase'],
  ['site', 5601, 'kibana'],
  ['site', 2368, 'ghost'],
  ['site', 5678, 'n8n'],
  ['site', 8055, 'directus'],
  ['site', 1337, 'strapi'],
  ['site', 1880, 'node-red'],
  ['site', 8096, 'jellyfin'],
  ['task', 0, 'mc flyway liquibase migrate'],
];

const byName = new Map(
  table.flatMap(([role, port, names]) => names.split(' ').map((name): [string, KnownImage] => [name, { role, port }])),
);

/** Names that are only meaningful with their repository. */
const onlyOf: Record<string, RegExp> = {
  server: /mssql\/server/,
  mc: /minio\/mc/,
  migrate: /^migrate\/migrate/,
  'all-in-one': /jaegertracing\//,
};

export function knownImage(image: string): KnownImage | undefined {
  const name = shortNameOf(image);
  const known = byName.get(name);
  return known && (!onlyOf[name] || onlyOf[name].test(image)) ? known : undefined;
}

/** Ports of protocols other than HTTP. Images that use HTTP there must set `x-berth`. */
const otherProtocols: [string, number[]][] = [
  ['FTP', [20, 21]],
  ['SSH', [22, 222, 2222]],
  ['SMTP', [25, 465, 587, 1025, 2525]],
  ['DNS', [53, 853]],
  ['mail boxes', [110, 143, 993, 995]],
  ['LDAP', [389, 636, 3890]],
  ['MQTT', [1883, 8883]],
  ['a debugger', [5005, 5858, 9229, 9230]],
  ['Redis', [6379, 6380, 26379]],
  ['PostgreSQL', [5432, 6432]],
  ['MySQL', [3306, 33060]],
  ['SQL Server', [1433]],
  ['Oracle', [1521]],
  ['MongoDB', [27017, 27018, 27019]],
  ['Cassandra', [7000, 7001, 9042, 9160]],
  ['Memcached', [11211]],
  ['AMQP', [5671, 5672, 25672, 4369]],
  ['Kafka', [9092, 9093, 9094, 19092, 29092]],
  ['ZooKeeper', [2181, 2888, 3888]],
  ['NATS', [4222, 6222]],
  ['etcd', [2379, 2380]],
  ['Elasticsearch between its nodes', [9300]],
  ['Beats', [5044]],
  ['ClickHouse', [9009]],
  ['Bolt', [7687]],
  ['RDP', [3389]],
  ['Minecraft', [25565, 25575]],
  ['a game', [27015, 27016]],
  ['BitTorrent', [6881, 51413]],
  ['TURN', [3478, 5349]],
  ['VNC', [5900, 5901]],
  ['NFS or SMB', [139, 445, 2049]],
  ['SIP', [5060, 5061]],
  ['gRPC', [50051, 50052, 4317, 6334, 7233, 7234, 7235, 19530]],
];

const protocolOf = new Map(otherProtocols.flatMap(([name, ports]) => ports.map((port) => [port, name])));

/** The protocol of a port, if it is certainly not HTTP. */
export function otherProtocol(port: number, image: string): string | undefined {
  const known = knownImage(image);
  if (/(?:^|[:/-])(?:\d[\d.]*-)?fpm(?:-|$)/.test(image) && port === 9000) return 'FastCGI';
  // Prometheus' Alertmanager has a web page on a port of Kafka's.
  if (known?.port === port && known.role !== 'store') return undefined;
  return protocolOf.get(port);
}
