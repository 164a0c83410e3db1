import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { makePlace } from './restic.ts';

async function scene(t: { after(work: () => Promise<void>): void }) {
  const parent = await mkdtemp(join(tmpdir(), 'berth-place-'));
  t.after(() => rm(parent, { recursive: true }));
  const location = join(parent, 'kept');
  const fill = async (at: string, name: string) => {
    await mkdir(at, { recursive: true });
    await writeFile(join(at, name), '');
  };
  return { parent, location, fill, place: { kind: 'folder', location } as const };
}

test('a folder has its name when it is whole; one whose making was cut off is nothing to the next', async (t) => {
  const { parent, place, fill, location } = await scene(t);
  const cutOff = makePlace(place, async (at) => {
    await fill(at, 'key of one that was killed');
    throw new Error('killed');
  });
  await assert.rejects(cutOff, /killed/);
  await makePlace(place, async (at) => fill(at, 'key'));
  assert.deepEqual(await readdir(location), ['key']);
  const [left] = (await readdir(parent)).filter((name) => name.startsWith('kept.making-'));
  await rm(location, { recursive: true });
  await utimes(join(parent, left!), 0, 0);
  await makePlace(place, async (at) => fill(at, 'key'));
  assert.deepEqual(await readdir(parent), ['kept'], 'what was left goes after a time');
});

test('of two concurrent attempts, one creates the whole place', async (t) => {
  const { parent, place, fill, location } = await scene(t);
  await makePlace(place, async (at) => {
    await fill(at, 'mine');
    await fill(location, 'theirs');
  });
  assert.deepEqual([await readdir(location), await readdir(parent)], [['theirs'], ['kept']]);
});

test('a folder that is there, and a bucket, are made where they are', async (t) => {
  const { place, fill, location } = await scene(t);
  await mkdir(location);
  await makePlace(place, async (at) => fill(at, 'key'));
  assert.deepEqual(await readdir(location), ['key']);
  const requested: string[] = [];
  await makePlace({ kind: 's3', location: 's3:https://host/bucket' }, async (at) => void requested.push(at));
  assert.deepEqual(requested, ['s3:https://host/bucket']);
});
