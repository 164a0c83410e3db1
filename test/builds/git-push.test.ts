/** Pushes of the real `git` to the API, without an engine: the tests write what a build and the loop would write. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { ApiSettings } from '../../src/api/api-service.ts';
import { packet } from '../../src/builds/git/pkt-lines.ts';
import { openSources } from '../../src/builds/sources.ts';
import { addApiKey } from '../../src/store/api-keys.ts';
import { buildOf, recordBuildFailure, recordBuildLog, recordBuildStart } from '../../src/store/builds.ts';
import { writeIntent } from '../../src/store/deployments.ts';
import { addAccount } from '../support/accounts.ts';
import { shopYaml, testApi } from '../support/api.ts';
import { createRepository } from '../support/git-server.ts';

const documentOnly = { 'berth.yaml': shopYaml };

async function stage(t: TestContext, settings: Partial<ApiSettings> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'berth-push-'));
  const place = join(folder, 'sources');
  const sources = await openSources(place, new Map(), { maxBytes: 4 * 2 ** 20, maxEntries: 1_000 });
  const api = await testApi(settings);
  api.service.builds = { sources, wake: () => {} };
  await api.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = api.app.server.address() as AddressInfo;
  t.after(async () => {
    await api.app.close();
    await sources.close();
    await rm(folder, { recursive: true });
  });
  const repository = await createRepository(join(folder, 'project'));
  const { db } = api.service;
  return {
    ...{ api, db, place, repository },
    url: (path: string, login = '') => `http://${login}127.0.0.1:${port}/git/${path}`,
    /** The deployment that is being deployed, once its revision is there. */
    async deployment(revision = 1) {
      for (;;) {
        const deploying = db.selectFrom('deployments').select('id').where('state', '=', 'deploying');
        const found = await deploying.where('revision', '=', revision).executeTakeFirst();
        if (found) return found;
        await setImmediate();
      }
    },
    count: async () => (await db.selectFrom('deployments').select('id').execute()).length,
  };
}

type Stage = Awaited<ReturnType<typeof stage>>;

/** Pushes, and lets the revision run. */
async function pushAndRun({ repository, deployment, db }: Stage, words: string[], revision = 1) {
  const pushing = repository.push(...words);
  const { id } = await Promise.race([
    deployment(revision),
    pushing.then(({ stderr }) => assert.fail(`nothing was deployed: ${stderr}`)),
  ]);
  await writeIntent(db, id, { state: 'running', progress: 100 });
  return await pushing;
}

test('a push without credentials starts a deployment, and its output names the address, the token and the next push', async (t) => {
  const world = await stage(t);
  const hash = await world.repository.commit(documentOnly);
  await world.repository.git('remote', 'add', 'berth', world.url('shop.git'));
  const { isAccepted, shown } = await pushAndRun(world, ['berth', 'main']);
  assert.ok(isAccepted, shown);
  assert.match(shown, new RegExp(`The source is commit ${hash.slice(0, 12)} of main\\.`));
  assert.match(shown, /Application shop is being deployed\.\nAddress: http:\/\/[\w-]+\.localhost:8080, until 2026-/);
  assert.match(shown, /Live: http:\/\/[\w-]+\.localhost:8080\n/);
  const [, token = ''] = /Session token: (\S+)/.exec(shown) ?? [];
  assert.ok(shown.includes(`git remote set-url berth http://berth:${token}@localhost:8080/git/mine/shop.git`), shown);
  assert.deepEqual(await readdir(world.place), []);
  assert.doesNotMatch(world.api.lines.join('\n'), new RegExp(token));

  await world.repository.commit({ 'README.md': 'two' });
  const again = await pushAndRun(world, [world.url('mine/shop.git', `any:${token}@`), 'main'], 2);
  assert.ok(again.isAccepted, again.shown);
  assert.match(again.shown, /Application shop is being updated\.[\s\S]*Live: /);
  assert.doesNotMatch(again.shown, new RegExp(token));
  assert.equal(await world.count(), 1);
  const headers = { authorization: `Bearer ${token}` };
  const { body } = await world.api.get('/getDeploymentRevisions?applicationName=shop', headers);
  const common = { ref: 'main', author: 'A test', subject: 'a commit' };
  assert.deepEqual(body.revisions[1].commit, { hash, ...common });
  assert.equal(body.revisions[0].commit.hash, await world.repository.git('rev-parse', 'HEAD'));
});

