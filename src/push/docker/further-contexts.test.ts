import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { withoutSessionFiles } from './build.ts';

test('a further context that holds what the command remembers is copied without it, any other is taken as it is', async (t) => {
  const place = await mkdtemp(join(tmpdir(), 'berth-contexts-'));
  t.after(() => rm(place, { recursive: true }));
  const [project, clean, scratch] = ['project', 'clean', 'scratch'].map((name) => join(place, name)) as [
    string,
    string,
    string,
  ];
  await mkdir(join(project, 'app/.berth'), { recursive: true });
  await mkdir(join(project, '.berth'));
  await mkdir(clean);
  await mkdir(scratch);
  for (const folder of [project, join(project, 'app')])
    await writeFile(join(folder, '.berth/config.json'), 'berth_secret');
  await writeFile(join(project, 'app/main.js'), 'code');
  await symlink('app/main.js', join(project, 'linked.js'));

  const image = 'docker-image://alpine:3';
  const contexts = await withoutSessionFiles({ all: project, clean, image, web: 'https://example.com/a.git' }, scratch);
  assert.deepEqual(contexts, { all: join(scratch, 'context-0'), clean, image, web: 'https://example.com/a.git' });
  const copied = (await readdir(contexts.all!, { recursive: true })).sort();
  assert.deepEqual(copied, ['app', 'app/main.js', 'linked.js']);
  assert.equal(await readFile(join(contexts.all!, 'app/main.js'), 'utf8'), 'code');
  assert.equal(await readlink(join(contexts.all!, 'linked.js')), 'app/main.js');
});
