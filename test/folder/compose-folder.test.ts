import assert from 'node:assert/strict';
import { test } from 'node:test';
import { read, web } from '../support/project-folder.ts';

const dockerfile = 'FROM node:26-slim\nWORKDIR /code\nCOPY . .\nEXPOSE 3000\n';

test('a service that is built runs an image to make, from its context, Dockerfile, target and arguments', async (t) => {
  const { project, pod } = await read(t, {
    'compose.yaml': web(
      'build: { context: ./api, dockerfile: prod.Dockerfile, target: run, args: { MODE: a, FROM_ENV: } }',
    ),
    'api/prod.Dockerfile': 'FROM node:26-slim AS run\n',
    '.env': 'FROM_ENV=b\n',
  });
  assert.deepEqual(project.refusals, []);
  assert.equal(pod('web').image, './web:1');
  const [image] = project.images;
  assert.equal(image?.name, './web:1');
  assert.deepEqual(image?.services, ['web']);
  assert.ok(image?.base.kind === 'build');
  const { context, dockerfile: file, target, args } = image.base.build;
  assert.deepEqual([context, file], [`${project.folder}/api`, `${project.folder}/api/prod.Dockerfile`]);
  assert.deepEqual([target, args], ['run', { MODE: 'a', FROM_ENV: 'b' }]);
  assert.deepEqual(image.at, { file: 'compose.yaml', line: 4, column: 5 });
});

test('services of the same build, and one that runs what another builds, share an image', async (t) => {
  const { project, spec } = await read(t, {
    'compose.yaml': `services:
  web: { build: ., image: shop, ports: [3000] }
  worker: { build: . }
  cron: { image: shop }
`,
    Dockerfile: dockerfile,
  });
  assert.deepEqual(
    project.images.map(({ services }) => services),
    [['web', 'worker', 'cron']],
  );
  assert.deepEqual(new Set(spec.pods.map(({ image }) => image)), new Set(['./web:1']));
});

test('values come from what is answered, then the shell, then .env, then the default', async (t) => {
  const { pod, noted } = await read(
    t,
    {
      'compose.yaml': web(
        'image: nginx:1.29',
        'environment: { A: "${A}", B: "${B:-x}", C: "${C:-x}", D: "${D:-x}", E: "${E-x}", F: "${F:+set}", G: "$$G", H: }',
      ),
      '.env': 'A=file\nB=file\nC=file\nE=\nF=1\nH=file\n',
    },
    { values: { A: 'answer' }, environment: { A: 'shell', B: 'shell' } },
  );
  assert.deepEqual(pod('web').vars, {
    A: 'answer',
    B: 'shell',
    C: 'file',
    D: 'x',
    E: '',
    F: 'set',
    G: '$G',
    H: 'file',
  });
  assert.ok(noted.includes('shell-variables'));
});

test('dollar signs in values reach the program as they are', async (t) => {
  const { pod } = await read(t, {
    'compose.yaml': web('image: nginx:1.29', 'env_file: app.env', 'volumes: ["./run.conf:/etc/run.conf"]'),
    'app.env': "A='$x ${y} $$z'\n",
    'run.conf': 'proxy_set_header Host $host; # ${name} $$\n',
  });
  assert.equal(pod('web').vars.A, '$x ${y} $$z');
  assert.equal(pod('web').files[0]?.content, 'proxy_set_header Host $host; # ${name} $$\n');
});

test('files with variables are read in their order, below what the service says itself', async (t) => {
  const { pod, project } = await read(t, {
    'compose.yaml': web(
      'image: nginx:1.29',
      'env_file:',
      '  - one.env',
      '  - { path: two.env, format: raw }',
      '  - { path: none.env, required: false }',
      'environment: [C=own]',
    ),
    'one.env': 'A=1\nB="1"\nC=1\n',
    'two.env': 'B="2" # raw\n',
  });
  assert.deepEqual(pod('web').vars, { A: '1', B: '"2" # raw', C: 'own' });
  assert.deepEqual(project.sources, ['compose.yaml', 'one.env', 'two.env']);
});

test('a value that nobody gives is asked for, with its place, its reason and what an example has', async (t) => {
  const { project, asked, refused } = await read(t, {
    'compose.yaml': web(
      'image: "nginx:${TAG:?which version}"',
      'environment:',
      '  API_KEY: ${STRIPE_API_KEY}',
      '  MODE: ${MODE}-${MODE}',
    ),
    '.env.example': 'MODE=production\n',
  });
  assert.deepEqual(refused, []);
  assert.deepEqual(asked, ['TAG compose.yaml:4:12', 'STRIPE_API_KEY compose.yaml:6:16', 'MODE compose.yaml:7:13']);
  const [tag, key, mode] = project.questions;
  assert.equal(tag?.why, 'which version');
  assert.equal(key?.isSecret, true);
  assert.deepEqual(mode?.suggestion, { value: 'production', file: '.env.example' });
});

