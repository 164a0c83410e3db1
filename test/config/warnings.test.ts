/** Valid settings that are probably mistakes: their warnings, and the texts of their fixes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyEdits } from '../../src/config/fix.ts';
import { parseConfiguration } from '../../src/config/parse.ts';
import { bareDatabase, findingIn, firstPodOf, podOf, podsOf, verdictOn, web } from './documents.ts';

type Row = [sentence: string, text: string, verdict: string];

const rows: Row[] = [
  // Words that stand for values, images that move, pods that end.
  [
    'a tag without a version is a warning, one for the whole document',
    podsOf(web.replace('nginx:1', 'nginx:stable'), 'name: api\nimage: me/api:nightly\nservicePorts: [1]'),
    'warning latest-image application.pods[0].image',
  ],
  [
    'a tag with a version that says latest all the same is one',
    podOf('').replace('nginx:1', 'me/app:php8.2-latest'),
    'warning latest-image application.pods[0].image',
  ],
  ['a nightly build with a date is not a warning', podOf('').replace('nginx:1', 'me/app:nightly-20260102'), 'valid'],
  [
    'latest with a digest is not a warning',
    podOf('').replace('nginx:1', `nginx:latest@sha256:${'a'.repeat(64)}`),
    'valid',
  ],
  [
    'placeholders are pointed out once',
    podOf('vars: { A: your-api-key, B: changeme, C: placeholder, D: "# filled by the pipeline", E: "<token>" }'),
    'warning placeholder-value application.pods[0].vars.A',
  ],
  [
    'a placeholder in an address and in a secret is one',
    podOf('vars: { A: "postgres://u:changeme@h/x" }\nsecrets: [{ name: s, fileName: f, data: your-jwt-secret }]'),
    'warning placeholder-value application.pods[0].vars.A',
  ],
  [
    'images that look like examples are pointed out once',
    podsOf(web.replace('nginx:1', 'your-org/web:1'), 'name: api\nimage: your-org/api:1\nservicePorts: [1]'),
    'warning placeholder-value application.pods[0].image',
  ],
  [
    'a value that only resembles a placeholder is not a warning',
    podOf('vars: { A: "Your shop for everything", B: changelog, C: "add one", D: todo-list, E: exchange-me }'),
    'valid',
  ],
  [
    'PostgreSQL without a password is a warning',
    podsOf(web, bareDatabase),
    'warning missing-password application.pods[1].image',
  ],
  [
    'an empty password is not a warning',
    podsOf(web, `${bareDatabase}\nvars: { POSTGRES_PASSWORD: "" }`),
    'warning missing-password application.pods[1].image',
  ],
  [
    'MySQL with the password of a user only is a warning',
    podsOf(
      web,
      'name: db\nimage: mysql:8\nservicePorts: [3306]\nvolumes: [{ name: data, size: 1Gi, mountPath: /var/lib/mysql }]\nvars: { MYSQL_USER: u, MYSQL_PASSWORD: p }',
    ),
    'warning missing-password application.pods[1].image',
  ],
  [
    'databases that need no password, or have it from a file, are fine',
    podsOf(
      web,
      `${bareDatabase}\nvars: { POSTGRES_HOST_AUTH_METHOD: trust }`,
      'name: my\nimage: mysql:8\nservicePorts: [3306]\nvolumes: [{ name: my, size: 1Gi, mountPath: /var/lib/mysql }]\nvars: { MYSQL_ALLOW_EMPTY_PASSWORD: "yes" }',
      'name: ma\nimage: mariadb:11\nservicePorts: [3306]\nvolumes: [{ name: ma, size: 1Gi, mountPath: /var/lib/mysql }]\nvars: { MARIADB_ROOT_PASSWORD_FILE: /run/s }',
      'name: dump\nimage: postgres:16\nresourceType: job\ncommand: pg_dump -h my',
    ),
    'valid',
  ],
  [
    "the deployment's own old host in a command is a warning",
    podOf('command: [serve, --url, "https://jolly-tapir-shop.apps.example.com/x"]'),
    'warning hard-coded-host application.pods[0].command[2]',
  ],
  [
    'a migration that is not a job is a warning',
    podsOf(web, 'name: migrate\nimage: me/app:1\ncommand: npx prisma migrate deploy'),
    'warning not-a-job application.pods[1].name',
  ],
  [
    'so is a pod with another name that ends with one',
    podsOf(web, 'name: setup\nimage: me/app:1\ncommand: sh -c "sleep 3 && alembic upgrade head"'),
    'warning not-a-job application.pods[1].name',
  ],
  [
    'a pod that migrates and then serves is not a warning',
    podsOf(web, 'name: worker\nimage: me/app:1\ncommand: sh -c "rails db:migrate && sidekiq"'),
    'warning no-ports application.pods[1]',
  ],
  ['a migration that is a job is fine', podsOf(web, 'name: migrate\nimage: me/app:1\nresourceType: job'), 'valid'],
  [
    'a cookie domain with a port is a warning',
    podOf('vars: { COOKIE_DOMAIN: "<% DOMAIN %>", SESSION_DOMAIN: ".<%DOMAIN%>", ALLOWED_HOSTS: "<% URL %>" }'),
    [
      'warning host-with-port application.pods[0].vars.COOKIE_DOMAIN',
      'warning host-with-port application.pods[0].vars.SESSION_DOMAIN',
      'warning host-with-port application.pods[0].vars.ALLOWED_HOSTS',
    ].join('\n'),
  ],
  [
    'a virtual host and a trusted one with a port are warnings',
    podOf('vars: { VIRTUAL_HOST: "<% DOMAIN %>", SYMFONY_TRUSTED_HOSTS: "localhost,<% DOMAIN %>" }'),
    [
      'warning host-with-port application.pods[0].vars.VIRTUAL_HOST',
      'warning host-with-port application.pods[0].vars.SYMFONY_TRUSTED_HOSTS',
    ].join('\n'),
  ],
  [
    'an e-mail address with a port is a warning',
    podOf('vars: { FROM: "Shop <no-reply@<% DOMAIN %>>" }'),
    'warning host-with-port application.pods[0].vars.FROM',
  ],
  [
    'addresses may hold a port, and <% HOST %> never does',
    podOf(
      'vars: { A: "wss://<% DOMAIN %>/x", B: "https://u:p@<% DOMAIN %>", COOKIE_DOMAIN: "<% HOST %>", DOMAIN: "<% DOMAIN %>" }',
    ),
    'valid',
  ],

  // The form.
  ['a container at the top is not a Compose file', 'container:\n  image: nginx:1\n', 'error no-application container'],
  [
    'a Dockerfile is called that',
    'FROM node:26\nWORKDIR /app\nCOPY . .\nCMD ["node", "server.js"]\n',
    'error foreign-form',
  ],
];

for (const [sentence, text, verdict] of rows) {
  test(sentence, () => assert.equal(verdictOn(text), verdict));
}

test('another list of variables is written as a map by its fix', () => {
  const fixed = (lines: string) => {
    const text = podOf(lines);
    const { fix } = findingIn(text, 'vars-list');
    assert.ok(fix, text);
    const after = applyEdits(text, [fix]);
    assert.equal(verdictOn(after), 'valid', after);
    assert.deepEqual(firstPodOf(after).vars, firstPodOf(text).vars);
    return after;
  };
  assert.ok(fixed('vars:\n  - A=1\n  - "B=x=y: z"').endsWith('vars:\n          A: "1"\n          B: "x=y: z"'));
  fixed('vars:\n- name: A\n  value: "a b"\n- name: B.c\n  value: "yes"\nreplicas: 2');
  fixed('vars: [A=1, "B=<% URL %>"]\nreplicas: 2');
  assert.equal(findingIn(podOf('vars:\n  - A=1 # one\n  - B=2'), 'vars-list').fix, undefined);
});

const fixes: [sentence: string, before: string, code: string, after: string][] = [
  [
    'a migration becomes a job',
    podsOf(web, 'name: migrate\nimage: me/app:1'),
    'not-a-job',
    podsOf(web, 'name: migrate\nresourceType: job\nimage: me/app:1'),
  ],
  [
    'a database gets its variables',
    podsOf(web, bareDatabase),
    'missing-password',
    podsOf(
      web,
      bareDatabase.replace('postgres:16', 'postgres:16\nvars: { POSTGRES_PASSWORD: "${POSTGRES_PASSWORD}" }'),
    ),
  ],
  [
    'a database gets one more variable, also next to comments',
    podsOf(web, `${bareDatabase}\nvars:\n  POSTGRES_USER: u # me\n  POSTGRES_DB: d`),
    'missing-password',
    podsOf(
      web,
      `${bareDatabase}\nvars:\n  POSTGRES_USER: u # me\n  POSTGRES_PASSWORD: "\${POSTGRES_PASSWORD}"\n  POSTGRES_DB: d`,
    ),
  ],
  [
    'a database in braces gets one as well',
    podsOf(web, `${bareDatabase}\nvars: { POSTGRES_USER: u }`),
    'missing-password',
    podsOf(web, `${bareDatabase}\nvars: { POSTGRES_USER: u, POSTGRES_PASSWORD: "\${POSTGRES_PASSWORD}" }`),
  ],
  [
    'a cookie gets the host alone',
    podOf('vars: { COOKIE_DOMAIN: "<% DOMAIN %>" }'),
    'host-with-port',
    podOf('vars: { COOKIE_DOMAIN: "<% HOST %>" }'),
  ],
  [
    'an e-mail address gets it too',
    podOf('vars: { FROM: "a@<%DOMAIN%>" }'),
    'host-with-port',
    podOf('vars: { FROM: "a@<% HOST %>" }'),
  ],
  [
    'an old host in a list of words is replaced',
    podOf('command: [serve, "https://jolly-tapir-shop.apps.example.com"]').replaceAll('shop', 'bookshop'),
    'hard-coded-host',
    podOf('command: [serve, "<% URL %>"]').replaceAll('shop', 'bookshop'),
  ],
];

for (const [sentence, before, code, after] of fixes) {
  test(`by its fix ${sentence}`, () => {
    const { fix } = findingIn(before, code);
    assert.ok(fix, before);
    assert.equal(applyEdits(before, [fix]), after);
    assert.ok(!parseConfiguration(after).diagnostics.some((diagnostic) => diagnostic.code === code));
  });
}

test('a Dockerfile and several manifests of Kubernetes are named as such, whether or not they are one YAML document', () => {
  const said = (text: string) => {
    const { kind, diagnostics } = parseConfiguration(text);
    return `${kind}: ${diagnostics.map(({ message }) => message).join()}`;
  };
  assert.equal(
    said('# syntax=docker/dockerfile:1\nFROM node:26 AS build\nENV A: b\nRUN npm ci\n'),
    'unparsable: this is a Dockerfile, which builds an image',
  );
  assert.equal(
    said('apiVersion: v1\nkind: Service\n---\napiVersion: apps/v1\nkind: Deployment\n'),
    'invalid: this is a Kubernetes manifest',
  );
  const helm = 'apiVersion: v1\nkind: A\n{{- if .x }}\nspec: {{ .x }}\n';
  assert.equal(said(helm), 'unparsable: this is a Kubernetes manifest');
});

test('a document that contains a Dockerfile or a manifest as a file is not mistaken for one', () => {
  const content = 'files:\n  - path: /Dockerfile\n    content: |\n      FROM node:26\n      RUN npm ci\n';
  assert.equal(verdictOn(podOf(content)), 'valid');
});

test('a password in an address of a database that has none is to be written there, and is the same in both then', () => {
  const own = '\nvolumes: [{ name: data, size: 1Gi, mountPath: /var/lib/postgresql/data }]';
  const address = 'vars: { DB: "postgresql://app:${POSTGRES_PASSWORD}@db.pod:5432/app" }';
  const database = `name: db\nimage: postgres:17\nservicePorts: [5432]${own}`;
  const found = parseConfiguration(podsOf(`${web}\n${address}`, database));
  const lacked = found.diagnostics.find(({ code }) => code === 'missing-key');
  assert.match(lacked?.message ?? '', /^POSTGRES_PASSWORD has no value and becomes empty: pod db defines none$/);
  assert.match(lacked?.hint ?? '', /^write POSTGRES_PASSWORD: "\$\{POSTGRES_PASSWORD\}" in the "vars" of pod db/);
  const written = `${database}\nvars: { POSTGRES_PASSWORD: "\${POSTGRES_PASSWORD}" }`;
  const mended = parseConfiguration(podsOf(`${web}\n${address}`, written));
  assert.ok(mended.kind === 'valid');
  assert.deepEqual(
    mended.spec.pods.map(({ vars }) => Object.values(vars)),
    [['postgresql://app:<% SECRET POSTGRES_PASSWORD %>@db.pod:5432/app'], ['<% SECRET POSTGRES_PASSWORD %>']],
  );
});

test('a default value with a space in a command is one word of it', () => {
  const parsed = parseConfiguration(podOf('command: echo ${NAME:-a b} "${OTHER:-c d}" done'));
  assert.ok(parsed.kind === 'valid');
  assert.deepEqual(parsed.spec.pods[0]?.command, ['echo', 'a b', 'c d', 'done']);
});

test('a missing key of a volume is reported with the present ones, without advice to rename one', () => {
  const hintsOf = (volume: string) =>
    parseConfiguration(podOf(`volumes: [${volume}]`)).diagnostics.map(({ hint }) => hint);
  assert.deepEqual(hintsOf('{ name: pg, mountPath: /data }'), ['write "size: 1Gi"']);
  assert.deepEqual(hintsOf('{ size: 2Gi, mountPath: /var/data }'), ['write "name: var-data"']);
  assert.deepEqual(hintsOf('/var/data'), ['write { name: var-data, mountPath: /var/data }']);
});
