/** Documents made after public bug reports of similar services: what is said of each, and what it becomes. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseConfiguration } from '../../src/config/parse.ts';
import { printSpec } from '../../src/config/spec/print-spec.ts';
import { readFolder } from '../../src/folder/read-folder.ts';

async function report(file: string) {
  const parsed = parseConfiguration(await readFile(join(import.meta.dirname, 'reports', file), 'utf8'));
  const said = parsed.diagnostics.map(
    ({ severity, code, line, message, hint }) => `${severity} ${code} ${line}: ${message} (${hint})`,
  );
  const pods = parsed.kind === 'valid' ? parsed.spec.pods : [];
  return { said, pods, varsOf: (name: string) => pods.find((pod) => pod.name === name)?.vars };
}

test('of a dollar sign that means no variable it is said how to write it', async () => {
  const { said } = await report('02-bcrypt.yaml');
  assert.deepEqual(said, [
    'warning unset-variable 7: the variables uGiLGJaXP0abc, def have no value and become empty (write $$uGiLGJaXP0abc, $$def for a dollar sign itself)',
  ]);
  const inFile = await report('66-config-dollar.yaml');
  assert.deepEqual(inFile.said, [
    'warning unset-variable 9: the variables host, request_uri have no value and become empty (write $$host, $$request_uri for a dollar sign itself)',
  ]);
});

test('what shares the environment of a database is not made up with its password', async () => {
  const { said, varsOf } = await report('27-shared-env-db.yaml');
  const secret = { POSTGRES_PASSWORD: '<% SECRET POSTGRES_PASSWORD %>' };
  const all = { ...secret, APPLE_CLIENT_SECRET: '', SPACES_KEY: '', SMTP_PASSWORD: '' };
  assert.deepEqual([varsOf('web'), varsOf('db')], [all, all]);
  assert.match(
    said.find((line) => line.includes('missing-key'))!,
    /^warning missing-key \d+: the variables APPLE_CLIENT_SECRET, SPACES_KEY, SMTP_PASSWORD have no value and become empty/,
  );
});

test('a variable alone in an environment is not set, and not said to be empty', async () => {
  const { said, varsOf } = await report('32-port-env.yaml');
  assert.deepEqual(varsOf('web'), { HOST: '0.0.0.0' });
  assert.match(said.find((line) => line.includes('unset-variable'))!, /the variable PORT has no value and is not set/);
});

test('of a number or a duration without a value the variable is the error', async () => {
  const { said } = await report('60-unset-duration.yaml');
  const needed = (name: string, what: string) =>
    `the variable ${name} has no value, and ${what} is needed here (write x-berth: { vars: { ${name}: … } } at the top of the document, or \${${name}:-default})`;
  assert.deepEqual(
    said.filter((line) => line.startsWith('error')).map((line) => line.replace(/^error required-variable \d+: /, '')),
    [
      needed('HC_INTERVAL', 'a duration'),
      needed('HC_RETRIES', 'a whole number'),
      needed('WEB_REPLICAS', 'a whole number'),
    ],
  );
});

test('inboxes without a password are warned of when they are public, and a port of gRPC gets no route', async () => {
  const { said, pods } = await report('38-mail-tools.yaml');
  const tools = said.flatMap((line) => /everyone can reach (\S+) at/.exec(line)?.[1] ?? []);
  assert.deepEqual(tools, ['MailCatcher', 'Mailpit', 'MailHog']);
  assert.equal(pods.find(({ name }) => name === 'temporal')?.path, undefined);
});

test('files have the owner and the mode that the document says, and a container the name', async () => {
  const { said, pods } = await report('08-nonroot-secret.yaml');
  assert.deepEqual(said, []);
  assert.deepEqual(
    pods[0]!.files.map(({ content: _, ...file }) => file),
    [
      { path: '/run/secrets/plain', isSecret: true },
      { path: '/run/secrets/own', isSecret: true, mode: '400', user: 1000, group: 1000 },
      { path: '/etc/app/abs.key', isSecret: true, mode: '440' },
      { path: '/usr/local/bin/run.sh', isSecret: false, mode: '755' },
    ],
  );
  const broker = (await report('04-hostname.yaml')).pods.find(({ name }) => name === 'rabbit-mq');
  assert.deepEqual(broker?.container, { hostname: 'broker1', domainname: 'example.org' });
});

test('a native document gives files a mode too, and reads back what it prints', () => {
  const text = `application:
  name: modes
  pods:
    - { name: web, image: "a:1", path: /, servicePorts: [80], files: [{ path: /run.sh, content: x, mode: 0755 }, { path: /b, content: y, mode: "0640", group: 33 }] }
`;
  const parsed = parseConfiguration(text);
  assert.ok(parsed.kind === 'valid', JSON.stringify(parsed.diagnostics));
  assert.deepEqual(
    parsed.spec.pods[0]!.files.map(({ mode, group }) => [mode, group]),
    [
      ['755', undefined],
      ['640', 33],
    ],
  );
  const again = parseConfiguration(printSpec(parsed.spec));
  assert.deepEqual(again.kind === 'valid' && again.spec, parsed.spec);
});

test('a space after the colon of a volume or a port is named', async () => {
  const { said } = await report('55-shapes.yaml');
  assert.deepEqual(
    said.filter((line) => line.startsWith('error')),
    [
      'error bad-port 6: "0:5555" is not a port (for example "80", "8080:80" or "127.0.0.1:8080:80/tcp")',
      'error bad-mount-path 11: "data: /data" is a map, because of the space after its colon (write data:/data, without spaces)',
    ],
  );
  const ports = parseConfiguration('services: { web: { image: "a:1", ports: [8080 : 80] } }').diagnostics;
  assert.ok(ports.some(({ message }) => message === '"8080: 80" is a map, because of the space after its colon'));
});

test('the refusal of a GPU stands at the field of the Compose file', async () => {
  const text = await readFile(join(import.meta.dirname, 'reports/48-cpu-mem.yaml'), 'utf8');
  const refusal = {
    pod: 0,
    field: ['useGPU'],
    code: 'beyond-limit' as const,
    message: 'no GPUs',
    hint: 'leave it out',
  };
  const { diagnostics } = parseConfiguration(text, { judge: () => [refusal] });
  const { line, path } = diagnostics.find(({ code }) => code === 'beyond-limit')!;
  assert.deepEqual([line, path], [9, 'services.web.deploy.resources.reservations.devices[0]']);
});

test('a script that is not executable, or has Windows line endings, gets a warning before it runs', async () => {
  assert.deepEqual((await report('68-script-noexec.yaml')).said, [
    'warning not-executable 10: the entrypoint "/app/run.sh" is a file that cannot be executed (write mode: "0755" on the file, or sh /app/run.sh as the entrypoint)',
  ]);
  const crlf = parseConfiguration(
    'application: { name: crlf, pods: [{ name: web, image: "a:1", path: /, servicePorts: [80], entrypoint: /e.sh, files: [{ path: /e.sh, mode: "0755", content: "#!/bin/sh\\r\\nexec web\\r\\n" }] }] }',
  );
  assert.deepEqual(
    crlf.diagnostics.map(({ code }) => code),
    ['windows-line-endings'],
  );
});

test('scalars reach a program as they are written, and those without a value are not set', async () => {
  const { said, varsOf } = await report('01-scalars.yaml');
  const { YES, OCT, SEXA, EXP, FLOAT, BIG, NULLV, TILDE, EMPTY, EMPTYQ, DOUBLE } = varsOf('web')!;
  assert.deepEqual([YES, OCT, SEXA, EXP, FLOAT, BIG], ['yes', '0777', '22:22', '1e3', '1.10', '12345678901234567890']);
  assert.deepEqual([NULLV, TILDE, EMPTY, EMPTYQ, DOUBLE], [undefined, undefined, undefined, '', '$2b$12$Pg8A.R220']);
  assert.match(said.join(), /the variables NULLV, TILDE, EMPTY have no value and are not set/);
});

test('a dollar sign that begins no variable is found in .env and in env_file', async () => {
  const { document, notes, questions } = await readFolder(join(import.meta.dirname, 'reports/64-env-dollar'));
  const parsed = parseConfiguration(document);
  const vars = parsed.kind === 'valid' ? parsed.spec.pods[0]?.vars : undefined;
  assert.deepEqual([vars, questions], [{ SECRET: 'x', PW: 'abc' }, []]);
  const hint = (name: string) => `write $$${name} for a dollar sign itself, or put the value in single quotes`;
  assert.deepEqual(
    notes.filter(({ code }) => code === 'unset-variable').map(({ at, hint }) => [at?.file, hint]),
    [
      ['.env', hint('def')],
      ['app.env', hint('yz')],
    ],
  );
});

test('a mounted script with Windows line endings gets a warning before it runs', async () => {
  const { notes } = await readFolder(join(import.meta.dirname, 'reports/69-crlf-entrypoint'));
  assert.match(
    notes.find(({ code }) => code === 'windows-line-endings')?.message ?? '',
    /^the script entry\.sh has Windows line endings \(CRLF\)/,
  );
});
