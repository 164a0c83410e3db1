import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { read, readWeb } from '../../../test/support/compose-reading.ts';

describe('environment', () => {
  test('a map keeps numbers and truth values as they are written', () => {
    const { web } = readWeb('environment: { A: 1.10, B: yes, C: true, D: 0x10, E: "", F: 007 }');
    assert.deepEqual(web.vars, { A: '1.10', B: 'yes', C: 'true', D: '0x10', E: '', F: '007' });
  });
  test('a list has NAME=value, and values may have equals signs', () => {
    const { web } = readWeb('environment: ["A=1", "B=a=b=", "C="]');
    assert.deepEqual(web.vars, { A: '1', B: 'a=b=', C: '' });
  });
  test('a name alone has no value here, and is left out', () => {
    const { web, codes } = readWeb('environment: [A, "B=1"]');
    assert.deepEqual(web.vars, { B: '1' });
    assert.deepEqual(codes, ['unset-variable 4']);
  });
  test('a name alone or a variable that is a password gets a random value, the same everywhere', () => {
    const { web, codes } = readWeb('environment: ["JWT_SECRET", "SIGNED_BY=key:${JWT_SECRET}"]');
    const secret = '<% SECRET JWT_SECRET %>';
    assert.deepEqual(web.vars, { JWT_SECRET: secret, SIGNED_BY: `key:${secret}` });
    assert.deepEqual(codes, ['generated-value 4']);
  });
  test('what has no value is said once of a service, and once of the document where it is a secret', () => {
    const { said, hints } = read(`services:
  web: { image: "a:1", ports: [80], environment: ["A=\${ONE}", "B=\${TWO}", "C=\${SMTP_PASSWORD}", "D=\${JWT_SECRET}"] }
  api: { image: "b:1", environment: ["A=\${THREE}", "B=\${ONE}", "C=\${STRIPE_KEY}", "D=\${SESSION_SECRET}"] }
`);
    assert.deepEqual(said, [
      'warning unset-variable 2: the variables ONE, TWO have no value and become empty',
      'warning missing-key 2: the variables SMTP_PASSWORD, STRIPE_KEY have no value and become empty: they are given out by something outside of the document, and cannot be made up',
      'note generated-value 2: the variables JWT_SECRET, SESSION_SECRET have no value and get random ones, which stay',
      'warning unset-variable 3: the variable THREE has no value and becomes empty',
    ]);
    assert.match(hints[0]!, /^write x-berth: \{ vars: \{ ONE: …, TWO: … \} \} at the top of the document/);
  });
  test('a password in an address of a database that has none is to be written there, where it gets a random value', () => {
    const document = (environment: string) => `services:
  web: { image: "a:1", ports: [80], environment: ["DB=postgres://app:\${POSTGRES_PASSWORD}@db:5432/app"] }
  db: { image: "postgres:17", volumes: ["data:/var/lib/postgresql/data"], environment: { POSTGRES_USER: app${environment} } }
volumes: { data: }
`;
    const { said, hints } = read(document(''));
    const lacked =
      'warning missing-key 2: the variable POSTGRES_PASSWORD has no value and becomes empty: service db defines none';
    assert.equal(said[0], lacked);
    assert.match(hints[0]!, /^write POSTGRES_PASSWORD: "\$\{POSTGRES_PASSWORD\}" under environment: of service db/);
    const mended = read(document(', POSTGRES_PASSWORD: "${POSTGRES_PASSWORD}"'));
    assert.deepEqual(mended.codes, ['generated-value 2']);
    assert.equal(mended.pods[0]?.vars.DB, 'postgres://app:<% SECRET POSTGRES_PASSWORD %>@db:5432/app');
  });
  test('the host of a database is not said to be the own address, and that of the site is', () => {
    const hintOf = (name: string) => readWeb(`environment: ["A=\${${name}}"]`).hints.join();
    for (const name of ['DB_HOST', 'DATABASE_URL', 'SMTP_HOST', 'REDIS_URL', 'HOST', 'MAIL_DOMAIN']) {
      assert.doesNotMatch(hintOf(name), /<%/, name);
    }
    assert.match(hintOf('APP_URL'), /<% URL %> as APP_URL/);
    for (const name of ['VIRTUAL_HOST', 'ALLOWED_HOSTS', 'COOKIE_DOMAIN']) {
      assert.match(hintOf(name), new RegExp(`<% HOST %> as ${name}`));
    }
    assert.match(hintOf('APP_DOMAIN'), /<% DOMAIN %> as APP_DOMAIN/);
  });
  test('a scriptlet in a command is one word', () => {
    assert.deepEqual(readWeb('command: serve --at <% URL %>').web.command, ['serve', '--at', '<% URL %>']);
  });
  test('an entry that is not a valid variable name is not offered as one', () => {
    const { said, hints } = readWeb('environment: ["${TZ:-Asia/Tokyo}"]');
    assert.deepEqual(said, ['warning bad-var-name 4: "Asia/Tokyo" is not the name of a variable and is ignored']);
    assert.deepEqual(hints, ['write NAME=Asia/Tokyo']);
  });
  test('variables come from x-berth, and are replaced in every scalar', () => {
    const { pods, errors } = read(`
x-berth: { vars: { TAG: "1.29", PORT: 81, N: 2 } }
services:
  web:
    image: nginx:\${TAG}
    ports: ["8080:\${PORT}"]
    command: serve --port $PORT --cost $$5
    deploy: { replicas: "\${N}" }
    environment: { HOME_DIR: "$$HOME" }
`);
    assert.deepEqual(errors, []);
    const [web] = pods;
    assert.equal(web?.image, 'nginx:1.29');
    assert.deepEqual(web?.servicePorts, [81]);
    assert.deepEqual(web?.command, ['serve', '--port', '81', '--cost', '$5']);
    assert.equal(web?.replicas, 2);
    assert.deepEqual(web?.vars, { HOME_DIR: '$HOME' });
  });
  test('a required variable is an error with its own words, a readable name of a variable too', () => {
    const { said } = readWeb('environment: { A: "${TOKEN:?get one}", B: "${", "": x }');
    assert.deepEqual(said, [
      'error required-variable 4: the variable TOKEN needs a value: get one',
      'error bad-interpolation 4: "${" cannot be read as a variable',
      'error bad-var-name 4: "" cannot be the name of a variable',
    ]);
  });
  test('unread values are not requested', () => {
    assert.deepEqual(readWeb('annotations: ["host=${DOMAIN:?}"]').codes, ['ignored 4']);
    assert.deepEqual(readWeb('labels: ["host=${DOMAIN:?}"]').codes, []);
  });
});

