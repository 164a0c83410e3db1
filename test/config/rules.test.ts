/** Documents of the native form: their specs, and the messages about their errors. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseConfiguration } from '../../src/config/parse.ts';
import { bareDatabase, database, findingIn, firstPodOf, podOf, podsOf, specOf, verdictOn, web } from './documents.ts';

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

test('numbers, booleans and dates keep the text they are written with', () => {
  assert.deepEqual(firstPodOf(podOf('vars: { A: !!timestamp 2026-01-02, B: 2026-01-02 }')).vars, {
    A: '2026-01-02',
    B: '2026-01-02',
  });
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

test('a scriptlet in a command that is a text stays one, with any spacing, and so does one in quotes', () => {
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
  assert.match(
    hintOf('build: .')!,
    /^this document does not contain its source: send the project folder as an archive/,
  );
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

test('a worker alone is reported with what else it needs, but not with serving pages', () => {
  const hintOf = (text: string) =>
    parseConfiguration(text).diagnostics.find(({ code }) => code === 'no-public-path')?.hint ?? '';
  assert.match(hintOf(podsOf('name: ticker\nimage: "busybox:1"')), /next to a pod with a "path".*"resourceType: job"/);
  assert.match(hintOf(podsOf('name: web\nimage: "nginx:1"\nservicePorts: [80]')), /^add "path: \/"/);
});

test('zero processor and zero memory are refused, once each, without a further warning', () => {
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

test('generated passwords are reported by their names, once', () => {
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