test('a value on which a path hangs is asked for before anything is said of the path', async (t) => {
  const files = {
    'compose.yaml': web('build: ./${APP}', 'env_file: ${ENV}.env', "volumes: ['./${DIR}/a.conf:/a.conf']"),
    'app/Dockerfile': dockerfile,
    'dev.env': 'A=1\n',
    'conf/a.conf': '',
  };
  const { asked, refused } = await read(t, files);
  assert.deepEqual(refused, []);
  assert.deepEqual(asked, ['APP compose.yaml:4:5', 'DIR compose.yaml:6:15', 'ENV compose.yaml:5:15']);
  const { pod } = await read(t, files, { values: { APP: 'app', ENV: 'dev', DIR: 'conf' } });
  assert.deepEqual([pod('web').vars, pod('web').files.length], [{ A: '1' }, 1]);
  const included = await read(t, { 'compose.yaml': 'include: ["${PART}.yaml"]\nservices: {}\n' });
  assert.deepEqual([included.asked, included.refused], [['PART compose.yaml:1:11'], []]);
});

test('a mount whose folder or volume is in a variable is asked for, with what an example has', async (t) => {
  const files = {
    'compose.yaml': web(
      'image: nginx:1.29',
      'volumes: ["${CONF_PATH}:/etc/nginx/conf.d", { type: bind, source: "${DATA_PATH}", target: /data }]',
    ),
    '.example.env': 'CONF_PATH=./conf\nDATA_PATH=./data\n',
    'conf/a.conf': 'server {}\n',
  };
  const { asked, refused, project } = await read(t, files);
  assert.deepEqual([asked, refused], [['CONF_PATH compose.yaml:5:15', 'DATA_PATH compose.yaml:5:49'], []]);
  assert.deepEqual(
    project.questions.map(({ suggestion }) => suggestion?.value),
    ['./conf', './data'],
  );
  const { pod } = await read(t, files, { values: { CONF_PATH: './conf', DATA_PATH: 'kept' } });
  assert.equal(pod('web').volumes.length, 1);
});

test('an answer makes the document whole, also an empty one', async (t) => {
  const files = { 'compose.yaml': web('image: "nginx:${TAG:?}"', 'environment: { MODE: "${MODE}" }') };
  const { pod, asked } = await read(t, files, { values: { TAG: '1.29', MODE: '' } });
  assert.deepEqual(asked, []);
  assert.equal(pod('web').image, 'nginx:1.29');
  assert.deepEqual(pod('web').vars, { MODE: '' });
});

test('a password that the service itself makes up is not asked for', async (t) => {
  const { asked, spec } = await read(t, {
    'compose.yaml': `services:
  web: { image: 'nginx:1.29', ports: [80], environment: { DB: 'postgres://u:\${DB_PASSWORD}@db/x' } }
  db: { image: 'postgres:17', environment: { POSTGRES_PASSWORD: '\${DB_PASSWORD}' }, volumes: ['d:/var/lib/postgresql/data'] }
volumes: { d: }
`,
  });
  assert.deepEqual(asked, []);
  assert.match(spec.pods[1]?.vars.POSTGRES_PASSWORD ?? '', /SECRET/);
});

test('a password that an example leaves empty is made up, and one that it has is proposed', async (t) => {
  const compose = `services:
  web: { image: 'nginx:1.29', ports: [80], environment: { DB: 'postgres://u:\${DB_PASSWORD}@db/x' } }
  db: { image: 'postgres:17', environment: { POSTGRES_PASSWORD: '\${DB_PASSWORD}' }, volumes: ['d:/var/lib/postgresql/data'] }
volumes: { d: }
`;
  const empty = await read(t, { 'compose.yaml': compose, '.env.example': 'DB_PASSWORD=\n' });
  assert.deepEqual(empty.asked, []);
  const { project } = await read(t, { 'compose.yaml': compose, '.env.example': 'DB_PASSWORD=books\n' });
  assert.equal(project.questions[0]?.suggestion?.value, 'books');
});

