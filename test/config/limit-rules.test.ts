/** The rules of the native form about limits, life and the form itself: what is written, and what is said. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { database, podOf, podsOf, verdictOn, web } from './documents.ts';

type Row = [sentence: string, text: string, verdict: string];

const rows: Row[] = [
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
  ['an invalid signal is refused', podOf('stopSignal: STOP'), 'error bad-value application.pods[0].stopSignal'],
  [
    'more than 30 s for a stop are refused',
    podOf('stopGraceSeconds: 31'),
    'error bad-value application.pods[0].stopGraceSeconds',
  ],
  ['a limit of a process is accepted', podOf('ulimits: { nofile: 100, cpu: { soft: 1, hard: 2 } }'), 'valid'],
  [
    'a limit of open files above the default is lowered, with a warning',
    podOf('ulimits: { nofile: 65536 }'),
    'warning lenient-value application.pods[0].ulimits.nofile',
  ],
  ...['-2', '{ soft: 0, hard: -9223372036854 }', '{ soft: -1, hard: 100 }', '{ soft: 2, hard: 1 }'].map(
    (limit): [string, string, string] => [
      `${limit} is not a valid limit of a process`,
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
  ['an invalid group is refused', podOf('groups: ["a b"]'), 'error bad-value application.pods[0].groups[0]'],
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
  ['a health check may be a start period alone', podOf('healthCheck: { startPeriodSeconds: 90 }'), 'valid'],
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
    'a shell command without a shell is a warning',
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
    'pods outside of the application are refused',
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
