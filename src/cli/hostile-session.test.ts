/** A `.berth` file in a cloned repository. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { connect } from './connect.ts';
import { FolderError, prepareBerthFolder, readSession, saveSession, sessionFile } from './saved-session.ts';
import { openSeal } from './session-seal.ts';
import { trustedSession } from './trusted-session.ts';
import { readAnswers } from './up/saved-answers.ts';

let place: string;
let folder: string;
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'berth-session-'));
  folder = join(place, 'repo');
  await mkdir(folder);
});
afterEach(() => rm(place, { recursive: true, force: true }));

test('a link in its place is neither read nor written through', async () => {
  for (const target of ['public', '../docker', 'missing']) {
    await mkdir(join(folder, 'public'), { recursive: true });
    await mkdir(join(place, 'docker'), { recursive: true });
    await symlink(target, join(folder, '.berth'));
    await assert.rejects(readSession(folder, undefined), FolderError, target);
    await assert.rejects(prepareBerthFolder(folder), FolderError, target);
    await assert.rejects(saveSession(folder, { sessionToken: 'berth_x' }), FolderError, target);
    await rm(join(folder, '.berth'));
  }
  assert.deepEqual([await readdir(join(folder, 'public')), await readdir(join(place, 'docker'))], [[], []]);
});

test('links in it do not lead to the session of another project', async () => {
  const other = join(place, 'other');
  await saveSession(other, { server: 'http://localhost:8080', sessionToken: 'berth_other' });
  await writeFile(join(other, '.berth', 'values.env'), 'PASSWORD="hunter2"\n');
  await mkdir(join(folder, '.berth'));
  await symlink('../../other/.berth/config.json', join(folder, '.berth', 'config.json'));
  await symlink('../../other/.berth/values.env', join(folder, '.berth', 'values.env'));
  await assert.rejects(readSession(folder, undefined), FolderError);
  await assert.rejects(readAnswers(folder), FolderError);
});

test('a token given by the user is not sent to a service that only the folder names', () => {
  const saved = { server: 'https://evil.example' };
  for (const given of [
    { options: {}, env: { BERTH_TOKEN: 'berthkey_mine' } },
    { options: { token: 'berthkey_mine' }, env: {} },
  ]) {
    assert.match(connect({ ...given, saved }) as string, /names the service https:\/\/evil\.example/);
    const env = { ...given.env, BERTH_SERVER: 'https://good.example' };
    const named = connect({ ...given, env, saved });
    assert.ok(typeof named === 'object');
    assert.deepEqual([named.server, named.token], ['https://good.example', 'berthkey_mine']);
    assert.ok(typeof connect({ ...given, saved: { server: 'http://localhost:8080' } }) === 'object');
    // A user who has logged in to a service has confirmed it.
    assert.ok(typeof connect({ ...given, saved, keys: { [saved.server]: 'berthkey_mine' } }) === 'object');
  }
  const own = connect({ options: {}, env: {}, saved: { ...saved, sessionToken: 'berth_theirs' } });
  assert.ok(typeof own === 'object');
  assert.equal(own.token, 'berth_theirs');
});

/** Collects the messages and questions. `answer`: the user's reply, or undefined without a terminal. */
function requested(answer: boolean | undefined) {
  const reported: string[] = [];
  const confirm = async (question: string) => {
    reported.push(question);
    return answer;
  };
  return { reported, terminal: { printNote: (text: string) => void reported.push(text) }, confirm };
}

test('a session file that came with a repository does not choose the service or the session', async () => {
  const theirs = { server: 'https://evil.example', sessionToken: 'berth_theirs' };
  await saveSession(folder, theirs, await openSeal({ HOME: join(place, 'eve') }));
  const seal = await openSeal({ HOME: join(place, 'ada') });
  const trust = (isServerNamed: boolean, asking: ReturnType<typeof requested>) =>
    trustedSession(folder, {
      seal,
      isServerNamed,
      ...asking,
      saveSession: (saved) => saveSession(folder, saved, seal),
    });

  const unnamed = requested(undefined);
  assert.match((await trust(false, unnamed)) as string, /names the service https:\/\/evil\.example.*--server/);
  const named = requested(undefined);
  assert.deepEqual(await trust(true, named), {});
  assert.match(named.reported.join(), /is ignored/);
  const cautious = requested(false);
  assert.deepEqual(await trust(false, cautious), {});
  assert.match(cautious.reported.join(), /evil\.example.*Use it\?/);

  // A user who has confirmed is not prompted again.
  assert.deepEqual(await trust(false, requested(true)), theirs);
  const again = requested(undefined);
  assert.deepEqual([await trust(false, again), again.reported], [theirs, []]);
});

test('the user’s own session is used without a message until another program changes it', async () => {
  const env = { HOME: join(place, 'ada') };
  const own = { server: 'https://berth.example', sessionToken: 'berth_mine', applicationName: 'shop' };
  await saveSession(folder, own, await openSeal(env));
  const trust = async () => {
    const trusting = { isServerNamed: false, ...requested(undefined), saveSession: () => assert.fail() };
    return await trustedSession(folder, { seal: await openSeal(env), ...trusting });
  };
  assert.deepEqual(await trust(), own);
  assert.equal((await stat(join(env.HOME, '.config/berth/memory.key'))).mode & 0o777, 0o600);
  const text = await readFile(sessionFile(folder), 'utf8');
  await writeFile(sessionFile(folder), text.replace('berth.example', 'evil.example'));
  assert.match((await trust()) as string, /evil\.example/);
});

test('if no key can be stored, no session counts as the user’s own', async () => {
  await writeFile(join(place, 'file'), '');
  assert.equal(await openSeal({ HOME: join(place, 'file') }), undefined);
});

test('two commands that begin at the same time seal alike', async () => {
  const seals = await Promise.all([1, 2, 3].map(() => openSeal({ HOME: join(place, 'ada') })));
  assert.equal(new Set(seals.map((seal) => seal!('text'))).size, 1);
});
