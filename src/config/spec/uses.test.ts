/** Tests which words of a text are names of pods, and which only look like them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseConfiguration } from '../parse.ts';
import { directoryOf, referencesIn, usesOf } from './uses.ts';

function specOf(text: string) {
  const parsed = parseConfiguration(text);
  assert.ok(parsed.kind === 'valid', JSON.stringify(parsed.diagnostics));
  return parsed.spec;
}

const directory = directoryOf(
  specOf(`application:
  name: shop
  pods:
    - { name: web, image: "nginx:1", path: /, servicePorts: [80] }
    - { name: api, image: "node:26", servicePorts: [3000], aliases: [backend, my_api, api.internal] }
    - { name: postgres, image: "postgres:16", servicePorts: [5432] }
    - { name: redis, image: "redis:7", servicePorts: [6379] }
    - { name: kafka, image: "apache/kafka:4", servicePorts: [9092], resourceType: statefulset, replicas: 2 }
`),
);

type Row = [sentence: string, text: string, pods: string, variable?: string];

const rows: Row[] = [
  ['the name with .pod is a reference anywhere', 'see postgres.pod', 'postgres'],
  ['so are the older names', 'shop-postgres.pod postgres-shop.pod', 'postgres postgres'],
  ['and in upper case', 'http://API.pod', 'api'],
  ['a host of an address is one', 'http://api/v1', 'api'],
  ['with its port too', 'https://api:3000', 'api'],
  ['the user in an address is not a reference', 'postgresql://postgres:postgres@example.com/postgres', ''],
  ['a user with a number as password is not a reference', 'postgresql://postgres:1234@example.com/x', ''],
  ['a user with a generated password is not a reference', 'postgresql://postgres:<% SECRET A %>@example.com/x', ''],
  ['a user with a variable as password is not a reference', 'postgresql://postgres:${A}@example.com/x', ''],
  ['the host behind the user is one', 'postgresql://postgres:<% SECRET A %>@postgres/postgres', 'postgres'],
  ['a scheme is not a reference', 'redis://:pw@example.com', ''],
  ['a path is not a reference', '/srv/api/redis', ''],
  ['the path of an address is not a reference', 'https://example.com/api:3000', ''],
  ['a host with the port of the pod is one', 'api:3000', 'api'],
  ['a host with a long port is one', 'kafka:29092', 'kafka'],
  ['an image with its version is not a reference', 'postgres:16', ''],
  ['an image with a longer version is not a reference', 'redis:7.2 postgres:16-alpine node/redis:2024', ''],
  ['a word in prose is not a reference', 'the api talks to redis, and redis to no pod', ''],
  ['a whole value is one in a variable for a host', 'postgres', 'postgres', 'DB_HOST'],
  ['in one without its underscore too', 'postgres', 'postgres', 'PGHOST'],
  ['and in one in lower case', 'postgres', 'postgres', 'spring.datasource.host'],
  ['a list of hosts is one of each', 'redis, api:3000', 'redis api', 'MEMCACHED_SERVERS'],
  ['a whole value in a variable for a user is not a reference', 'postgres', '', 'POSTGRES_USER'],
  ['nor in one for a database', 'api', '', 'POSTGRES_DB'],
  ['nor in one for a driver', 'redis', '', 'CACHE_DRIVER'],
  ['a name in a text is not a reference, even in a variable for a host', 'redis is great!', '', 'REDIS_HOST'],
  ['an alias is a reference', 'http://backend', 'api'],
  ['an alias with an underscore or a dot too', 'my_api:3000 http://api.internal/', 'api api'],
  ['a replica is a reference to its pod', 'kafka-0:9092,kafka-1:9092', 'kafka kafka'],
  ['a replica as a voter of Kafka too', '1@kafka-0:9093,2@kafka-1:9093', 'kafka kafka'],
  ['a part of a longer name is not a reference', 'http://api-gateway http://my.api.example.com x-redis:6379', ''],
  ['hosts of a cluster behind one scheme are references', 'mongodb://u:p@redis,kafka:9092/x', 'redis kafka'],
  ['an address of a Go driver is one', 'root:pw@tcp(postgres:5432)/x', 'postgres'],
  ['a DSN of words is one', 'host=postgres user=postgres dbname=api', 'postgres'],
  ['a connection string of .NET is one', 'Server=postgres;User=api;Database=redis', 'postgres'],
  ['an option for the host is one', 'redis-cli -h redis ping', 'redis'],
  ['a long option for the host is one', 'run --db-host=postgres --db-name=api', 'postgres'],
  ['a wait for a port is one', 'until nc -z postgres 5432; do sleep 1; done', 'postgres'],
  ['a word before another number is not a reference', 'api 5432', ''],
  ['an upstream of nginx is one', 'upstream app { server api:3000; } location / { proxy_pass http://api; }', 'api api'],
  ['a host in JSON or YAML is one', '{ "host": "redis", "db": "api" }\ndb_host: postgres', 'redis postgres'],
  ['a package is not a reference', "import x from '@api/redis'; npm i api@redis", ''],
  ['an e-mail address is not a reference', 'write to admin@web', ''],
  ['a property of a program is not a reference', 'this.api = web.redis; redis: 1', ''],
  ['a variable is not a reference', '$redis:6379 ${redis:6379}', ''],
];

for (const [sentence, text, pods, variable] of rows) {
  test(sentence, () => {
    const found = referencesIn(text, directory, variable);
    assert.equal(found.map(({ pod }) => pod).join(' '), pods);
    for (const { name, at } of found) assert.ok(text.startsWith(name, at));
  });
}

test('a pod uses whom it waits for, whom its variables, command, entrypoint and files name, and never itself', () => {
  const spec = specOf(`application:
  name: shop
  pods:
    - name: web
      image: nginx:1
      path: /
      servicePorts: [80]
      dependsOn: [cache]
      entrypoint: [run, --host, db]
      command: [serve, --api, "http://api:3000"]
      vars: { SELF: "http://web:80", ALLOWED_HOSTS: log, CORS_ORIGIN: "http://log:1000" }
      files: [{ path: /a.conf, content: "server mail:2525;" }]
    - { name: api, image: "me/api:1", servicePorts: [3000] }
    - { name: db, image: "me/db:1", servicePorts: [5432] }
    - { name: cache, image: "me/cache:1", servicePorts: [1000] }
    - { name: mail, image: "me/mail:1", servicePorts: [2525] }
    - { name: log, image: "me/log:1", servicePorts: [1000] }
`);
  assert.deepEqual(usesOf(spec).get('web'), ['api', 'db', 'cache', 'mail']);
  assert.deepEqual(usesOf(spec).get('log'), []);
});

test('no text takes more than linear time', () => {
  const long = [
    `${'redis:'.repeat(20_000)}`,
    `${'redis '.repeat(20_000)}!`,
    `redis:${'<%'.repeat(50_000)}`,
    '@'.repeat(90_000),
  ];
  for (const text of long) assert.equal(referencesIn(text, directory, 'DB_HOST').length, 0);
});
