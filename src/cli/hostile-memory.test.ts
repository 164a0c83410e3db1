/** A `.berth` that came with a repository which somebody cloned. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { connect } from './connect.ts';
import { FolderError, prepareMemoryFolder, recall, remember } from './folder.ts';
import { recallValues } from './up/asked-values.ts';

let place: string;
let folder: string;
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'berth-memory-'));
  folder = join(place, 'repo');
  await mkdir(folder);
});
afterEach(() => rm(place, { recursive: true, force: true }));

test('a link in its place is neither read nor written through', async () => {
  for (const target of ['public', '../docker', 'missing']) {
    await mkdir(join(folder, 'public'), { recursive: true });
    await mkdir(join(place, 'docker'), { recursive: true });
    await symlink(target, join(folder, '.berth'));
    await assert.rejects(recall(folder), FolderError, target);
    await assert.rejects(prepareMemoryFolder(folder), FolderError, target);
    await assert.rejects(remember(folder, { sessionToken: 'berth_x' }), FolderError, target);
    await rm(join(folder, '.berth'));
  }
  assert.deepEqual([await readdir(join(folder, 'public')), await readdir(join(place, 'docker'))], [[], []]);
});

test('links in it do not lead to the memory of another project', async () => {
  const other = join(place, 'other');
  await remember(other, { server: 'http://localhost:8080', sessionToken: 'berth_other' });
  await writeFile(join(other, '.berth', 'values.env'), 'PASSWORD="hunter2"\n');
  await mkdir(join(folder, '.berth'));
  await symlink('../../other/.berth/config.json', join(folder, '.berth', 'config.json'));
  await symlink('../../other/.berth/values.env', join(folder, '.berth', 'values.env'));
  await assert.rejects(recall(folder), FolderError);
  await assert.rejects(recallValues(folder), FolderError);
});

test('a token that somebody gives is shown to no service that only the folder names', () => {
  const memory = { server: 'https://evil.example' };
  for (const given of [
    { options: {}, env: { BERTH_TOKEN: 'berthkey_mine' } },
    { options: { token: 'berthkey_mine' }, env: {} },
  ]) {
    assert.match(connect({ ...given, memory }) as string, /names the service https:\/\/evil\.example/);
    const env = { ...given.env, BERTH_SERVER: 'https://good.example' };
    const named = connect({ ...given, env, memory });
    assert.ok(typeof named === 'object');
    assert.deepEqual([named.server, named.token], ['https://good.example', 'berthkey_mine']);
    assert.ok(typeof connect({ ...given, memory: { server: 'http://localhost:8080' } }) === 'object');
    // Whoever has logged in there knows the service.
    assert.ok(typeof connect({ ...given, memory, keys: { [memory.server]: 'berthkey_mine' } }) === 'object');
  }
  const own = connect({ options: {}, env: {}, memory: { ...memory, sessionToken: 'berth_theirs' } });
  assert.ok(typeof own === 'object');
  assert.equal(own.token, 'berth_theirs');
});
