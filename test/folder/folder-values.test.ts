import assert from 'node:assert/strict';
import { test } from 'node:test';
import { read, web } from '../support/project-folder.ts';

const dockerfile = 'FROM node:26-slim\nWORKDIR /code\nCOPY . .\nEXPOSE 3000\n';

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

test('a missing value is requested, with its place, its reason and the value of an example', async (t) => {
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

test('a value that a path depends on is requested before the path is checked', async (t) => {
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

test('a mount whose folder or volume is in a variable is requested, with the value of an example', async (t) => {
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

test('a password that the service itself generates is not requested', async (t) => {
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

test('for a missing file with variables its example is offered, and without one the user decides whether it is needed', async (t) => {
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
  assert.deepEqual([second.refused, second.project.questions], [[], []]);
  const at = { file: 'compose.yaml', line: 5, column: 15 };
  assert.deepEqual(second.project.missingFiles, [{ file: '.env', at }]);
  const third = await read(t, { 'compose.yaml': compose }, { without: ['.env'] });
  assert.deepEqual([third.project.missingFiles, third.noted], [[], ['without-file compose.yaml:5:15']]);
  assert.deepEqual(third.pod('web').vars, { OWN: '1' });
});

test('a missing mounted file with variables is requested like one of env_file', async (t) => {
  const files = {
    'compose.yaml': web(
      'image: nginx:1.29',
      'volumes: ["./app/.env:/app/.env:ro", "./app/rules.conf:/app/rules.conf"]',
    ),
    'app/.env.example': 'MODE=dev\n',
    'app/rules.conf': 'on\n',
  };
  const { project, refused } = await read(t, files);
  assert.deepEqual(refused, []);
  const at = { file: 'compose.yaml', line: 5, column: 15 };
  assert.deepEqual(project.missingFiles, [{ file: 'app/.env', at, example: 'app/.env.example' }]);
  const { pod } = await read(t, files, { without: ['app/.env'] });
  assert.deepEqual(
    pod('web').files.map(({ path }) => path),
    ['/app/rules.conf'],
  );
});

test('of a file with variables that is not there nothing is said of what it may hold', async (t) => {
  const { project, refused, noted } = await read(t, {
    'compose.yaml': `services:
  web: { image: 'nginx:1.29', ports: [80] }
  db: { image: 'mariadb:11', env_file: .db.env, volumes: ['d:/var/lib/mysql'] }
volumes: { d: }
`,
  });
  assert.deepEqual([refused, noted], [[], []]);
  assert.deepEqual(
    project.missingFiles.map(({ file }) => file),
    ['.db.env'],
  );
});

test('a problem in a file with variables is reported once, for any number of services that read it', async (t) => {
  const { project } = await read(t, {
    'compose.yaml': `services:
  web: { image: 'nginx:1.29', ports: ['8080:80'], env_file: site.env }
  work: { image: 'redis:8', env_file: site.env }
`,
    'site.env': 'SITE_URL=http://localhost:8080\n',
  });
  const reported = project.notes.filter(({ at }) => at?.file === 'site.env');
  assert.deepEqual(
    reported.map(({ code }) => code),
    ['localhost-reference'],
  );
});

test('a dollar sign that is not part of a variable is reported in each file, and not requested', async (t) => {
  const { project, pod, noted, asked } = await read(t, {
    'compose.yaml': web('image: nginx:1.29', 'env_file: app.env', 'environment: { PW: "${PW}", HOST: "a$host" }'),
    '.env': 'PW="abc$def"\n',
    'app.env': "SECRET=x$yz\nKEPT='x$yz'\nDOUBLED=x$$yz\n",
  });
  assert.deepEqual(pod('web').vars, { PW: 'abc', SECRET: 'x', KEPT: 'x$yz', DOUBLED: 'x$yz', HOST: 'a' });
  const lost = ['unset-variable .env:1:1', 'unset-variable compose.yaml:6:39', 'unset-variable app.env:1:1'];
  assert.deepEqual(
    noted.filter((note) => note.startsWith('unset')),
    lost,
  );
  const { hint } = project.notes.find(({ at }) => at?.file === 'app.env')!;
  assert.equal(hint, 'write $$yz for a dollar sign itself, or put the value in single quotes');
  assert.deepEqual(asked, []);
});

test('a mounted script with Windows line endings is named', async (t) => {
  const { project } = await read(t, {
    'compose.yaml': web('image: nginx:1.29', 'entrypoint: [/entry.sh]', 'volumes: ["./entry.sh:/entry.sh"]'),
    'entry.sh': { program: '#!/bin/sh\r\nexec nginx\r\n' },
  });
  const note = project.notes.find(({ code }) => code === 'windows-line-endings');
  assert.match(note!.message, /^the script entry\.sh has Windows line endings \(CRLF\)/);
});