test('the author and the message of a commit are untrusted text', async (t) => {
  const world = await stage(t);
  const { git } = world.repository;
  await world.repository.commit(documentOnly);
  const message = `\x1b[2J\u202Esubject ${'x'.repeat(300)}\n\nbody`;
  await git(
    'commit',
    '--quiet',
    '--allow-empty',
    '--message',
    message,
    '--author',
    'E\x1b[31mve\x07! <eve@example.com>',
  );
  const { shown } = await pushAndRun(world, [world.url('shop.git'), 'main']);
  const [, token = ''] = /Session token: (\S+)/.exec(shown) ?? [];
  const headers = { authorization: `Bearer ${token}` };
  const { body } = await world.api.get('/getDeploymentRevisions?applicationName=shop', headers);
  const { author, subject } = body.revisions[0].commit;
  assert.match(author, /^Eve·?!$/);
  assert.match(subject, /^·?subject x{100,200}$/);
});

test('wrong and missing credentials are refused before anything is sent, and so is a name of no application', async (t) => {
  const world = await stage(t);
  await world.repository.commit(documentOnly);
  const refusals: [string, RegExp][] = [
    [world.url('mine/shop.git', 'x:wrong@'), /No session has this token[\s\S]*Authentication failed/],
    [world.url('mine/shop.git', 'x:berthkey_wrong@'), /No account has this API key[\s\S]*Authentication failed/],
    [world.url('mine/shop.git'), /could not read Username/],
    [world.url('blue-otter/shop.git', 'x:@'), /The password is missing[\s\S]*Authentication failed/],
    [world.url('Sh.git'), /does not name an application/],
    [world.url('a'.repeat(65)), /does not name an application/],
  ];
  for (const [url, words] of refusals) {
    const { isAccepted, shown } = await world.repository.push(url, 'main');
    assert.equal(isAccepted, false);
    assert.match(shown, words);
  }
  assert.equal(await world.count(), 0);
  await assert.rejects(world.repository.git('fetch', world.url('shop.git')), /only receives pushes/);
});

test('names of branches are text', async (t) => {
  const world = await stage(t);
  await world.repository.commit(documentOnly);
  const names = ['--upload-pack=touch', '$(touch${IFS}x)', 'a;b', 'größe'];
  for (const name of names) {
    await world.repository.git('update-ref', `refs/heads/${name}`, 'HEAD');
    const { isAccepted, shown } = await pushAndRun(world, [world.url('shop.git'), `refs/heads/${name}`]);
    assert.ok(isAccepted, shown);
    assert.ok(shown.includes(` of ${name}.\n`), shown);
  }
  assert.equal(await world.count(), names.length);
});

test('a push of two branches, of no branch, or of a removal deploys nothing', async (t) => {
  const world = await stage(t);
  await world.repository.commit(documentOnly);
  await world.repository.git('branch', 'other');
  const url = world.url('shop.git');
  for (const refs of [['main', 'other'], ['main:refs/notes/x']]) {
    const { isAccepted, shown } = await world.repository.push(url, ...refs);
    assert.equal(isAccepted, false);
    assert.match(shown, /A push deploys one branch or one tag\.[\s\S]*\[remote rejected\].*not deployed/);
  }
  const { shown } = await world.repository.push(url, ':main');
  assert.match(shown, /unable to delete 'main'/);
  assert.equal(await world.count(), 0);
});

