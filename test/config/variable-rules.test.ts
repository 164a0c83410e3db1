/** The rules of the native form about variables, references, files and volumes: what is written, and what is said. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bareDatabase, database, podOf, podsOf, verdictOn, web } from './documents.ts';

type Row = [sentence: string, text: string, verdict: string];

const rows: Row[] = [
  // Variables.
  [
    'vars as a list of key and value are a documented form',
    podOf('vars:\n  - key: A\n    value: 1\n  - key: B'),
    'valid',
  ],
  ['vars as a list of maps with one key are one too', podOf('vars:\n  - A: 1\n  - B: 2'), 'valid'],
  [
    'vars as a list of NAME=value are accepted',
    podOf('vars:\n  - A=1\n  - B=x=y'),
    'warning vars-list application.pods[0].vars',
  ],
  [
    'vars as a list of name and value are accepted',
    podOf('vars:\n  - name: A\n    value: 1'),
    'warning vars-list application.pods[0].vars',
  ],
  [
    'a nested variable is refused where it is nested',
    podOf('vars:\n  A: 1\n  B:\n    C: 1'),
    'error nested-var application.pods[0].vars.B',
  ],
  ['a list as a variable is refused', podOf('vars: { A: [1, 2] }'), 'error nested-var application.pods[0].vars.A'],
  ['vars as a text are refused', podOf('vars: A=1'), 'error wrong-type application.pods[0].vars'],
  ['no vars at all are fine', podOf('vars:\nvolumes:\nsecrets: ~'), 'valid'],
  [
    'a missing variable becomes empty, with a warning',
    podOf('vars: { A: "${REGION}" }'),
    'warning unset-variable application.pods[0].vars.A',
  ],
  [
    'a missing password that the application defines is generated, with a note',
    podOf('vars: { A: "${SESSION_SECRET}" }'),
    'note generated-value application.pods[0].vars.A',
  ],
  [
    'many missing passwords are generated, with one note',
    podsOf(
      `${web}\nvars: { A: "x:${'${DB_PASSWORD}'}", JWT_SECRET: "${'${JWT_SECRET}'}" }`,
      `${bareDatabase}\nvars: { POSTGRES_PASSWORD: "${'${DB_PASSWORD}'}" }`,
    ),
    'note generated-value application.pods[0].vars.A',
  ],
  [
    'missing keys of other services are a warning: no random value can be one',
    podsOf(
      `${web}\nvars: { OPENAI_API_KEY: "${'${OPENAI_API_KEY}'}", WEATHER_API_KEY: "${'${WEATHER_API_KEY}'}" }`,
      'name: worker\nimage: me/worker:1\nservicePorts: [1]\nvars: { OPENAI_API_KEY: "${OPENAI_API_KEY}" }',
    ),
    'warning missing-key application.pods[0].vars.OPENAI_API_KEY',
  ],
  [
    'a missing password of a database elsewhere becomes empty, with a warning',
    podOf('vars: { A: "${DB_PASSWORD}" }'),
    'warning missing-key application.pods[0].vars.A',
  ],
  [
    'a variable made of itself becomes empty, with a warning',
    podOf('vars: { A: "x${A}" }'),
    'warning unset-variable application.pods[0].vars.A',
  ],
  ['a default of a variable needs no warning', podOf('vars: { A: "${REGION:-eu}" }'), 'valid'],
  [
    '$NAME is left alone, with a warning',
    podOf('vars: { URL: "postgres://u:$DB_PASSWORD@host/x" }'),
    'warning dollar-variable application.pods[0].vars.URL',
  ],
  [
    'a dollar sign in a password is not a variable',
    podOf('vars: { A: "T9m!eR7q@vX2$zLp", B: "a$$b", C: $(date) }'),
    'valid',
  ],
  [
    'an unknown scriptlet is refused',
    podOf('vars: { A: "<% HOSTNAME %>" }'),
    'error unknown-scriptlet application.pods[0].vars.A',
  ],
  ['scriptlets in any spacing are accepted', podOf('vars: { A: "<%URL%>", B: "<%  DOMAIN %>/x" }'), 'valid'],
  [
    'templates in files are not scriptlets',
    podOf('files:\n  - path: /a.ejs\n    content: "<%= title %> <% for (x of y) { %>"'),
    'valid',
  ],
  [
    'a misspelt scriptlet in a file is refused',
    podOf('files:\n  - path: /a.txt\n    content: "<% ULR %>"'),
    'error unknown-scriptlet application.pods[0].files[0]',
  ],

  // References.
  ['pod.pod of a pod that exists is fine', podsOf(`${web}\nvars: { A: "http://db.pod:5432" }`, database), 'valid'],
  [
    'pod.pod of no pod is a warning',
    podsOf(`${web}\nvars: { A: "http://dbb.pod:5432" }`, database),
    'warning unknown-pod application.pods[0].vars.A',
  ],
  [
    'the older names of a pod resolve',
    podsOf(`${web}\nvars: { A: shop-db.pod, B: db-shop.pod, C: shop-db-service }`, database),
    'valid',
  ],
  [
    'replicas of a statefulset resolve',
    podsOf(`${web}\nvars: { A: "db-0.pod,db-1.pod" }`, `${database}\nresourceType: statefulset\nreplicas: 2`),
    'valid',
  ],
  [
    '${pod:port} is read, with a warning',
    podsOf(`${web}\nvars: { A: "redis://\${db:6379}" }`, database),
    'warning pod-port-reference application.pods[0].vars.A',
  ],
  [
    'a pod in a variable for browsers is a warning',
    podsOf(
      `${web}\nvars: { NEXT_PUBLIC_API: "http://api.pod:3000" }`,
      'name: api\nimage: me/api:1\npath: /api\nservicePorts: [3000]',
    ),
    'warning pod-in-browser application.pods[0].vars.NEXT_PUBLIC_API',
  ],
  [
    'the short name of a pod in a variable for browsers is a warning too',
    podsOf(
      `${web}\nvars: { VITE_API_URL: "http://api:3000", VITE_API_NAME: api, VITE_THEME: "the api theme" }`,
      'name: api\nimage: me/api:1\npath: /api\nservicePorts: [3000]',
    ),
    'warning pod-in-browser application.pods[0].vars.VITE_API_URL',
  ],
  [
    'localhost with the port of another pod is a warning',
    podsOf(`${web}\nvars: { API: "http://localhost:5432" }`, database),
    'warning localhost-reference application.pods[0].vars.API',
  ],
  [
    'localhost in the address of a database is a warning',
    podsOf(`${web}\nvars: { DATABASE_URL: "postgres://u:p@localhost/x" }`, database),
    'warning localhost-reference application.pods[0].vars.DATABASE_URL',
  ],
  [
    'localhost as the address to listen at is fine',
    podsOf(`${web}\nvars: { HOST: localhost, LISTEN_ADDR: "127.0.0.1:80" }`, database),
    'valid',
  ],
  [
    'localhost for a browser is a warning',
    podOf('vars: { VITE_API_URL: "http://localhost:8000/api" }'),
    'warning localhost-reference application.pods[0].vars.VITE_API_URL',
  ],
  [
    "the deployment's own old host is a warning",
    podOf('vars: { A: "https://jolly-tapir-shop.apps.example.com/x" }'),
    'warning hard-coded-host application.pods[0].vars.A',
  ],
  [
    'an external host is accepted',
    podOf('vars: { A: "https://api.openai.com/v1", B: "https://hooks.slack.com" }'),
    'valid',
  ],

  // Files and volumes.
  [
    'a volume without name and size gets both',
    podOf('volumes: [{ mountPath: /data }]'),
    'warning volume-default application.pods[0].volumes[0]\nwarning volume-default application.pods[0].volumes[0]',
  ],
  [
    'a volume without its directory is refused',
    podOf('volumes: [{ name: data, size: 1Gi }]'),
    'error missing-field application.pods[0].volumes[0].mountPath',
  ],
  [
    'two volumes in one directory are refused',
    podOf('volumes:\n  - { name: a, size: 1Gi, mountPath: /data }\n  - { name: b, size: 1Gi, mountPath: /data/ }'),
    'error duplicate-volume application.pods[0].volumes[1].mountPath',
  ],
  [
    'two volumes of one name are refused',
    podOf('volumes:\n  - { name: a, size: 1Gi, mountPath: /a }\n  - { name: a, size: 1Gi, mountPath: /b }'),
    'error duplicate-volume application.pods[0].volumes[1].name',
  ],
  [
    'a volume at the root is refused',
    podOf('volumes: [{ name: a, size: 1Gi, mountPath: / }]'),
    'error bad-mount-path application.pods[0].volumes[0].mountPath',
  ],
  [
    'an underscore in the name of a volume is read as a hyphen',
    podOf('volumes: [{ name: pg_data, size: 1Gi, mountPath: /a }]'),
    'warning lenient-value application.pods[0].volumes[0].name',
  ],
  [
    'a size without a unit is a warning',
    podOf('volumes: [{ name: a, size: 10, mountPath: /a }]'),
    'warning unlikely-quantity application.pods[0].volumes[0].size',
  ],
  [
    'a size as Docker writes it is read',
    podOf('volumes: [{ name: a, size: 512 mb, mountPath: /a }]'),
    'warning lenient-value application.pods[0].volumes[0].size',
  ],
  [
    'an invalid size is refused',
    podOf('volumes: [{ name: a, size: big, mountPath: /a }]'),
    'error bad-value application.pods[0].volumes[0].size',
  ],
  [
    'secrets share a directory',
    podOf(
      'secrets:\n  - { name: a, data: x, fileName: a.key, mountPath: /s }\n  - { name: b, data: y, fileName: b.key, mountPath: /s }',
    ),
    'valid',
  ],
  [
    'the same file twice is refused',
    podOf(
      'secrets:\n  - { name: a, data: x, fileName: a.key, mountPath: /s }\n  - { name: b, data: y, fileName: a.key, mountPath: /s/ }',
    ),
    'error duplicate-file application.pods[0].secrets[1]',
  ],
  [
    'a file where a volume is is refused',
    podOf('files: [{ path: /data, content: x }]\nvolumes: [{ name: a, size: 1Gi, mountPath: /data }]'),
    'error file-on-volume application.pods[0].files[0]',
  ],
  [
    'a file that is the directory of another is refused',
    podOf('files:\n  - { path: /a, content: x }\n  - { path: /a/b, content: x }'),
    'error bad-file-path application.pods[0].files[0]',
  ],
  [
    'a secret in base64 is a warning',
    podOf(
      `secrets: [{ name: a, data: ${Buffer.from('{"key": "value", "more": 1}').toString('base64')}, fileName: a.json }]`,
    ),
    'warning encoded-secret application.pods[0].secrets[0]',
  ],
  [
    'PostgreSQL 18 with the directory of 17 is a warning',
    podsOf(
      web,
      'name: db\nimage: postgres:18\nservicePorts: [5432]\nvars: { POSTGRES_PASSWORD: pw }\nvolumes: [{ name: data, size: 1Gi, mountPath: /var/lib/postgresql/data }]',
    ),
    'warning data-directory application.pods[1].volumes[0].mountPath',
  ],
  [
    'both directories of PostgreSQL up to 17 are fine',
    podsOf(
      web,
      database.replace('/var/lib/postgresql/data', '/var/lib/postgresql'),
      database.replace('db', 'db2').replace('name: data', 'name: pg'),
    ),
    'valid',
  ],
];

for (const [sentence, text, verdict] of rows) {
  test(sentence, () => assert.equal(verdictOn(text), verdict));
}
