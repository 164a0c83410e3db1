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

test('an override next to the file, and several files, are merged in their order', async (t) => {
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

test('circles of files are refused', async (t) => {
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

test('if every service is in a profile, the profiles are requested', async (t) => {
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

test('an error is reported at its place in the file that it is from', async (t) => {
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
