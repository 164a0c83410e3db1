import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { read } from '../../../test/support/compose-reading.ts';
import { parseConfiguration } from '../parse.ts';

describe('names', () => {
  test('names that are not legal become legal, and still resolve', () => {
    const { pods, said } = read(`services:
  My_Web: { image: "a:1", ports: [80], container_name: web1, depends_on: [x] }
  x: { image: "b:1", hostname: broker, networks: { default: { aliases: [queue, broker] } } }
  my-web: { image: "c:1" }
`);
    assert.deepEqual(
      pods.map(({ name, aliases }) => [name, ...(aliases ?? [])]),
      [['my-web-2', 'My_Web', 'web1'], ['x-service', 'x', 'broker', 'queue'], ['my-web']],
    );
    assert.deepEqual(pods[0]?.dependsOn, ['x-service']);
    assert.deepEqual(said, [
      'warning renamed-service 2: "My_Web" is called "my-web-2" here, "x" is called "x-service" here',
    ]);
  });
  test('with depends_on.restart, a service restarts with the service that it depends on', () => {
    const { pods, said } = read(`services:
  web: { image: "a:1", ports: [80], depends_on: { db: { condition: service_started, restart: true }, cache: { condition: service_started } } }
  db: { image: "b:1" }
  cache: { image: "c:1" }
`);
    assert.deepEqual([pods[0]?.dependsOn, pods[0]?.restartsWith], [['db', 'cache'], ['db']]);
    assert.deepEqual(said, []);
  });
  test('an alias does not take the name of another service', () => {
    const { pods } = read('services: { web: { image: "a:1", ports: [80], container_name: db }, db: { image: "b:1" } }');
    assert.equal(pods[0]?.aliases, undefined);
  });
  test('links are aliases and an order', () => {
    const { pods } = read(
      'services: { web: { image: "a:1", ports: [80], links: ["db:database", "db"] }, db: { image: "postgres:16" } }',
    );
    assert.deepEqual([pods[0]?.dependsOn, pods[1]?.aliases], [['db'], ['database']]);
  });
  for (const [name, legal] of [
    ['my_app', 'my-app'],
    ['wp', 'wp-app'],
    ['2048', 'app-2048'],
    ['shop', 'shop'],
  ] as const) {
    test(`the application ${name} is called ${legal}`, () => {
      const { spec } = read(`name: "${name}"\nservices: { web: { image: "a:1", ports: [80] } }`);
      assert.equal(spec?.name, legal);
    });
  }
});

