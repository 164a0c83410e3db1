import assert from 'node:assert/strict';
import { test } from 'node:test';
import { read } from '../support/project-folder.ts';

const native = (...lines: string[]) =>
  ['application:', '  name: shop', '  pods:', '    - name: web', '      path: /', ...lines, ''].join('\n');
const nginx = '      image: nginx:1.29';

test('values of a native document come from what is answered, the shell and .env, and of what is left the service takes care', async (t) => {
  const { pod, project, asked } = await read(
    t,
    {
      'berth.yaml': native(
        nginx,
        '      vars:',
        '        A: ${A}',
        '        B: ${B:-x}',
        '        C: ${C:-x}',
        '        D: ${D+set}',
        '        E: $${A} $A ${{ A }}',
        '        F: ${OWN}',
        '        OWN: mine',
        '        G: ${G}',
      ),
      '.env': "A=file\nB=file\nOWN=other\nD=\nG='a${b}$c'\n",
    },
    { values: { A: 'answer' }, environment: { A: 'shell', B: 'shell' } },
  );
  assert.deepEqual([project.refusals, asked], [[], []]);
  assert.deepEqual(pod('web').vars, {
    A: 'answer',
    B: 'shell',
    C: 'x',
    D: 'set',
    E: '${A} $A ${{ A }}',
    F: 'mine',
    OWN: 'mine',
    G: 'a${b}$c',
  });
  assert.deepEqual(project.sources, ['berth.yaml', '.env']);
});

test('a missing value is requested at its place, and one that the service generates is not', async (t) => {
  const document = native(
    nginx,
    '      vars:',
    '        STRIPE_KEY: ${STRIPE_KEY}',
    '        GREETING: ${GREETING:?what it says}',
    '        SESSION_SECRET: ${SESSION_SECRET}',
    '      command: sh -c "echo ${f}"',
  );
  const { asked, project } = await read(t, { 'berth.yaml': document, '.env.example': 'STRIPE_KEY=sk_test\n' });
  assert.deepEqual(asked, ['STRIPE_KEY berth.yaml:8:21', 'GREETING berth.yaml:9:19']);
  assert.deepEqual(project.refusals, []);
  assert.deepEqual(
    project.questions.map(({ why, suggestion, isSecret }) => [why, suggestion, isSecret]),
    [
      [undefined, { value: 'sk_test', file: '.env.example' }, true],
      ['what it says', undefined, false],
    ],
  );
  assert.ok(!project.notes.some(({ code }) => code === 'missing-key'));

  const answered = await read(t, { 'berth.yaml': document }, { values: { STRIPE_KEY: 'a', GREETING: '' } });
  assert.deepEqual(answered.asked, ['GREETING berth.yaml:9:19']);
  const { pod } = await read(t, { 'berth.yaml': document }, { values: { STRIPE_KEY: 'a', GREETING: 'b' } });
  assert.equal(pod('web').vars.GREETING, 'b');
  assert.match(pod('web').vars.SESSION_SECRET ?? '', /SECRET/);
});

test('the image and the login of a registry are filled too, and programs in files are left alone', async (t) => {
  const document = `application:
  name: shop
  registryLogin: { registry: ghcr.io, username: me, personalAccessToken: "\${GHCR_TOKEN}" }
  pods:
    - name: web
      image: ghcr.io/me/web:\${TAG:-1.0}
      path: /
      servicePorts: [80]
      files: [{ path: /run.sh, content: "echo \${TAG}" }]
`;
  const { pod, project } = await read(t, { 'berth.yaml': document, '.env': 'TAG=2.4\nGHCR_TOKEN=ghp_1\n' });
  assert.equal(pod('web').image, 'ghcr.io/me/web:2.4');
  assert.equal(pod('web').files[0]?.content, 'echo ${TAG}');
  assert.match(project.document, /personalAccessToken: ghp_1/);

  const open = await read(t, { 'berth.yaml': document.replace(':-1.0', '') });
  assert.deepEqual(open.asked, ['GHCR_TOKEN berth.yaml:3:74', 'TAG berth.yaml:6:14']);
  assert.deepEqual(open.refused, []);
});