test('the example of a file with variables is known by each of its usual names', async (t) => {
  const compose = web('image: nginx:1.29', 'env_file: .env.dev');
  for (const name of ['.env.dev.example', '.env.dev-sample', '.env.dev_template', 'env.dev.dist', '.example.env.dev']) {
    const { project } = await read(t, { 'compose.yaml': compose, [name]: 'MODE=dev\n' });
    assert.deepEqual(project.questions[0]?.suggestion, { value: 'dev', file: name });
  }
});

test('of a missing file with variables its example is asked for, and without one it is refused', async (t) => {
  const compose = web('image: nginx:1.29', 'env_file: .env', 'environment: { OWN: 1 }');
  const first = await read(t, { 'compose.yaml': compose, '.env.example': 'MODE=dev\nOWN=2\nLEVEL=\n' });
  assert.deepEqual(
    first.project.questions.map(({ name, suggestion }) => [name, suggestion?.value]),
    [
      ['MODE', 'dev'],
      ['LEVEL', ''],
    ],
  );
  const second = await read(t, { 'compose.yaml': compose });
  assert.deepEqual(second.refused, ['missing-file compose.yaml:5:15']);
});

test('an override beside the file, and several files, are merged in their order', async (t) => {
  const files = {
    'docker-compose.yml': web('image: nginx:1.28', 'environment: { A: 1, B: 1 }'),
    'docker-compose.override.yml': 'services:\n  web:\n    image: nginx:1.29\n    environment: [B=2]\n',
    'prod.yaml': 'services:\n  web:\n    ports: !override ["81:81"]\n    environment: !reset\n',
  };
  const found = await read(t, files);
  assert.deepEqual([found.pod('web').image, found.pod('web').vars], ['nginx:1.29', { A: '1', B: '2' }]);
  assert.deepEqual(found.project.sources, ['docker-compose.yml', 'docker-compose.override.yml']);
  const named = await read(t, files, { files: ['docker-compose.yml', 'prod.yaml'] });
  assert.deepEqual([named.pod('web').image, named.pod('web').vars], ['nginx:1.28', {}]);
  assert.deepEqual(named.pod('web').servicePorts, [81]);
});

test('included and extended files bring services whose paths begin in their own folders', async (t) => {
  const { pod, project, spec } = await read(t, {
    'compose.yaml': `include: [parts/compose.yaml]
services:
  web:
    extends: { file: base/web.yaml, service: base }
    environment: { OWN: 1 }
`,
    'base/web.yaml':
      'services:\n  base:\n    extends: common\n    ports: [3000]\n    env_file: web.env\n  common:\n    build: ./app\n',
    'base/web.env': 'A=base\n',
    'base/app/Dockerfile': dockerfile,
    'parts/compose.yaml':
      'services:\n  cache:\n    image: redis:${REDIS}\n    configs: [own]\nconfigs:\n  own: { file: ./own.conf }\n',
    'parts/.env': 'REDIS=7\n',
    'parts/own.conf': 'save ""\n',
  });
  assert.deepEqual(project.refusals, []);
  assert.deepEqual(pod('web').vars, { A: 'base', OWN: '1' });
  assert.equal(pod('cache').image, 'redis:7');
  assert.equal(pod('cache').files[0]?.content, 'save ""\n');
  assert.equal(spec.pods.length, 2);
  const [image] = project.images;
  assert.ok(image?.base.kind === 'build');
  assert.equal(image.base.build.context, `${project.folder}/base/app`);
});

test('circles of files, and what is in two of them, are refused', async (t) => {
  const circle = await read(t, {
    'compose.yaml': 'include: [a.yaml]\nservices: { web: { image: "nginx:1" } }\n',
    'a.yaml': 'include: [b.yaml]\nservices: { a: { image: "nginx:1" } }\n',
    'b.yaml': 'include: [a.yaml]\nservices: { b: { image: "nginx:1" } }\n',
  });
  assert.match(circle.refused[0] ?? '', /^include-cycle b\.yaml:1:11$/);
  const extended = await read(t, {
    'compose.yaml': 'services:\n  web: { extends: { file: other.yaml, service: a } }\n',
    'other.yaml': 'services:\n  a: { extends: { file: compose.yaml, service: web } }\n',
  });
  assert.match(extended.refused[0] ?? '', /^extends-cycle other\.yaml:2:17$/);
});