describe('dependencies', () => {
  test('list and map; a service whose end is awaited is a job', () => {
    const { pods, errors } = read(`services:
  web:
    image: a:1
    ports: [80]
    depends_on:
      migrate: { condition: service_completed_successfully }
      db: { condition: service_healthy, restart: true }
      gone: { condition: service_started, required: false }
  migrate: { image: "a:1", depends_on: [db] }
  db: { image: "postgres:16" }
`);
    assert.deepEqual(errors, []);
    assert.deepEqual(
      pods.map(({ name, resourceType, dependsOn }) => `${name} ${resourceType} ${dependsOn}`),
      ['web deployment migrate,db', 'migrate job db', 'db deployment '],
    );
    assert.deepEqual(pods[2]?.servicePorts, [5432]);
  });
  test('jobs are declared by their mode, their image or x-berth, and not by how they are restarted', () => {
    const { pods } = read(`services:
  web: { image: "a:1", ports: [80], restart: "no" }
  seed: { image: "b:1", restart: "no" }
  once: { image: "c:1", deploy: { mode: replicated-job } }
  buckets: { image: "minio/mc:1" }
`);
    const types = pods.map(({ resourceType }) => resourceType);
    assert.deepEqual(types, ['deployment', 'deployment', 'job', 'job']);
  });
  test('only what is always restarted, is public, or is a server that says nothing about it may not end', () => {
    const mayEnd = (service: string) =>
      read(`services: { web: { image: "a:1", ports: [80] }, x1: { image: "b:1", ${service} } }`).pods[1]!.container
        ?.mayEnd ?? false;
    const table: [string, boolean][] = [
      ['restart: "no"', true],
      ['restart: no', true],
      ['restart: on-failure', true],
      ['restart: "on-failure:3"', true],
      ['command: seed', true],
      ['restart: "no", expose: [80]', true],
      ['restart: always', false],
      ['restart: unless-stopped', false],
      ['expose: [80]', false],
      ['deploy: { restart_policy: { condition: none } }', true],
      ['deploy: { restart_policy: { condition: on-failure, max_attempts: 3 } }', true],
      ['deploy: { restart_policy: { condition: any } }', false],
      ['deploy: { restart_policy: { delay: 5s } }', false],
      ['restart: always, deploy: { restart_policy: { condition: on-failure } }', true],
      ['restart: "no", deploy: { restart_policy: { condition: any } }', false],
      ['restart: "no", x-berth: { path: /x }, expose: [80]', false],
      ['restart: "no", x-berth: { resourceType: deployment }', false],
      ['healthcheck: { test: curl -f http://localhost:80/ }', true],
    ];
    assert.deepEqual(
      table.map(([service]) => [service, mayEnd(service)]),
      table,
    );
    const db = read('services: { web: { image: "a:1", ports: [80] }, db: { image: "postgres:16" } }').pods[1];
    assert.equal(db?.container, undefined);
  });
  test('a script that ends in exit 0 is a job', () => {
    const { pods, codes } = read(`services:
  web: { image: "a:1", ports: [80] }
  topics: { image: "confluentinc/cp-kafka:7", depends_on: [web], entrypoint: [sh, -c], command: ["kafka-topics --create; exit 0;"] }
`);
    assert.deepEqual([pods[1]?.resourceType, pods[1]?.servicePorts], ['job', []]);
    assert.deepEqual(codes, ['taken-as-job 3']);
  });
  test('a database is checked on its port; a client or a backup with its image is not', () => {
    const ports = (rest: string) => read(`services: { db: { image: "postgres:16"${rest} } }`).pods[0]?.servicePorts;
    for (const rest of ['', ', command: postgres -c max_connections=9', ', command: [-c, "x=1"]']) {
      assert.deepEqual(ports(rest), [5432], rest);
    }
    for (const rest of [', command: pg_dump -h db', ', entrypoint: /backup.sh', ', command: sh -c "pg_dump"']) {
      assert.deepEqual(ports(rest), [], rest);
    }
  });
  test('unknown services, conditions and circles are errors', () => {
    const { said } = read(`services:
  web: { image: "a:1", ports: [80], depends_on: [dbs] }
  db: { image: "b:1", depends_on: { web: { condition: ready } } }
  a1: { image: "b:1", depends_on: [b2] }
  b2: { image: "b:1", depends_on: [a1] }
`);
    assert.deepEqual(
      said.filter((line) => line.startsWith('error')),
      [
        'error unknown-service 2: the document has no service "dbs"',
        'error bad-condition 3: "ready" is not a condition',
        'error dependency-cycle 4: services wait for each other in a circle: a1 → b2 → a1',
      ],
    );
  });
});

describe('services that do not run', () => {
  const text = (profiles: string) => `services:
  web: { image: "a:1", ports: [80], depends_on: [debug] }
  debug: { image: "b:1", profiles: [dev], ports: [1234] }
  off: { image: "c:1", scale: 0 }
x-berth: { profiles: ${profiles} }
`;
  test('profiles and no replicas leave a service out', () => {
    const { pods, codes } = read(text('[]'));
    assert.deepEqual(
      pods.map(({ name }) => name),
      ['web'],
    );
    assert.deepEqual(pods[0]?.dependsOn, []);
    assert.deepEqual(codes, ['left-out 2', 'left-out 3', 'left-out 4']);
  });
  test('x-berth enables a profile', () => {
    assert.deepEqual(
      read(text('[dev]')).pods.map(({ name }) => name),
      ['web', 'debug'],
    );
  });
  test('what is left out is not checked', () => {
    const { errors } = read(`services:
  web: { image: "a:1", ports: [80] }
  dev: { build: ., profiles: [dev], volumes: [".:/x"], privileged: true, env_file: .env }
`);
    assert.deepEqual(errors, []);
  });
});