test('a pod whose image is a folder with a Dockerfile is built from it, and listens where that says', async (t) => {
  const { pod, project } = await read(t, {
    'berth.yaml': `${native('      image: ./web')}    - { name: api, image: "./api:2", servicePorts: [4000] }\n    - { name: worker, image: "./api:2" }\n`,
    'web/Dockerfile': 'FROM node:26-slim\nEXPOSE 3000\n',
    'api/Dockerfile': 'FROM node:26-slim\nEXPOSE 5000\n',
  });
  assert.deepEqual(project.refusals, []);
  assert.deepEqual(
    project.images.map(({ name, services, base, at }) => [
      name,
      services,
      base.kind === 'build' && base.build.context.slice(project.folder.length),
      at.line,
    ]),
    [
      ['./web:1', ['web'], '/web', 6],
      ['./api:2', ['api', 'worker'], '/api', 7],
    ],
  );
  assert.deepEqual([pod('web').image, pod('web').servicePorts], ['./web:1', [3000]]);
  assert.deepEqual(pod('api').servicePorts, [4000]);
});

test('the Dockerfile in the folder itself is that of the only image that is named so', async (t) => {
  const files = { 'berth.yaml': native('      image: ./shop'), Dockerfile: 'FROM nginx:1.29\nEXPOSE 80\n' };
  const { project } = await read(t, files);
  assert.deepEqual(
    project.images.map(({ base }) => base.kind === 'build' && base.build.context),
    [project.folder],
  );
  const two = await read(t, {
    ...files,
    'berth.yaml': `${files['berth.yaml']}    - { name: api, image: ./api, servicePorts: [1] }\n`,
  });
  assert.deepEqual(two.project.images, []);
  assert.equal(two.noted.filter((one) => one.startsWith('pushed-image')).length, 2);
});

test('a Dockerfile to which a link leads out of the folder is not read', async (t) => {
  const { refused, project } = await read(t, {
    'berth.yaml': native('      image: ./web', '      servicePorts: [80]'),
    'web/Dockerfile': { link: '/etc/hostname' },
  });
  assert.deepEqual(refused, ['outside-folder berth.yaml:6:14']);
  assert.deepEqual(project.images, []);
});

test('a pod with build is built as a service of Compose would be, with its port from the Dockerfile', async (t) => {
  const { project, pod } = await read(t, {
    'berth.yaml': native(
      '      build:',
      '        context: ./api',
      '        dockerfile: Dockerfile.prod',
      '        target: run',
      '        args: { VERSION: "${VERSION}" }',
      '    - name: worker',
      '      build: .',
    ),
    '.env': 'VERSION=7\n',
    Dockerfile: 'FROM node:26-slim\n',
    'api/Dockerfile.prod': 'ARG VERSION\nFROM node:26-slim AS make\nFROM node:26-slim AS run\nEXPOSE 4000\n',
  });
  assert.deepEqual(project.refusals, []);
  assert.deepEqual([pod('web').image, pod('web').servicePorts, pod('worker').image], ['./web:1', [4000], './worker:1']);
  const builds = project.images.map(({ name, services, base }) => {
    assert.equal(base.kind, 'build');
    const { context, dockerfile = '', target, args } = base.build;
    return [name, services, context.slice(project.folder.length), dockerfile.slice(context.length), target, args];
  });
  assert.deepEqual(builds, [
    ['./web:1', ['web'], '/api', '/Dockerfile.prod', 'run', { VERSION: '7' }],
    ['./worker:1', ['worker'], '', '/Dockerfile', undefined, {}],
  ]);
});

test('a build whose folder is missing or outside is refused at its place', async (t) => {
  for (const context of ['./none', '../elsewhere']) {
    const { project } = await read(t, {
      'berth.yaml': native(`      build: ${context}`, '      servicePorts: [3000]'),
    });
    assert.equal(project.refusals[0]?.at?.line, 6, context);
  }
});
