/** `berth` as it is installed, without an account, against a real service on the engine in memory. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Berth, createBerth, until } from '../scenarios/berth.ts';
import { installPacked, type Packed } from './packed.ts';

const yaml = `application:
  name: shop
  pods:
    - { name: web, image: "nginx:1", path: /, servicePorts: [80] }
`;
const digest = `nginx@sha256:${'a'.repeat(64)}`;

let packed: Packed;
let berth: Berth;
let folder: string;
before(async () => {
  packed = await installPacked();
  berth = await createBerth({ BERTH_ENGINE: 'memory', BERTH_DISK_FREE: '1Mi' });
  await berth.serve();
  folder = await mkdtemp(join(tmpdir(), 'berth-cli-'));
  await writeFile(join(folder, 'app.yaml'), yaml.replace('nginx:1', digest));
});
after(async () => {
  await berth?.destroy();
  await packed?.remove();
  await rm(folder, { recursive: true, force: true });
});

const server = () => berth.settings.baseUrl.origin;
const cli = (words: string[], env: Record<string, string> = {}) =>
  packed.start(words, { cwd: folder, env: { BERTH_SERVER: server(), ...env } }).ended;

test('from a file to a live URL, an update, and its end', async () => {
  const deployed = await cli(['deploy', 'app.yaml']);
  assert.equal(deployed.status, 0, deployed.stderr);
  assert.match(deployed.stdout, /shop: running\n {2}http:\/\/[a-z-]+\.localhost:\d+\n/);
  assert.match(deployed.stdout, /It ends in .*"berth extend".*"berth claim"/);
  assert.ok(!`${deployed.stdout}${deployed.stderr}`.includes('\u001b'));
  assert.equal((await stat(join(folder, '.berth/config.json'))).mode & 0o777, 0o600);
  const memory = JSON.parse(await readFile(join(folder, '.berth/config.json'), 'utf8'));
  assert.ok(!`${deployed.stdout}${deployed.stderr}`.includes(memory.sessionToken));

  const status = await cli(['status', '--wait', '--json']);
  const reported = JSON.parse(status.stdout);
  assert.deepEqual([status.status, reported.status.state, reported.status.revision], [0, 'running', 1]);
  assert.match(
    (await cli(['list'])).stdout,
    /^APPLICATION +ENVIRONMENT +STATE +URL +ENDS IN\nshop +\S+ +running +http/,
  );
  assert.match((await cli(['whoami'])).stdout, /a session, by its token\ndeployments: 1 of/);
  assert.match((await cli(['version'])).stdout, /^berth (\d\S*) .*\n.* answers, Berth \1\n$/);

  const exported = await cli(['export']);
  assert.match(exported.stdout, /^name: shop\nservices:\n {2}web:\n {4}image: nginx@sha256:/, exported.stderr);
  assert.match((await cli(['export', 'kubernetes'])).stdout, /^kind: Deployment$/m);
  assert.equal((await cli(['export', 'helm'])).status, 2);

  await writeFile(
    join(folder, 'next.yaml'),
    yaml.replace('nginx:1', digest).replace('servicePorts', 'vars: {A: b}, servicePorts'),
  );
  const preview = await cli(['preview', 'next.yaml']);
  assert.match(preview.stdout, /^replaced +web: /, preview.stderr);
  assert.match((await cli(['deploy', 'next.yaml', '--dry-run'])).stdout, /dry run/);
  const updated = await cli(['deploy', 'next.yaml', '--json']);
  assert.equal(updated.status, 0, updated.stderr);
  assert.equal(JSON.parse(updated.stdout).status.revision, 2);
  assert.equal(JSON.parse(updated.stdout).url, memory.url);
  assert.equal((await cli(['update', 'app.yaml', '--no-wait'])).stdout, `${memory.url}\n`);

  await cli(['status', '--wait']);
  const history = await cli(['revisions']);
  assert.match(
    history.stdout,
    /^REVISION +REQUESTED AT +BY +STATE +AFTER +PODS +COMMIT\n3 .* session token +running \(serving\) +[\d.]+ s +~web\n2 /,
  );
  const planned = await cli(['rollback', '1', '--dry-run']);
  assert.equal(planned.stdout, 'shop as it was in revision 1:\nunchanged  web: nothing changes\n', planned.stderr);
  const back = await cli(['rollback', '--json']);
  assert.deepEqual([back.status, JSON.parse(back.stdout).status.revision], [0, 4], back.stderr);
  const [last] = JSON.parse((await cli(['revisions', '--json'])).stdout).revisions;
  assert.deepEqual([last.number, last.repeats, last.state, last.isServing], [4, 2, 'running', true]);
  assert.equal((await cli(['rollback', '99'])).status, 1);
  assert.equal((await cli(['rollback', 'last'])).status, 2);

  const measured = await cli(['metrics']);
  assert.equal(measured.status, 0, measured.stderr);
  assert.match(
    measured.stdout,
    /^(POD +PROCESSOR +MEMORY +IN +OUT +UP +RESTARTS\nweb |\nOf the last minute|\nOver the last minute)/,
  );
  assert.equal(JSON.parse((await cli(['metrics', '--json'])).stdout).stepSeconds, 10);

  const logs = await cli(['logs', 'web', '--tail', '5']);
  assert.equal(logs.status, 0, logs.stderr);
  assert.match((await cli(['logs', 'nobody'])).stderr, /no such pod/);
  assert.match((await cli(['restart', 'nothing'])).stderr, /has no pod nothing\.[\s\S]*It has web/);
  assert.match((await cli(['restart', 'web'])).stdout, /shop: running/);
  assert.match((await cli(['stop'])).stdout, /^shop is stopped\. "berth start" starts it again\./);
  assert.match((await cli(['status'])).stdout, /shop: stopped/);
  assert.match((await cli(['start'])).stdout, /shop: running/);
  assert.match((await cli(['extend'])).stdout, /has been extended/);
  assert.equal((await cli(['share', 'show'])).status, 1);
  assert.equal((await cli(['share', 'it'])).status, 2);
  const shared = await cli(['share']);
  assert.match(shared.stdout, /^http:\/\/\S+\/shared\/share_\S+\n$/, shared.stderr);
  assert.equal((await cli(['share', 'show'])).stdout, shared.stdout);
  const seen = async () => (await fetch(shared.stdout.trim().replace('/shared/', '/api/shared/'))).status;
  assert.equal(await seen(), 200);
  assert.equal(JSON.parse((await cli(['share', '--json'])).stdout).url, shared.stdout.trim());
  assert.equal((await cli(['share', 'revoke'])).stdout, 'The share link of shop is revoked.\n');
  assert.equal(await seen(), 404);
  assert.match((await cli(['hold'])).stderr, /plan/);
  // As after a request by an account whose plan allows it.
  await berth.query((db) => db.updateTable('deployments').set({ heldAt: Date.now() }).execute());
  assert.match((await cli(['release'])).stdout, /^Application shop is no longer held\. It keeps running until /);
  assert.match((await cli(['release'])).stdout, /^Application shop was not held\. /);
  assert.match((await cli(['claim'])).stdout, /^http:\/\/\S+\/claim\/claim_\S+\n$/);

  assert.match((await cli(['events'])).stdout, /^\S+ intent +started$/m);
  const following = packed.start(['events', '--follow', '--json'], { cwd: folder, env: { BERTH_SERVER: server() } });
  await following.spoken;
  const unsure = await cli(['remove']);
  assert.deepEqual([unsure.status, unsure.stdout], [2, '']);
  assert.equal((await cli(['remove', '--yes'])).stdout, 'shop is removed.\n');
  const events = await following.ended;
  const kinds = events.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.equal(events.status, 0, events.stderr);
  assert.ok(kinds.some(({ kind, state }) => kind === 'state' && state === 'running'));
  assert.ok(kinds.some(({ kind, state }) => kind === 'state' && state === 'expired'));

  const gone = await cli(['status', '--app', 'shop', '--json']);
  assert.deepEqual([gone.status, JSON.parse(gone.stdout).code], [1, 'session_not_found']);
  const again = await cli(['deploy', 'app.yaml']);
  assert.equal(again.status, 0, again.stderr);
  const another = await cli(['deploy', 'app.yaml', '--new']);
  assert.match(another.stderr, /no longer remembers http.*its token is kept in \.berth\/earlier\.json/);
  const left = join(folder, '.berth/earlier.json');
  assert.equal((await stat(left)).mode & 0o777, 0o600);
  const [{ sessionToken }] = JSON.parse(await readFile(left, 'utf8'));
  assert.ok(!another.stderr.includes(sessionToken));
  const [kept, known] = [await readFile(left, 'utf8'), await readFile(join(folder, '.berth/config.json'), 'utf8')];
  await writeFile(left, '{');
  assert.match((await cli(['deploy', 'app.yaml', '--new'])).stderr, /earlier\.json is not a JSON list/);
  const { starting } = JSON.parse(await readFile(join(folder, '.berth/config.json'), 'utf8'));
  assert.deepEqual(
    [starting, JSON.parse(known).starting],
    [undefined, undefined],
    'no confirmation, because no data can be lost',
  );
  await writeFile(left, kept);
  assert.equal((await cli(['remove', '--yes', '--app', 'shop', '--token', sessionToken])).status, 0);
  assert.equal((await cli(['remove', '--yes'])).status, 0);
});

test('what cannot be done ends with a status that says why, and a sentence', async () => {
  const cases: [words: string[], status: number, said: RegExp][] = [
    [['deploy', 'none.yaml'], 2, /none\.yaml: the file does not exist/],
    [['deploy'], 2, /Write: berth deploy FILE/],
    [['status', '--server', 'http://127.0.0.1:1', '--token', 'x', '--app', 'y'], 3, /does not answer/],
    [['status', '--server', 'ftp://a'], 2, /not the address of a service/],
    [['list', '--token', 'berth_x'], 1, /No session has this token/],
    [['admin', 'accounts'], 2, /on the machine of the service/],
    [['completion', 'fish'], 2, /not available for fish/],
  ];
  for (const [words, status, said] of cases) {
    const outcome = await cli(words);
    assert.deepEqual([outcome.status, outcome.stdout], [status, ''], words.join(' '));
    assert.match(outcome.stderr, said);
  }
  await writeFile(join(folder, 'bad.yaml'), 'application:\n  name: shop\n');
  const bad = await cli(['deploy', 'bad.yaml', '--new']);
  assert.equal(bad.status, 1);
  assert.match(bad.stderr, /^The configuration is refused:\n {2}\d+:\d+ application/);
  await writeFile(join(folder, 'typo.yaml'), yaml.replace('pods:', 'pod:'));
  const { stderr } = await cli(['deploy', 'typo.yaml', '--new']);
  assert.match(
    stderr,
    /^The configuration is refused:\n {2}.*pods: is missing\n {2}warning: .*pod: .*did you mean "pods"/,
  );
  assert.equal(stderr.trimEnd().split('\n').length, 3, stderr);
});

test('who waits for a deployment goes on when a service that was killed is back', async () => {
  const elsewhere = await mkdtemp(join(tmpdir(), 'berth-cli-'));
  await writeFile(join(elsewhere, 'app.yaml'), yaml.replace('nginx:1', digest));
  const start = (...words: string[]) => packed.start(words, { cwd: elsewhere, env: { BERTH_SERVER: server() } });
  assert.equal((await start('deploy', 'app.yaml').ended).status, 0);
  await berth.end('SIGKILL');
  const waiting = start('status', '--wait');
  await until('it says so', async () => /Trying again/.test(waiting.told().stderr) || undefined);
  await berth.serve();
  const { status, stdout, stderr } = await waiting.ended;
  assert.deepEqual([status, /^shop: running/.test(stdout)], [0, true], stderr);
  assert.equal((await start('remove', '--yes', '--forget').ended).status, 0);
  await rm(elsewhere, { recursive: true });
});

test('templates are listed, printed and written into a folder, where they can be checked', async () => {
  const listed = await cli(['templates', '--search', 'queue workers']);
  assert.match(listed.stdout, /^NAME +WHAT IT IS +TAGS\nqueue +A page that takes jobs/, listed.stderr);
  assert.equal((await cli(['templates', '--search', 'nothing like this'])).status, 1);
  const elsewhere = await mkdtemp(join(tmpdir(), 'berth-cli-'));
  try {
    const at = (words: string[]) => packed.start(words, { cwd: elsewhere, env: { BERTH_SERVER: server() } }).ended;
    const printed = await at(['templates', 'queue']);
    const written = await at(['init', '--template', 'queue']);
    assert.match(
      written.stdout,
      /^Wrote berth\.yaml: Queue with workers\.\nNext: "berth up" starts it\./,
      written.stderr,
    );
    assert.equal(await readFile(join(elsewhere, 'berth.yaml'), 'utf8'), printed.stdout);
    assert.equal((await at(['validate', 'berth.yaml'])).status, 0);
    const again = await at(['init', '--template', 'queue']);
    assert.deepEqual([again.status, /the file already exists/.test(again.stderr)], [2, true]);
    const unknown = await at(['init', '--template', 'no-such']);
    assert.deepEqual([unknown.status, /No template has the name "no-such"/.test(unknown.stderr)], [1, true]);
  } finally {
    await rm(elsewhere, { recursive: true });
  }
});

test('Ctrl-C leaves a sentence, and the same command again is the same start', async () => {
  const keys: (string | undefined)[] = [];
  let received = () => {};
  const deaf = createServer((request) => {
    keys.push(request.headers['idempotency-key'] as string | undefined);
    received();
  });
  await new Promise<void>((resolve) => deaf.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(deaf.address() as AddressInfo).port}`;
  const elsewhere = await mkdtemp(join(tmpdir(), 'berth-cli-'));
  try {
    await writeFile(join(elsewhere, 'app.yaml'), yaml);
    for (const _ of [1, 2]) {
      const requested = new Promise<void>((resolve) => {
        received = resolve;
      });
      const running = packed.start(['deploy', 'app.yaml'], { cwd: elsewhere, env: { BERTH_SERVER: address } });
      await requested;
      running.interrupt();
      const { status, stdout, stderr } = await running.ended;
      assert.deepEqual([status, stdout], [130, ''], stderr);
      assert.match(stderr, /^Interrupted before the service answered: run the same command again/);
    }
    assert.equal(keys.length, 2);
    assert.ok(keys[0] !== undefined && keys[0] === keys[1]);
  } finally {
    deaf.closeAllConnections();
    deaf.close();
    await rm(elsewhere, { recursive: true });
  }
});