describe('commands', () => {
  const table: [string, string[] | undefined, string[] | undefined][] = [
    ['command: npm run "start it"', ['npm', 'run', 'start it'], undefined],
    ['command: [sh, -c, "a && b"]', ['sh', '-c', 'a && b'], undefined],
    ['command:', undefined, undefined],
    ['command: []', [], undefined],
    ['entrypoint: ""', undefined, []],
    ['entrypoint: [/bin/sh, -c]', undefined, ['/bin/sh', '-c']],
    ['command: [1, true]', ['1', 'true'], undefined],
  ];
  for (const [line, command, entrypoint] of table) {
    test(line, () => {
      const { web } = readWeb(line);
      assert.deepEqual([web.command, web.entrypoint], [command, entrypoint]);
    });
  }
  test('an open quote is an error at its line', () => {
    assert.deepEqual(readWeb(`command: sh -c "a`).errors, ['unclosed-quote 4']);
  });
});

describe('volumes', () => {
  test('named ones are shared, anonymous ones are not; letters that are not legal are replaced', () => {
    const { pods, said } = read(`
services:
  web: { image: "a:1", ports: [80], volumes: ["My_Data:/data/:ro,z", /cache, { type: volume, source: My_Data, target: /again }] }
  job: { image: "b:1", volumes: ["My_Data:/in"] }
volumes: { My_Data: { x-berth: { size: 2Gi } } }
`);
    const sizeBytes = 2 ** 31;
    assert.deepEqual(pods[0]?.volumes, [
      { name: 'my-data', sizeBytes, mountPath: '/data', isShared: true },
      { name: 'cache', sizeBytes: 2 ** 30, mountPath: '/cache' },
      { name: 'my-data', sizeBytes, mountPath: '/again', isShared: true },
    ]);
    assert.deepEqual(pods[1]?.volumes, [{ name: 'my-data', sizeBytes, mountPath: '/in', isShared: true }]);
    assert.ok(said.includes('warning ignored 3: a read-only mount can be written to'));
  });
  test('one that is not declared is one all the same, with a warning', () => {
    assert.deepEqual(readWeb('volumes: ["data:/data"]').codes, ['undeclared-volume 4']);
  });
  const binds = ['./src:/app', '../x:/y', '/srv/x:/y', '~/x:/y', '.:/app', 'C:\\x:/y', '${DIR}:/y', '${DIR:-./d}:/y'];
  for (const bind of binds) {
    test(`${bind} is refused`, () => assert.ok(readWeb(`volumes: ['${bind}']`).errors.includes('bind-mount 4')));
  }
  test('the socket of the engine has an error of its own', () => {
    const line = 'volumes: ["/var/run/docker.sock:/var/run/docker.sock:ro"]';
    assert.deepEqual(readWeb(line).codes, ['docker-socket 4']);
  });
  test('the clock of the host is left out with a warning', () => {
    const { web, codes } = readWeb('volumes: ["/etc/localtime:/etc/localtime:ro"]');
    assert.deepEqual([web.volumes, codes], [[], ['ignored 4']]);
  });
  test('PostgreSQL 18 is set to use the directory of earlier versions', () => {
    const pgdata = (image: string) => {
      const text = `services: { db: { image: "${image}", volumes: ["pg:/var/lib/postgresql/data"] } }\nvolumes: { pg: }`;
      return read(text).pods[0]?.vars.PGDATA;
    };
    const images = [
      'postgres:18',
      'postgres',
      'postgres:alpine',
      'pgvector/pgvector:pg18',
      'postgres:17',
      'postgres:15-alpine',
    ];
    assert.deepEqual(images.filter(pgdata), images.slice(0, 4));
  });
});

