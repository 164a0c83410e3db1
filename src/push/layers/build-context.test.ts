import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, test } from 'node:test';
import { buildOf } from '../../folder/plain-build.ts';
import { PushFault } from '../push-fault.ts';
import { readBuildContext } from './build-context.ts';
import { packEntries } from './folder-listing.ts';

let outer: string;
let context: string;
beforeEach(async () => {
  outer = await mkdtemp(join(tmpdir(), 'berth-context-'));
  context = join(outer, 'repo');
  await mkdir(join(context, 'rules'), { recursive: true });
  await writeFile(join(outer, 'private-key'), 'PRIVATE KEY');
  await writeFile(join(context, 'Dockerfile'), 'FROM scratch\n');
});
afterEach(() => rm(outer, { recursive: true, force: true }));

for (const [name, more] of [
  ['.dockerignore', { inline: 'FROM scratch\nCOPY .dockerignore /\n' }],
  ['Dockerfile.dockerignore', {}],
] as const) {
  test(`${name} that is a link to a file outside is not read, so that it cannot be sent`, async () => {
    await symlink(join(outer, 'private-key'), join(context, name));
    await assert.rejects(readBuildContext(buildOf(context, more)), (fault) => {
      assert.ok(fault instanceof PushFault);
      assert.match(fault.message, /link that leaves its folder/);
      return true;
    });
  });
}

test('.dockerignore that is a device is not read', async () => {
  await symlink('/dev/zero', join(context, '.dockerignore'));
  await assert.rejects(readBuildContext(buildOf(context)), PushFault);
});

test('.dockerignore that is a link within the folder has its rules kept', async () => {
  await writeFile(join(context, 'rules', 'docker'), 'left-out\n');
  await writeFile(join(context, 'left-out'), 'LEFT OUT');
  await symlink('rules/docker', join(context, '.dockerignore'));
  const { sent } = await readBuildContext(buildOf(context));
  assert.doesNotMatch(await text(packEntries(sent)), /LEFT OUT/);
});
