/** Every rule of the native form: what is written, what is said, what becomes of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseConfiguration } from '../../src/config/parse.ts';
import { bareDatabase, database, findingIn, firstPodOf, podOf, podsOf, specOf, verdictOn, web } from './documents.ts';

type Row = [sentence: string, text: string, verdict: string];

const rows: Row[] = [
  ['a pod with what it needs is valid', podsOf(web), 'valid'],

  // Names.
  ['upper case in the name of the application is refused', podOf('', 'Shop'), 'error bad-name application.name'],
  ['a name of two letters is refused', podOf('', 'ab'), 'error bad-name application.name'],
  ['a name of 65 letters is refused', podOf('', 'a'.repeat(65)), 'error bad-name application.name'],
  ['a name of 64 letters is accepted', podOf('', 'a'.repeat(64)), 'valid'],
  ['dots in the name of the application are accepted', podOf('', 'shop.v2'), 'valid'],
  ['a name that ends with a hyphen is refused', podOf('', 'shop-'), 'error bad-name application.name'],
  [
    'an underscore in the name of a pod is refused',
    podsOf(web.replace('web', 'my_web')),
    'error bad-name application.pods[0].name',
  ],
  ['a pod of 63 letters is accepted', podsOf(web.replace('web', 'a'.repeat(63))), 'valid'],
  [
    'a pod of 64 letters is refused: no name in DNS is so long',
    podsOf(web.replace('web', 'a'.repeat(64))),
    'error bad-name application.pods[0].name',
  ],
  [
    'two pods of the same name are refused',
    podsOf(web, web.replace('path: /', 'path: /b')),
    'error duplicate-pod application.pods[1].name',
  ],
  [
    'a pod named like a replica of another is refused',
    podsOf(
      web,
      `${database}\nresourceType: statefulset\nreplicas: 2`,
      database.replace('db', 'db-1').replace('name: data', 'name: own'),
    ),
    'error ambiguous-name application.pods[1].name',
  ],

  // Routes and ports.
  [
    'two pods with the same path are refused',
    podsOf(web, web.replace('web', 'api')),
    'error duplicate-path application.pods[1].path',
  ],
  [
    'a slash at the end makes no other path',
    podsOf(web.replace('path: /', 'path: /a'), web.replace('web', 'api').replace('path: /', 'path: /a/')),
    'error duplicate-path application.pods[1].path',
  ],
  ['no public path is refused', podsOf(database), 'error no-public-path application.pods'],
  ['jobs alone need no public path', podsOf('name: seed\nimage: busybox:1\nresourceType: job'), 'valid'],
  [
    'a path without its slash is read with it',
    podsOf(web.replace('path: /', 'path: api')),
    'warning lenient-value application.pods[0].path',
  ],
  [
    'a path with a star is refused',
    podsOf(web.replace('path: /', 'path: /api/*')),
    'error bad-value application.pods[0].path',
  ],
  [
    'a path with a question mark is refused',
    podsOf(web.replace('path: /', 'path: /a?b')),
    'error bad-value application.pods[0].path',
  ],
  [
    'a public path without any port is refused',
    podsOf('name: web\nimage: me/app:1\npath: /'),
    'error path-without-port application.pods[0].path',
  ],
  [
    'the port of a public pod is taken from PORT',
    podsOf('name: web\nimage: me/app:1\npath: /\nvars: { PORT: 3000 }'),
    'warning inferred-port application.pods[0]',
  ],
  [
    'the port of a public pod is taken from a well-known image',
    podsOf('name: web\nimage: nginx:1\npath: /'),
    'warning inferred-port application.pods[0]',
  ],
  [
    'a pod without ports is a worker',
    podsOf(web, 'name: worker\nimage: me/app:1'),
    'warning no-ports application.pods[1]',
  ],
  [
    'ports as texts are accepted',
    podOf('').replace('[80]', '["80"]'),
    'warning lenient-value application.pods[0].servicePorts[0]',
  ],
  [
    'a port alone, without brackets, is accepted',
    podOf('').replace('[80]', '80'),
    'warning lenient-value application.pods[0].servicePorts',
  ],
  [
    'of a pair of ports that of the container counts',
    podOf('').replace('[80]', '["8080:80"]'),
    'warning lenient-value application.pods[0].servicePorts[0]',
  ],
  [
    'a port above 65535 is refused',
    podOf('').replace('[80]', '[70000]'),
    'error bad-value application.pods[0].servicePorts[0]',
  ],
  [
    'ports as Kubernetes has them are refused',
    podOf('').replace('[80]', '[{ containerPort: 80 }]'),
    'error wrong-type application.pods[0].servicePorts[0]',
  ],
  [
    'a port twice is a warning',
    podOf('').replace('[80]', '[80, 80]'),
    'warning duplicate-port application.pods[0].servicePorts[1]',
  ],
  [
    'a database with a public path is a warning',
    podsOf(web, `${database}\npath: /db`),
    'warning database-with-path application.pods[1].path',
  ],
  [
    'a job with a path is a warning',
    podsOf(web, 'name: seed\nimage: busybox:1\nresourceType: job\npath: /seed'),
    'warning path-on-job application.pods[1].path',
  ],
  [
    'a subdomain without the domain is refused',
    podOf('subdomain: admin'),
    'error subdomain-without-url application.pods[0].subdomain',
  ],
  [
    'a custom domain says when it takes effect',
    podOf('').replace('  pods', '  url: shop.example.com\n  pods'),
    'warning custom-domain application.url',
  ],
  [
    'a custom domain with https:// is read without',
    podOf('').replace('  pods', '  url: https://shop.example.com/\n  pods'),
    'warning lenient-value application.url\nwarning custom-domain application.url',
  ],
  [
    'what is no domain is ignored',
    podOf('').replace('  pods', '  url: my shop\n  pods'),
    'warning bad-domain application.url',
  ],

  // Images.
  [
    'an image in words is a placeholder',
    podOf('').replace('nginx:1', '"# filled by pipeline"'),
    'error image-placeholder application.pods[0].image',
  ],
  [
    'an image behind a comment sign is a placeholder',
    podOf('').replace('nginx:1', '# filled by pipeline'),
    'error image-placeholder application.pods[0].image',
  ],
  [
    'an image in angle brackets is a placeholder',
    podOf('').replace('nginx:1', '<your-image>:1'),
    'error image-placeholder application.pods[0].image',
  ],
  [
    'an image with a variable of a pipeline is a placeholder',
    podOf('').replace('nginx:1', '"ghcr.io/me/app:${{ github.sha }}"'),
    'error image-placeholder application.pods[0].image',
  ],
  ['an image in double braces is a placeholder', podOf('').replace('nginx:1', '{{ image }}'), 'error unparsable'],
  [
    'an image without a tag is refused',
    podOf('').replace('nginx:1', 'nginx'),
    'error image-without-tag application.pods[0].image',
  ],
  ['a digest is as good as a tag', podOf('').replace('nginx:1', `nginx@sha256:${'a'.repeat(64)}`), 'valid'],
  [
    'a port of a registry is no tag',
    podOf('').replace('nginx:1', 'registry.example.com:5000/app'),
    'error image-without-tag application.pods[0].image',
  ],
  [
    'upper case in an image is read as lower case',
    podOf('').replace('nginx:1', 'ghcr.io/Me/App:V1'),
    'warning image-case application.pods[0].image',
  ],
  [
    'latest is a warning',
    podOf('').replace('nginx:1', 'nginx:latest'),
    'warning latest-image application.pods[0].image',
  ],
  [
    'a missing image is refused',
    podsOf('name: web\npath: /\nservicePorts: [80]'),
    'error missing-field application.pods[0].image',
  ],
  [
    'an address is no image',
    podOf('').replace('nginx:1', 'https://ghcr.io/me/app:1'),
    'error bad-image application.pods[0].image',
  ],
  [
    'the registry scriptlet without a login is a warning',
    podOf('').replace('nginx:1', '<% REGISTRY %>/me/my-app:1'),
    'warning registry-without-login application.pods[0].image',
  ],
  [
    'a login that no image needs is a warning',
    podOf('').replace('  pods', '  registryLogin: { registry: ghcr.io, username: me, personalAccessToken: t }\n  pods'),
    'warning unused-login application.registryLogin.registry',
  ],
  [
    'a login without its token is refused',
    podOf('').replace('  pods', '  registryLogin: { registry: docker.io, username: me }\n  pods'),
    'error missing-field application.registryLogin.personalAccessToken',
  ],

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
    'a dollar sign in a password is no variable',
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
    'templates in files are no scriptlets',
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
    'a host of somebody else is fine',
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
    'a size that is none is refused',
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
    'PostgreSQL 18 with the directory of 17 is told where its data is',
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

  // Limits and life.
  [
    'a limit below the request is refused',
    podOf('resources: { requests: { cpu: 1, memory: 1Gi }, limits: { cpu: 500m, memory: 512Mi } }'),
    'error limit-below-request application.pods[0].resources.limits.cpu\nerror limit-below-request application.pods[0].resources.limits.memory',
  ],
  [
    'memory without a unit is refused',
    podOf('resources: { limits: { memory: 512 } }'),
    'error unlikely-quantity application.pods[0].resources.limits.memory',
  ],
  [
    'memory as Docker writes it is read',
    podOf('resources: { limits: { memory: 512m } }'),
    'warning lenient-value application.pods[0].resources.limits.memory',
  ],
  [
    'more cores than any machine has are refused, as a request alone too',
    podOf('resources: { requests: { cpu: 99999 } }'),
    'error bad-value application.pods[0].resources.requests.cpu',
  ],
  [
    '500 cores are refused',
    podOf('resources: { limits: { cpu: 500 } }'),
    'error unlikely-quantity application.pods[0].resources.limits.cpu',
  ],
  ['replicas as a text are read', podOf('replicas: "2"'), 'warning lenient-value application.pods[0].replicas'],
  ['no replicas are refused', podOf('replicas: 0'), 'error bad-value application.pods[0].replicas'],
  [
    'the type of a resource in other letters is read',
    podOf('resourceType: StatefulSet'),
    'warning lenient-value application.pods[0].resourceType',
  ],
  [
    'an unknown type of a resource is refused',
    podOf('resourceType: cronjob'),
    'error bad-value application.pods[0].resourceType',
  ],
  ['a health check is complete with its path', podOf('healthCheck: { path: /healthz }'), 'valid'],
  ['shared memory within the memory is accepted', podOf('shmSize: 256Mi'), 'valid'],
  [
    'shared memory above the memory is as much as that',
    podOf('shmSize: 1Gi'),
    'warning memory-limit application.pods[0].shmSize',
  ],
  ['a directory in memory is accepted', podOf('tmpfs: [{ mountPath: /cache, size: 64Mi, mode: "755" }]'), 'valid'],
  ...['/', '/proc', '/dev/shm', '/a/../..', '/a:exec'].map(
    (mountPath): Row => [
      `a directory in memory at ${mountPath} is refused`,
      podOf(`tmpfs: [{ mountPath: "${mountPath}" }]`),
      'error bad-mount-path application.pods[0].tmpfs[0]',
    ],
  ),
  [
    'a directory in memory where a volume is is refused',
    podOf('tmpfs: [{ mountPath: /data/ }]\nvolumes: [{ name: a, size: 1Gi, mountPath: /data }]'),
    'error duplicate-volume application.pods[0].tmpfs[0]',
  ],
  [
    'a file that a directory in memory would hide is refused',
    podOf('tmpfs: [{ mountPath: /run }]\nfiles: [{ path: /run/a, content: x }]'),
    'error file-on-volume application.pods[0].tmpfs[0]',
  ],
  ['a container that can only be read is accepted', podOf('readOnly: true'), 'valid'],
  [
    'a container with files of the document can be written, and says so',
    podOf('readOnly: true\nfiles: [{ path: /a, content: x }]'),
    'warning read-only-files application.pods[0].readOnly',
  ],
  ['a signal for the stop is accepted', podOf('stopSignal: quit\nstopGraceSeconds: 20'), 'valid'],
  ['what is no signal is refused', podOf('stopSignal: STOP'), 'error bad-value application.pods[0].stopSignal'],
  [
    'more than 30 s for a stop are refused',
    podOf('stopGraceSeconds: 31'),
    'error bad-value application.pods[0].stopGraceSeconds',
  ],
  ['a limit of a process is accepted', podOf('ulimits: { nofile: 100, cpu: { soft: 1, hard: 2 } }'), 'valid'],
  [
    'more open files than everybody has are as many as that',
    podOf('ulimits: { nofile: 65536 }'),
    'warning lenient-value application.pods[0].ulimits.nofile',
  ],
  ...['-2', '{ soft: 0, hard: -9223372036854 }', '{ soft: -1, hard: 100 }', '{ soft: 2, hard: 1 }'].map(
    (limit): [string, string, string] => [
      `${limit} is no limit of a process`,
      podOf(`ulimits: { core: ${limit} }`),
      'error bad-value application.pods[0].ulimits.core',
    ],
  ),
  [
    'a limit that is not of one process is ignored',
    podOf('ulimits: { memlock: -1 }'),
    'warning lenient-value application.pods[0].ulimits.memlock',
  ],
  ['further groups are accepted', podOf('groups: [5, mail]'), 'valid'],
  ['what is no group is refused', podOf('groups: ["a b"]'), 'error bad-value application.pods[0].groups[0]'],
  [
    'a further name of a pod is the name of a host',
    podOf('extraHosts: { "a b": web }'),
    'error bad-value application.pods[0].extraHosts["a b"]',
  ],
  ['a name for a public address is accepted', podOf('extraHosts: { api.example.com: 8.8.8.8 }'), 'valid'],
  ...[
    '10.0.0.1',
    '169.254.169.254',
    '172.17.0.1',
    'fd00::1',
    '::ffff:10.0.0.1',
    'host-gateway',
    'nobody',
    '0.0.0.0',
    '8.8.8.08',
  ].map(
    (address): Row => [
      `a name for ${address} is refused`,
      podOf(`extraHosts: { other.local: "${address}" }`),
      'error bad-value application.pods[0].extraHosts["other.local"]',
    ],
  ),
  ['a setting of its own network is accepted', podOf('sysctls: { net.core.somaxconn: 1024 }'), 'valid'],
  ...[
    'kernel.core_pattern: x',
    'net.ipv4.ip_forward: 1',
    'vm.max_map_count: 1',
    'net.core.somaxconn: 99999',
    '__proto__: 1',
  ].map(
    (setting): Row => [
      `the kernel setting ${setting} is refused`,
      podOf(`sysctls: { ${setting} }`),
      `error bad-value application.pods[0].sysctls${/^\w+:/.test(setting) ? `.${setting.split(':')[0]}` : `["${setting.split(':')[0]}"]`}`,
    ],
  ),
  ['a health check may be a command', podOf("healthCheck: { command: 'pg_isready -U app' }"), 'valid'],
  ['a health check may be none', podOf('healthCheck: { disabled: true }'), 'valid'],
  [
    'a health check that is a path and a command is refused',
    podOf('healthCheck: { path: /, command: check }'),
    'error bad-value application.pods[0].healthCheck',
  ],
  [
    'a health check whose command names no program is refused',
    podOf('healthCheck: { command: [] }'),
    'error bad-value application.pods[0].healthCheck.command',
  ],
  [
    'a health check whose command is longer than 16 KiB is refused',
    podOf(`healthCheck: { command: ${'x'.repeat(17_000)} }`),
    'error bad-value application.pods[0].healthCheck.command',
  ],
  [
    'a health check whose command is run more rarely than every minute is read as that',
    podOf('healthCheck: { command: check, periodSeconds: 90 }'),
    'warning lenient-value application.pods[0].healthCheck.periodSeconds',
  ],
  [
    'what only a shell understands in the command of a health check is pointed out',
    podOf("healthCheck: { command: 'check || exit 1' }"),
    'warning shell-syntax application.pods[0].healthCheck.command',
  ],
  [
    'a scriptlet that is not known is refused in the command of a health check too',
    podOf('healthCheck: { command: [check, "<% NO %>"] }'),
    'error unknown-scriptlet application.pods[0].healthCheck.command[1]',
  ],
  [
    'a health check without a path is refused',
    podOf('healthCheck: { port: 80 }'),
    'error missing-field application.pods[0].healthCheck.path',
  ],
  [
    'dependsOn of no pod is refused',
    podsOf(`${web}\ndependsOn: [dbs]`, database),
    'error unknown-pod application.pods[0].dependsOn[0]',
  ],
  [
    'pods that wait for each other are refused',
    podsOf(`${web}\ndependsOn: [db]`, `${database}\ndependsOn: [web]`),
    'error dependency-cycle application.pods[0].dependsOn',
  ],
  [
    'a pod that waits for itself is refused',
    podsOf(`${web}\ndependsOn: [web]`),
    'error dependency-cycle application.pods[0].dependsOn',
  ],
  [
    'an unclosed quote in a command is refused',
    podOf('command: sh -c "echo'),
    'error unclosed-quote application.pods[0].command',
  ],
  [
    'a command for a shell that nobody starts is a warning',
    podOf('command: npm install && npm start'),
    'warning shell-syntax application.pods[0].command',
  ],
  ['a semicolon within a quoted argument is the program’s own', podOf(`command: "myproxy -g 'daemon off;'"`), 'valid'],
  ['a command with its shell is fine', podOf('command: sh -c "npm install && npm start"'), 'valid'],
  ['a shell as entrypoint is fine', podOf('entrypoint: /bin/sh\ncommand: -c "npm install && npm start"'), 'valid'],
  [
    'a word of a command that no program can be started with is refused',
    podOf(`command: sh -c "${'x'.repeat(128 * 1024)}"`),
    'error argument-too-long application.pods[0].command',
  ],
  [
    'a word of a command of as many bytes as Linux accepts is fine',
    podOf(`command: [sh, -c, "${'x'.repeat(128 * 1024 - 1)}"]`),
    'valid',
  ],
  [
    'bytes are counted, not letters, in the entrypoint too',
    podOf(`entrypoint: [sh, -c, "${'é'.repeat(64 * 1024)}"]`),
    'error argument-too-long application.pods[0].entrypoint',
  ],
  [
    'a word is counted with what its variables and scriptlets become',
    podOf(`vars: { A: ${'x'.repeat(40_000)} }\ncommand: [echo, "$\{A}$\{A}$\{A}${'<% URL %>'.repeat(100)}"]`),
    'error argument-too-long application.pods[0].command',
  ],
  [
    'a variable is counted with its name',
    podOf(`vars: { NAME: "${'x'.repeat(128 * 1024 - 5)}" }`),
    'error bad-var-value application.pods[0].vars.NAME',
  ],
  [
    'a variable of as many bytes as Linux accepts is fine',
    podOf(`vars: { NAME: "${'x'.repeat(128 * 1024 - 6)}" }`),
    'valid',
  ],
  ['a command as a list is fine, numbers too', podOf('command: [sleep, 3600]'), 'valid'],
  [
    "a command that repeats the image's entrypoint is a warning",
    podOf('command: ollama serve').replace('nginx:1', 'ollama/ollama:0.9'),
    'warning repeated-entrypoint application.pods[0].command',
  ],
  [
    'replicas of a database on one volume are a warning',
    podsOf(web, `${database}\nreplicas: 2`),
    'warning shared-data application.pods[1].replicas',
  ],

  // The form.
  [
    'an unknown field is ignored',
    podOf('favouriteColour: blue'),
    'warning unknown-field application.pods[0].favouriteColour',
  ],
  ['an extension needs no warning', podOf('x-note: mine'), 'valid'],
  [
    'pods beside the application are refused',
    'application:\n  name: shop\npods:\n  - name: web\n',
    'error misplaced-field pods',
  ],
  [
    'the older template is refused',
    'application:\n  template:\n    name: x\n',
    'error old-template-form application.template',
  ],
  ['no application is refused', 'name: shop\npods:\n  - name: web\n', 'error no-application'],
  ['nothing is refused', '', 'error empty'],
  ['comments alone are refused', '# a\n# b\n', 'error empty'],
  ['a list is refused', '- a\n', 'error not-a-map'],
  ['a text is refused', 'hello', 'error not-a-map'],
  [
    'a manifest of Kubernetes is refused by its name',
    'apiVersion: v1\nkind: Pod\nmetadata: { name: x }\n',
    'error foreign-form',
  ],
  [
    'pods as a map are refused',
    'application:\n  name: shop\n  pods:\n    web: { image: "nginx:1" }\n',
    'error wrong-type application.pods',
  ],
  ['no pods are refused', 'application:\n  name: shop\n  pods: []\n', 'error bad-value application.pods'],
  ['an empty key for pods is refused', 'application:\n  name: shop\n  pods:\n', 'error bad-value application.pods'],
  [
    '51 pods are refused',
    podsOf(...Array.from({ length: 51 }, (_, n) => `name: web${n}\nimage: nginx:1\npath: /${n}\nservicePorts: [80]`)),
    'error bad-value application.pods',
  ],
  [
    '50 pods are accepted',
    podsOf(...Array.from({ length: 50 }, (_, n) => `name: web${n}\nimage: nginx:1\npath: /${n}\nservicePorts: [80]`)),
    'valid',
  ],
];

for (const [sentence, text, verdict] of rows) {
  test(sentence, () => assert.equal(verdictOn(text), verdict));
}

test('all problems are reported at once, in document order', () => {
  const text = podsOf('name: Web\nimage: nginx\npath: /', 'name: api\nimage: me/api:1\npath: /\nservicePorts: [x]');
  assert.equal(
    verdictOn(text),
    [
      'warning inferred-port application.pods[0]',
      'error bad-name application.pods[0].name',
      'error image-without-tag application.pods[0].image',
      'error duplicate-path application.pods[1].path',
      'error wrong-type application.pods[1].servicePorts[0]',
    ].join('\n'),
  );
});

test('numbers and booleans keep the text they are written with', () => {
  const { vars } = firstPodOf(podOf('vars: { A: 1.10, B: 007, C: True, D: yes, E: 1e3, F: , G: "x", H: 0x1F, I: ~ }'));
  assert.deepEqual(vars, { A: '1.10', B: '007', C: 'True', D: 'yes', E: '1e3', F: '', G: 'x', H: '0x1F', I: '' });
});

test('variables come from the same pod, then from the pod that the value is about, then from any', () => {
  const { pods } = specOf(
    podsOf(
      `${web}\nvars: { OWN: a, A: "\${OWN}", B: "postgres://\${USER}@db2.pod/x", C: "\${ONLY}" }`,
      `${bareDatabase}\nvars: { USER: one, OWN: b }`,
      `${bareDatabase.replace('db', 'db2')}\nvars: { USER: two, ONLY: c }`,
    ),
  );
  assert.deepEqual(pods[0]!.vars, { OWN: 'a', A: 'a', B: 'postgres://two@db2.pod/x', C: 'c' });
});

test('a bare name and an alias say which pod a value is about', () => {
  const { pods } = specOf(
    podsOf(
      `${web}\nvars: { A: "postgres://u:\${PW}@db2/x", B: "host=second password=\${PW}" }`,
      `${bareDatabase}\nvars: { PW: one }`,
      `${bareDatabase.replace('db', 'db2')}\naliases: [second]\nvars: { PW: two }`,
    ),
  );
  assert.deepEqual(pods[0]!.vars, { A: 'postgres://u:two@db2/x', B: 'host=second password=two' });
});

test('a password that no pod has is one value in all pods, and one that a pod has is taken from there', () => {
  const { pods } = specOf(
    podsOf(
      `${web}\nvars: { A: "x:\${POSTGRES_PASSWORD}@db.pod", B: "\${JWT_SECRET}" }`,
      `${bareDatabase}\nvars: { POSTGRES_PASSWORD: "\${POSTGRES_PASSWORD}" }`,
      `${bareDatabase.replace('db', 'db2')}\nvars: { JWT_SECRET: known }`,
    ),
  );
  assert.deepEqual(pods[0]!.vars, { A: 'x:<% SECRET POSTGRES_PASSWORD %>@db.pod', B: 'known' });
  assert.deepEqual(pods[1]!.vars, { POSTGRES_PASSWORD: '<% SECRET POSTGRES_PASSWORD %>' });
});

test('variables that are made of each other become empty', () => {
  assert.deepEqual(firstPodOf(podOf('vars: { A: "${B}", B: "${A}x" }')).vars, { A: 'x', B: 'x' });
});

test('operators of variables are those of Compose, and $${ stands for ${', () => {
  const { vars } = firstPodOf(
    podOf(
      'vars: { SET: s, NONE: "", A: "${NONE:-d}", B: "${NONE-d}", C: "${SET:+yes}", D: "$${SET}", E: "${X:-${SET}}" }',
    ),
  );
  assert.deepEqual(vars, { SET: 's', NONE: '', A: 'd', B: '', C: 'yes', D: '${SET}', E: 's' });
});

test('${…} of a program in a file or in a shell stays its own', () => {
  const pod = firstPodOf(
    podOf(
      [
        'command: [sh, -c, "for i in 1 2; do echo ${i} ${HOME}; done"]',
        'files: [{ path: /a.js, content: "console.log(`${name}`)" }]',
        'secrets:',
        '  - name: code',
        '    fileName: b.js',
        '    data: |',
        '      console.log(`${PORT}`)',
        '      run()',
      ].join('\n'),
    ),
  );
  assert.deepEqual(pod.command, ['sh', '-c', 'for i in 1 2; do echo ${i} ${HOME}; done']);
  assert.deepEqual(
    pod.files.map(({ content }) => content),
    ['console.log(`${PORT}`)\nrun()\n', 'console.log(`${name}`)'],
  );
});

test('${NAME} in the command of a health check is replaced; in a shell, what the pod has itself is left to the shell', () => {
  const commandOf = (command: string) => {
    const { healthCheck } = firstPodOf(podOf(`vars: { KEY: k }\nhealthCheck: { command: ${command} }`));
    assert.ok(healthCheck && 'command' in healthCheck);
    return healthCheck.command;
  };
  assert.deepEqual(commandOf('"check --key ${KEY}"'), ['check', '--key', 'k']);
  assert.deepEqual(commandOf('[sh, -c, "check ${KEY} $${KEY}"]'), ['sh', '-c', 'check ${KEY} ${KEY}']);
});

test('a further name for another pod is a name of that pod', () => {
  const { pods } = specOf(podsOf(`${web}\nextraHosts: { db.local: db }`, database));
  assert.deepEqual([pods[0]?.container, pods[1]?.aliases], [undefined, ['db.local']]);
});

test('${NAME} in a command without a shell, and in a secret of one line, is replaced', () => {
  const pod = firstPodOf(
    podOf('vars: { KEY: k }\ncommand: run --key ${KEY}\nsecrets: [{ name: s, fileName: f, data: "${KEY}" }]'),
  );
  assert.deepEqual(pod.command, ['run', '--key', 'k']);
  assert.equal(pod.files[0]!.content, 'k');
});

test('a command as a text is split as POSIX does, and nothing is expanded', () => {
  const { command } = firstPodOf(podOf(`command: 'sh -c "echo $HOME $(date); exit" --flag=''a b'' c\\ d'`));
  assert.deepEqual(command, ['sh', '-c', 'echo $HOME $(date); exit', '--flag=a b', 'c d']);
});

test('a scriptlet in a command that is a text stays one, whatever its spacing, and so does one in quotes', () => {
  const words = (text: string) => {
    const { command, healthCheck } = firstPodOf(podOf(`command: '${text}'\nhealthCheck: { command: '${text}' }`));
    assert.deepEqual(healthCheck && 'command' in healthCheck && healthCheck.command, command);
    return command;
  };
  assert.deepEqual(words('serve <% URL %>'), ['serve', '<% URL %>']);
  assert.deepEqual(words('serve --url=<%URL%>/x --key "<%  SECRET KEY %>:a b" -h'), [
    ...['serve', '--url=<%URL%>/x', '--key', '<%  SECRET KEY %>:a b', '-h'],
  ]);
  assert.deepEqual(words('a "<%" b "%>"'), ['a', '<%', 'b', '%>']);
});

test('a scriptlet that is not known is refused in a command that is a text', () => {
  assert.match(findingIn(podOf('command: serve <% URLL %>'), 'unknown-scriptlet').hint!, /<% URL %>/);
});

test('a slip in the name of a field is recognised, and so are the names of other formats', () => {
  const hintOf = (lines: string) => findingIn(podOf(lines), 'unknown-field').hint;
  assert.equal(hintOf('volume: []'), 'did you mean "volumes"?');
  assert.equal(hintOf('health_check: { path: / }'), 'did you mean "healthCheck"?');
  assert.equal(hintOf('environment: { A: 1 }'), 'did you mean "vars"?');
  assert.equal(hintOf('ports: [80]'), 'did you mean "servicePorts"?');
  assert.match(hintOf('build: .')!, /nothing is built here/);
});

test('a bad name comes with one that is good', () => {
  assert.equal(findingIn(podOf('', 'My Shop!'), 'bad-name').hint, 'for example my-shop');
  assert.equal(findingIn(podOf('', '"2048"'), 'bad-name').hint, undefined);
  assert.equal(findingIn(podsOf(web.replace('web', 'Web_App')), 'bad-name').hint, 'for example web-app');
});

test('the hint for a missing pod names the one that is probably meant', () => {
  const hintOf = (value: string) =>
    findingIn(podsOf(`${web}\nvars: { DATABASE_URL: "${value}" }`, database), 'unknown-pod').hint;
  assert.equal(hintOf('postgres://u:p@postgres.pod/x'), 'did you mean db.pod?');
  assert.equal(hintOf('http://wbe.pod'), 'did you mean web.pod?');
  assert.equal(hintOf('http://nothing-like-it.pod'), 'the pods are web, db');
});

test('a variable for browsers gets the public address of the pod it means', () => {
  const api = 'name: api\nimage: me/api:1\npath: /api\nservicePorts: [3000]';
  const hintOf = (value: string) =>
    findingIn(podsOf(`${web}\nvars: { VITE_API: "${value}" }`, api), 'pod-in-browser').hint;
  assert.equal(hintOf('http://api.pod:3000'), 'write <% URL %>/api');
  assert.equal(hintOf('http://api.pod:3000/api/v1'), 'write <% URL %>/api/v1');
  assert.equal(hintOf('http://api:3000/v1'), 'write <% URL %>/api/v1');
});

test('a path of the native form is the same with and without its slash at the end', () => {
  assert.equal(firstPodOf(podOf('').replace('path: /', 'path: /api/')).path, '/api');
});

test('an image is pulled in lower case, its tag as it is', () => {
  assert.equal(firstPodOf(podOf('').replace('nginx:1', 'ghcr.io/Me/App:V1')).image, 'ghcr.io/me/app:V1');
});

test('PostgreSQL from 18 on keeps its data on the volume of the earlier ones', () => {
  const varsOf = (image: string) => specOf(podsOf(web, bareDatabase.replace('postgres:16', image))).pods[1]!.vars;
  assert.deepEqual(varsOf('postgres:18-alpine'), { PGDATA: '/var/lib/postgresql/data/pgdata' });
  assert.deepEqual(varsOf('postgres:latest'), { PGDATA: '/var/lib/postgresql/data/pgdata' });
  assert.deepEqual(varsOf('postgres:17'), {});
  assert.deepEqual(varsOf('ghcr.io/me/my-postgres:18'), {});
});

test('a list of pods without a public path hides no error of the pods in it', () => {
  const text = podsOf('name: web\nimage: nginx\nservicePorts: [80]');
  const { diagnostics } = parseConfiguration(text);
  assert.deepEqual(
    diagnostics.filter(({ severity }) => severity === 'error').map(({ code }) => code),
    ['no-public-path', 'image-without-tag'],
  );
});

test('no processor and no memory at all are refused, once each, without a warning beside it', () => {
  const text = podsOf(`${web}\nresources: { limits: { cpu: 0, memory: 0 } }`);
  const { diagnostics } = parseConfiguration(text);
  assert.deepEqual(
    diagnostics.map(({ severity, path }) => `${severity} ${path}`),
    ['error application.pods[0].resources.limits.cpu', 'error application.pods[0].resources.limits.memory'],
  );
});

test('a variable made of itself is called that, not missing', () => {
  const said = (vars: string) => findingIn(podOf(`vars: { ${vars} }`), 'unset-variable');
  assert.equal(said('A: "x${A}"').message, 'A leads back to itself: it becomes empty');
  assert.equal(said('A: "${B}", B: "${A}"').message, 'A leads back to itself: it becomes empty');
  assert.equal(said('A: "${A}"').message, 'A has no value: it becomes empty');
  assert.equal(said('A: "${A}"').hint, 'write its value, or ${A:-default}');
  for (const name of ['COOKIE_DOMAIN', 'ALLOWED_HOSTS', 'VIRTUAL_HOST']) {
    assert.match(said(`${name}: "\${${name}}"`).hint!, /, or <% HOST %> where/);
  }
  assert.doesNotMatch(said('SMTP_HOST: "${SMTP_HOST}"').hint!, /<%/);
  assert.equal(said('A: "${B}"').message, 'no pod has B: it becomes empty');
});

test('generated passwords are told of by their names, once', () => {
  const said = (vars: string) => findingIn(podOf(`vars: { ${vars} }`), 'generated-value');
  assert.equal(said('ADMIN_PASSWORD: "${ADMIN_PASSWORD}"').message, 'ADMIN_PASSWORD gets a generated password');
  assert.match(said('ADMIN_PASSWORD: "${ADMIN_PASSWORD}"').hint!, /^it is the same in all pods and stays/);
  assert.equal(
    said('A: "${ADMIN_PASSWORD}", B: "${JWT_SECRET}"').message,
    'ADMIN_PASSWORD and JWT_SECRET get generated values',
  );
  const many = Array.from({ length: 9 }, (_, n) => `A${n}: "\${JWT_${n}_PASSWORD}"`).join(', ');
  assert.match(said(many).message, /^JWT_0_PASSWORD, .*JWT_4_PASSWORD and 4 more get generated passwords$/);
});