test('an option names the folder of the source', async (t) => {
  const world = await stage(t);
  await world.repository.commit({ 'apps/web/berth.yaml': shopYaml, 'berth.yaml': 'not this one' });
  const to = [world.url('shop.git'), 'main'];
  const { isAccepted, shown } = await pushAndRun(world, ['--push-option', 'path=apps/web', ...to]);
  assert.ok(isAccepted, shown);
  const missing = await world.repository.push('--push-option', 'path=apps/api', ...to);
  assert.match(missing.shown, /has no folder apps\/api at this commit/);
  const unknown = await world.repository.push('--push-option', 'branch=main', ...to);
  assert.match(unknown.shown, /unknown option[\s\S]*not deployed/);
  assert.equal(await world.count(), 1);
});

test('an API key pushes from a shallow clone, and the deployment belongs to its account', async (t) => {
  const world = await stage(t);
  const { api, db, repository } = world;
  const key = 'berthkey_for-this-test-alone-0000000';
  await addAccount(db, 'ada');
  await addApiKey(db, 'ada', { key, id: 'k', name: 'ci', start: 'berthkey_f', createdAt: 1 });
  await repository.commit(documentOnly);
  await repository.commit({ 'README.md': 'two' });
  const from = (await repository.git('rev-parse', '--absolute-git-dir')).trim();
  const clone = `${from}-clone`;
  await repository.git('clone', '--quiet', '--depth', '1', `file://${from}`, clone);
  const shallow = { ...world, repository: await createRepository(clone) };
  const to = [world.url('mine/shop.git', `ci:${key}@`), 'HEAD:main'];
  const { isAccepted, shown } = await pushAndRun(shallow, to);
  assert.ok(isAccepted, shown);
  assert.doesNotMatch(shown, /Session token|until/);
  const { claimedAt, revision } = await db.selectFrom('deployments').selectAll().executeTakeFirstOrThrow();
  assert.deepEqual([claimedAt, revision], [api.clock.now, 1]);
  const again = await pushAndRun(shallow, to, 2);
  assert.ok(again.isAccepted, again.shown);
});

test('the limit of starts counts pushes that start a deployment, and not updates', async (t) => {
  const world = await stage(t, { startRate: { count: 1, windowMs: 60_000 } });
  await world.repository.commit(documentOnly);
  const { shown } = await pushAndRun(world, [world.url('shop.git'), 'main']);
  const [, token = ''] = /Session token: (\S+)/.exec(shown) ?? [];
  const refused = await world.repository.push(world.url('shop.git'), 'main');
  assert.match(refused.shown, /Too many starts from your address[\s\S]*not deployed/);
  const updated = await pushAndRun(world, [world.url('mine/shop.git', `any:${token}@`), 'main'], 2);
  assert.ok(updated.isAccepted, updated.shown);
});

test('a client that is refused before its pack is read sees why', async (t) => {
  const world = await stage(t, { rate: { count: 1, windowMs: 60_000 } });
  await world.repository.commit(documentOnly);
  const posted = await world.repository.push(world.url('shop.git'), 'main');
  assert.equal(posted.isAccepted, false);
  assert.match(posted.shown, /Too many requests from your address/);
  const asked = await world.repository.push(world.url('shop.git'), 'main');
  assert.match(asked.shown, /Too many requests from your address/);
});

test('a client that leaves during the upload leaves nothing', async (t) => {
  const world = await stage(t);
  const headers = { 'content-type': 'application/x-git-receive-pack-request' };
  const leaving = request(`${world.url('shop.git')}/git-receive-pack`, { method: 'POST', headers }).on(
    'error',
    () => {},
  );
  const command = `${'0'.repeat(40)} ${'a'.repeat(40)} refs/heads/main\0report-status side-band-64k`;
  leaving.write(`${packet(command)}0000PACK`);
  while ((await readdir(world.place)).length === 0) await setImmediate();
  leaving.destroy();
  while ((await readdir(world.place)).length > 0) await setImmediate();
  await world.repository.commit(documentOnly);
  const { isAccepted, shown } = await pushAndRun(world, [world.url('shop.git'), 'main']);
  assert.ok(isAccepted, shown);
  assert.doesNotMatch(world.api.lines.join('\n'), /request failed/);
});