describe('configs and secrets', () => {
  test('content becomes files, at the paths that Compose has for them', () => {
    const { pods, errors } = read(`
services:
  web:
    image: a:1
    ports: [80]
    configs: [app, { source: app, target: /etc/app.conf, mode: 0440 }]
    secrets: [token, { source: token, target: other }, { source: given }]
configs: { app: { content: "a=\${A:-1} $$b" } }
secrets: { token: { content: s3cret }, given: { environment: API_SECRET } }
`);
    assert.deepEqual(errors, []);
    assert.deepEqual(pods[0]?.files, [
      { path: '/run/secrets/token', content: 's3cret', isSecret: true },
      { path: '/run/secrets/other', content: 's3cret', isSecret: true },
      { path: '/run/secrets/given', content: '<% SECRET API_SECRET %>', isSecret: true },
      { path: '/app', content: 'a=1 $b', isSecret: false },
      { path: '/etc/app.conf', content: 'a=1 $b', isSecret: false, mode: '440' },
    ]);
  });
  test('what is outside of the document is an error at its own line, and only when it is used', () => {
    const { errors } = read(`services:
  web: { image: "a:1", ports: [80], configs: [a, b, c], secrets: [d] }
configs:
  a: { file: ./a.conf }
  b:
    external: true
  unused: { file: ./b.conf }
secrets:
  d:
    file: ./d.txt
`);
    assert.deepEqual(errors, ['unknown-config 2', 'config-file 4', 'external 6', 'secret-file 10']);
  });
});

describe('resources', () => {
  test('limits of both places, in the units of Compose', () => {
    const { web } = readWeb('mem_limit: 512m\nmem_reservation: 64Mb\ncpus: 0.5');
    assert.deepEqual(web.resources, {
      limits: { cpuMillis: 500, memoryBytes: 2 ** 29 },
      requests: { memoryBytes: 2 ** 26 },
    });
    const { web: other } = readWeb(
      `deploy: { resources: { limits: { cpus: "1.50", memory: 1.5G, pids: 100 }, reservations: { cpus: ".25", memory: 1gb } } }`,
    );
    assert.deepEqual(other.resources, {
      limits: { cpuMillis: 1500, memoryBytes: 1.5 * 2 ** 30 },
      requests: { cpuMillis: 250, memoryBytes: 2 ** 30 },
    });
  });
  for (const [line, code] of [
    ['mem_limit: lots', 'bad-size 4'],
    ['cpus: many', 'bad-cpus 4'],
    ['scale: 21', 'too-many-replicas 4'],
    ['scale: -1', 'not-a-number 4'],
    ['deploy: { resources: { limits: { memory: 64m }, reservations: { memory: 128m } } }', 'limit-below-request 4'],
  ] as const) {
    test(`${line} is refused`, () => assert.deepEqual(readWeb(line).errors, [code]));
  }
  const gpus = [
    'gpus: all',
    'runtime: nvidia',
    'deploy: { resources: { reservations: { devices: [{ driver: nvidia, count: 1, capabilities: [gpu] }] } } }',
  ];
  for (const line of gpus) {
    test(`${line} requests a GPU`, () => assert.equal(readWeb(line).web.useGPU, true));
  }
  test('modes', () => {
    assert.equal(readWeb('deploy: { mode: global }').web.resourceType, 'daemonset');
    assert.equal(readWeb('deploy: { replicas: 3 }').web.replicas, 3);
  });
});

test('user and directory are kept; a user made of variables without values is not', () => {
  const { web } = readWeb('user: "1000:1000"\nworking_dir: /srv');
  assert.deepEqual([web.user, web.workingDir], ['1000:1000', '/srv']);
  const { web: other, codes } = readWeb('user: "${UID}:${GID}"');
  assert.equal(other.user, undefined);
  assert.deepEqual(codes, ['unset-variable 4', 'ignored 4']);
});
