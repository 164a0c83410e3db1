import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { createScene } from '../../../test/contract/scene.ts';
import { type TestApi, testApi } from '../../../test/support/api.ts';
import { createTestEngine } from '../../../test/support/memory-engine.ts';
import { startShopWeb } from '../../../test/support/running-shop.ts';
import { addAuditEntry, auditEntries } from '../../store/audit-log.ts';
import { deploymentById } from '../../store/deployments.ts';
import { revisionOf } from '../../store/revisions.ts';
import { desiredOf } from '../deployments/stored-revision.ts';

const strangers = { perSession: 10, perAddress: 10, memoryBytesPerAddress: 2 ** 40, allowsExec: true };

let api: TestApi;
let sessionToken: string;
beforeEach(async () => {
  api = await testApi({ strangers });
  sessionToken = await startShopWeb(api);
});

const run = (command: string[], more: object = {}) =>
  api.postJson('/execInPod', { applicationName: 'shop', pod: 'web', sessionToken, command, ...more });

test('a command returns its output and its exit code', async () => {
  const { status, body } = await run(['sh', '-c', 'echo one; echo two >&2; exit 3']);
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(body, { exitCode: 3, ended: 'by-itself', stdout: 'one\n', stderr: 'two\n', replica: 0 });
  assert.equal((await run(['cat'], { stdin: 'what it reads' })).body.stdout, 'what it reads');
});

test('a command without an end is killed, also with endless output, and its output is returned', async () => {
  const { body } = await run(['sleep', '1000'], { timeoutSeconds: 1 });
  assert.deepEqual([body.ended, body.exitCode], ['timed-out', null]);
  const lines = 'echo 0123456789012345678901234567890123456789;'.repeat(300);
  const flood = await run(['sh', '-c', `${lines} exit 0`]);
  assert.equal(flood.body.ended, 'by-itself');
  for (const left of [0, 1]) assert.equal((await run(['sh', '-c', `exit ${left}`])).body.exitCode, left);
});

test('without a claim commands are refused with a hint, unless the operator allows them', async () => {
  api = await testApi();
  sessionToken = await startShopWeb(api);
  const { status, body } = await run(['sh']);
  assert.deepEqual([status, body.code], [403, 'exec_not_allowed']);
  assert.match(body.hint, /Claim the deployment/);
  assert.equal((await api.get(`/api/limits?sessionToken=${sessionToken}`)).body.exec, false);
  assert.deepEqual(await auditEntries(api.service.db), []);
});

test('an engine without the facet says so', async () => {
  delete api.service.engine.exec;
  const { status, body } = await run(['sh']);
  assert.deepEqual([status, body.code], [403, 'exec_not_allowed']);
  assert.match(body.error, /runs no commands in pods/);
  assert.equal((await api.get(`/api/limits?sessionToken=${sessionToken}`)).body.exec, false);
});

test('it is noted before it runs: by whom, where, with which program, and never with its arguments', async () => {
  await run(['sh', '-c', 'echo password']);
  await run(['no\u001bsuch program']);
  const [first, second] = await auditEntries(api.service.db);
  const { id, sessionId } = await api.service.db.selectFrom('deployments').selectAll().executeTakeFirstOrThrow();
  assert.deepEqual(
    { ...first },
    {
      number: 1,
      at: api.clock.now,
      actor: `session ${sessionId}`,
      action: 'exec',
      subject: id,
      reason: 'pod web: sh with 2 arguments, from unknown',
    },
  );
  assert.equal(second!.reason, 'pod web: no?such?program, from unknown');
  assert.ok(!api.lines.some((line) => line.includes('password')));
});