test('a push ends when another one replaces its revision, and when the service stops', async (t) => {
  const world = await stage(t);
  await world.repository.commit(documentOnly);
  const { shown } = await pushAndRun(world, [world.url('shop.git'), 'main']);
  const [, token = ''] = /Session token: (\S+)/.exec(shown) ?? [];
  const to = [world.url('mine/shop.git', `any:${token}@`), 'main'];
  const first = world.repository.push(...to);
  await world.deployment(2);
  const second = world.repository.push(...to);
  await world.deployment(3);
  const replaced = await first;
  assert.ok(replaced.isAccepted, replaced.shown);
  assert.match(replaced.shown, /A newer revision has replaced this one/);
  await world.api.app.close();
  const left = await second;
  assert.ok(left.isAccepted, left.shown);
  assert.match(left.shown, /The deployment continues/);
});

test('a source that cannot be deployed is refused with its errors, and so is one of another name', async (t) => {
  const world = await stage(t);
  await world.repository.commit({ 'berth.yaml': 'application: { name: shop, pods: [{ name: web }] }' });
  const { isAccepted, shown } = await world.repository.push(world.url('shop.git'), 'main');
  assert.equal(isAccepted, false);
  assert.match(shown, /berth\.yaml:1:35: is missing[\s\S]*not deployed/);
  await world.repository.commit(documentOnly);
  const other = await world.repository.push(world.url('store.git'), 'main');
  assert.match(other.shown, /names the application shop[\s\S]*ends with \/shop\.git/);
  assert.equal(await world.count(), 0);
  assert.deepEqual(await readdir(world.place), []);
});

test('a push that is too large is refused in words, and leaves nothing', async (t) => {
  const world = await stage(t);
  await world.repository.commit({ ...documentOnly, 'large.bin': randomBytes(20 * 2 ** 20) });
  const { isAccepted, shown } = await world.repository.push(world.url('shop.git'), 'main');
  assert.equal(isAccepted, false);
  assert.match(shown, /The push is larger than 4 MiB\.\nRemove large files from the history/);
  assert.deepEqual(await readdir(world.place), []);
});

test('the output of a build appears while it runs, and its failure fails the push', async (t) => {
  const world = await stage(t);
  const { api, db } = world;
  await world.repository.commit({ Dockerfile: 'FROM node:26-slim\nEXPOSE 3000\nRUN npm ci\n' });
  const pushing = world.repository.push(world.url('shop.git'), 'main');
  const { id } = await world.deployment();
  const build = await buildOf(db, id, 1);
  assert.ok(build);
  await recordBuildStart(db, build, api.clock.now);
  await recordBuildLog(db, build, 'STEP 1/3: FROM node:26-slim\n\x1b[31mnpm error\x1b[0m\n');
  const failure = { problem: 'npm ci failed', hint: 'add package-lock.json', pods: ['web'], lastLines: ['npm error'] };
  await recordBuildFailure(db, build, failure, api.clock.now);
  const explanation = { kind: 'failed' as const, pods: ['web'], because: 'its image cannot be built: npm ci failed' };
  await writeIntent(db, id, { state: 'failed', explanation });
  const { isAccepted, shown, stderr } = await pushing;
  assert.equal(isAccepted, false);
  assert.match(shown, /STEP 1\/3: FROM node:26-slim\nnpm error/);
  assert.match(shown, /npm ci failed[\s\S]*\[remote rejected\] main -> main \(deployment failed\)/);
  assert.ok(!stderr.includes('31m'), stderr);
});