describe('anchors and extends', () => {
  test('merge keys, and what is written wins', () => {
    const { pods } = read(`
x-env: &env { A: 1, B: 2 }
x-base: &base
  image: a:1
  environment: &more { <<: *env, C: 3 }
services:
  web: { <<: *base, ports: [80] }
  job: { <<: [*base], environment: { <<: *more, B: own } }
`);
    assert.deepEqual(
      pods.map(({ vars }) => vars),
      [
        { A: '1', B: '2', C: '3' },
        { A: '1', B: 'own', C: '3' },
      ],
    );
  });
  test('a service takes what another one has: maps and lists are joined, commands replaced', () => {
    const { pods, errors } = read(`
services:
  base:
    image: a:1
    command: [base, -v]
    environment: [A=1, B=2]
    expose: [3000]
    volumes: [old:/data, keep:/keep]
    profiles: []
  web:
    extends: base
    command: [web]
    environment: { B: 3, C: 4 }
    ports: [80]
    volumes: [new:/data]
  more: { extends: { service: web }, image: b:1, ports: ["81"] }
volumes: { old: , new: , keep: }
`);
    assert.deepEqual(errors, []);
    const [, web, more] = pods;
    assert.deepEqual(web?.vars, { A: '1', B: '3', C: '4' });
    assert.deepEqual([web?.image, web?.command, web?.servicePorts], ['a:1', ['web'], [80, 3000]]);
    assert.deepEqual(
      web?.volumes.map(({ name, mountPath }) => `${name}:${mountPath}`),
      ['keep:/keep', 'new:/data'],
    );
    assert.deepEqual([more?.image, more?.servicePorts, more?.vars.B], ['b:1', [80, 81, 3000], '3']);
  });
  test('circles, other files and unknown services are errors at their lines', () => {
    const { errors } = read(`services:
  a1: { image: "a:1", ports: [80], extends: b2 }
  b2: { image: "a:1", extends: { service: a1 } }
  c3: { image: "a:1", extends: c3 }
  d4: { image: "a:1", extends: { file: ./base.yml, service: x } }
  e5: { image: "a:1", extends: missing }
`);
    assert.deepEqual(errors, ['extends-cycle 3', 'extends-cycle 4', 'extends-file 5', 'unknown-service 6']);
  });
});

test('the first form of Compose is answered with the advice to add services', () => {
  assert.deepEqual(read('web:\n  image: nginx:1\n  ports: ["80:80"]\n').errors, ['compose-without-services 1']);
});

test('x-berth at the top: domain and credentials', () => {
  const { spec } = read(`
x-berth: { url: shop.example.com, registryLogin: { registry: ghcr.io, username: me, personalAccessToken: t } }
services: { web: { image: "ghcr.io/a/b:1", ports: [80], x-berth: { subdomain: www } } }
`);
  assert.equal(spec?.url, 'shop.example.com');
  assert.deepEqual(spec?.registryLogin, { registry: 'ghcr.io', username: 'me', personalAccessToken: 't' });
  assert.equal(spec?.pods[0]?.subdomain, 'www');
});

test('too much of a resource is reported at the line of that resource', () => {
  const service = (resources: string) => `services:\n  web:\n    image: nginx:1\n    ports: ["80"]\n${resources}`;
  const linesOf = (text: string) => {
    const judge = (field: string[]) => [{ pod: 0, field, code: 'beyond-limit', message: 'is too much', hint: 'less' }];
    return [
      ['limits', 'memory'],
      ['limits', 'cpu'],
      ['requests', 'memory'],
    ].map((field) => {
      const parsed = parseConfiguration(text, { judge: () => judge(['resources', ...field]) as never });
      return parsed.diagnostics.find(({ code }) => code === 'beyond-limit')?.line;
    });
  };
  const limits = '    deploy:\n      resources:\n        limits:\n          cpus: "1"\n          memory: 64Gi\n';
  const reservations = '        reservations:\n          memory: 32Gi\n';
  assert.deepEqual(linesOf(service(`${limits}${reservations}`)), [9, 8, 11]);
  assert.deepEqual(linesOf(service('    cpus: 1\n    mem_limit: 64g\n    mem_reservation: 32g\n')), [6, 5, 7]);
});