test('a file changes what it includes, and of two that are included the first one wins', async (t) => {
  const { pod, refused } = await read(t, {
    'compose.yaml': 'include: [a.yaml, b.yaml]\nservices: { web: { environment: { OWN: 1 }, ports: [80] } }\n',
    'a.yaml': 'services: { web: { image: "nginx:1.28", environment: { OWN: 2, A: 2 } } }\n',
    'b.yaml': 'services: { web: { image: "nginx:1.29", environment: { A: 3, B: 3 } } }\n',
  });
  assert.deepEqual(refused, []);
  assert.equal(pod('web').image, 'nginx:1.28');
  assert.deepEqual(pod('web').vars, { OWN: '1', A: '2', B: '3' });
});

test('a service in a profile is left out, with what waits for it, until the profile is enabled', async (t) => {
  const files = {
    'compose.yaml': `services:
  web: { image: 'nginx:1.29', ports: [80], depends_on: [debug] }
  debug: { image: 'busybox:1', profiles: [tools] }
`,
  };
  const without = await read(t, files);
  assert.deepEqual(
    without.spec.pods.map(({ name }) => name),
    ['web'],
  );
  assert.ok(without.noted.includes('left-out compose.yaml:3:3'));
  const having = await read(t, files, { profiles: ['tools'] });
  assert.deepEqual(
    having.spec.pods.map(({ name }) => name),
    ['web', 'debug'],
  );
});

test('where every service is in a profile, it is asked which ones are meant', async (t) => {
  const compose = `services:
  web: { image: 'nginx:1.29', ports: [80], profiles: [web] }
  db: { image: 'redis:8', profiles: [cache, all] }
`;
  const { asked, refused, project } = await read(t, {
    'compose.yaml': compose,
    '.env.example': 'COMPOSE_PROFILES=web,cache\n',
  });
  assert.deepEqual([asked, refused], [['COMPOSE_PROFILES compose.yaml:1:1'], []]);
  const [{ why, suggestion }] = project.questions as [(typeof project.questions)[0]];
  assert.equal(why, 'every service is in a profile: web, cache, all');
  assert.equal(suggestion?.value, 'web,cache');
  const answered = await read(t, { 'compose.yaml': compose }, { values: { COMPOSE_PROFILES: 'web' } });
  assert.deepEqual(
    answered.spec.pods.map(({ name }) => name),
    ['web'],
  );
  const wrong = await read(t, { 'compose.yaml': compose }, { profiles: ['wbe'] });
  assert.deepEqual(wrong.refused, ['no-services compose.yaml:1:1']);
});

test('what is wrong is told at its place in the file that it is from', async (t) => {
  const { refused } = await read(t, {
    'compose.yaml': web('image: nginx:1.29'),
    'compose.override.yaml': 'services:\n  web:\n    network_mode: host\n    privileged: true\n',
  });
  assert.deepEqual(refused, ['unsupported compose.override.yaml:3:19', 'unsupported compose.override.yaml:4:17']);
  const broken = await read(t, { 'compose.yaml': 'services:\n  web: [\n' });
  assert.deepEqual(broken.refused, ['unparsable compose.yaml:2:8']);
});

test('a folder with nothing to run says what was looked for', async (t) => {
  const { project } = await read(t, { 'README.md': '' });
  assert.deepEqual(
    project.refusals.map(({ code }) => code),
    ['nothing-found'],
  );
  assert.match(project.refusals[0]?.message ?? '', /berth\.yaml.*compose\.yaml.*Dockerfile/);
});

test('a Dockerfile alone is an application on the port that it names, checked as it says', async (t) => {
  const { project, spec } = await read(t, {
    Dockerfile: 'FROM node:26-slim\nEXPOSE 3000\nHEALTHCHECK --interval=5s CMD curl -f http://localhost:3000/ok\n',
  });
  assert.equal(project.form, 'dockerfile');
  assert.equal(spec.name, 'shop');
  const [pod] = spec.pods;
  assert.deepEqual([pod?.image, pod?.path, pod?.servicePorts], ['./web:1', '/', [3000]]);
  assert.ok(pod?.healthCheck && 'path' in pod.healthCheck);
  assert.equal(pod.healthCheck.path, '/ok');
  const none = await read(t, { Dockerfile: 'FROM node:26-slim\n' });
  assert.deepEqual(none.refused, ['no-port Dockerfile:1:1']);
});

test('a native document is sent as it stands, before any Compose file', async (t) => {
  const text = `application:
  name: mine
  pods:
    - { name: web, image: 'nginx:1.29', path: /, servicePorts: [80] }
`;
  const { project } = await read(t, { 'berth.yaml': text, 'compose.yaml': web('image: a:1') });
  assert.deepEqual([project.form, project.name, project.document], ['native', 'mine', text]);
  assert.deepEqual(project.refusals, []);
});