test('commands are kept for 90 days, and actions of operators forever', async () => {
  const { db } = api.service;
  const ban = { actor: 'root', action: 'ban', subject: 'nginx:1', reason: 'tests' };
  await addAuditEntry(db, { at: api.clock.now, ...ban });
  await run(['sh', '-c', 'exit 0']);
  api.clock.now += 91 * 86_400_000;
  await db.updateTable('deployments').set({ expiresAt: null }).execute();
  await run(['sh', '-c', 'exit 0']);
  assert.deepEqual(
    (await auditEntries(db)).map(({ number, action }) => [number, action]),
    [
      [1, 'ban'],
      [3, 'exec'],
    ],
  );
});

test('a pod that is not there, one that does not run, and a program that is not in its image are refused in words', async () => {
  const absent = await run(['sh'], { pod: 'nothing' });
  assert.deepEqual([absent.status, absent.body.code, absent.body.hint], [400, 'invalid_request', 'It has web.']);
  const replica = await run(['sh'], { replica: 7 });
  assert.deepEqual([replica.status, replica.body.code], [409, 'pod_not_running']);
  const program = await run(['no-such-program']);
  assert.deepEqual([program.status, program.body.code], [409, 'command_not_started']);
  assert.match(program.body.error, /"no-such-program" cannot be run: its image does not contain this program/);
  for (const command of [[], 'sh', [1]] as unknown[])
    assert.equal((await run(command as string[])).status, 400, JSON.stringify(command));
});

test('while one container takes the place of another it runs in the one that is wanted, the older one after a rollback', async () => {
  const { service } = api;
  const { exec } = service.engine;
  const ran: string[] = [];
  service.engine.exec = {
    start(name, request) {
      ran.push(name);
      return exec!.start(name, request);
    },
  };
  const { id } = await service.db.selectFrom('deployments').select('id').executeTakeFirstOrThrow();
  const scene = createScene(createTestEngine({ world: api.world }), 'nginx:1', id);
  const newest = scene.workload('web', { revision: 9 });
  await scene.start(newest);
  await run(['true']);
  const [deployment, revision] = await Promise.all([
    deploymentById(service.db, id),
    revisionOf(service.db, service.seal, id, 1),
  ]);
  const desired = await desiredOf(service, deployment!, revision);
  assert.ok(desired.kind === 'running');
  const { fingerprint } = desired.workloads[0]!.workload;
  const wanted = scene.workload('web', { revision: 3, fingerprint });
  await scene.start(wanted);
  await run(['true']);
  assert.deepEqual(ran, [newest.name, wanted.name]);
});

test('where the one that was found has just ended, another that runs gets the command, and without one it is refused', async () => {
  const { engine } = api.service;
  const { observe } = engine;
  const { start } = engine.exec!;
  engine.observe = async (...requested) => {
    engine.observe = observe;
    const seen = await observe(...requested);
    return { ...seen, workloads: [{ ...seen.workloads[0]!, name: 'ended' }] };
  };
  assert.equal((await run(['sh', '-c', 'exit 3'])).body.exitCode, 3);
  engine.exec!.start = async () => await start('ended', { command: ['sh'], terminal: undefined });
  const { status, body } = await run(['sh']);
  assert.deepEqual([status, body.code], [409, 'pod_not_running'], JSON.stringify(body));
});

test('only the owner runs commands in it', async () => {
  const other = await api.postYaml(
    '/startUserDeployment',
    'application: { name: other, pods: [{ name: web, image: "nginx:1", path: /, servicePorts: [80] }] }',
  );
  const refused = await run(['sh'], { sessionToken: other.body.sessionToken });
  assert.deepEqual([refused.status, refused.body.code], [404, 'application_not_found']);
  assert.equal((await run(['sh'], { sessionToken: undefined })).status, 401);
});

test('five run at once in an application, and one more when one of them has ended', async () => {
  const running = Array.from({ length: 5 }, () => run(['sleep', '1000'], { timeoutSeconds: 2 }));
  const { status, body, headers } = await run(['sh', '-c', 'exit 0']);
  assert.deepEqual([status, body.code, headers['retry-after']], [429, 'rate_limited', '10']);
  await Promise.all(running);
  assert.equal((await run(['sh', '-c', 'exit 0'])).status, 200);
});
