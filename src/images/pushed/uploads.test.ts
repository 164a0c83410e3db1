import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openBlobFolder } from '../blobs/blob-folder.ts';
import { createUploads } from './uploads.ts';

test('of a namespace, of an address with however many sessions, and in all so many uploads are open', async (context) => {
  const directory = await mkdtemp(join(tmpdir(), 'berth-uploads-'));
  context.after(() => rm(directory, { recursive: true }));
  const folder = await openBlobFolder(directory);
  const uploads = createUploads(folder, Date.now, { ofNamespace: 2, ofPayer: 5, inAll: 7 });
  /** How many of ten that are begun at once. */
  const begin = async (repositories: (index: number) => string, payer: string) => {
    const ids = await Promise.all(Array.from({ length: 10 }, (_, index) => uploads.begin(repositories(index), payer)));
    return ids.filter((id) => id !== undefined).length;
  };
  assert.equal(await begin(() => 's1/api', 'client a'), 2);
  // A session of its own for each.
  assert.equal(await begin((index) => `s2${index}/api`, 'client a'), 3);
  assert.equal(await begin((index) => `s3${index}/api`, 'client b'), 2);
  const id = (await uploads.begin('s4/api', 'client c')) ?? 'none';
  assert.equal(id, 'none');
});

test('an upload that has ended makes room for another', async (context) => {
  const directory = await mkdtemp(join(tmpdir(), 'berth-uploads-'));
  context.after(() => rm(directory, { recursive: true }));
  const uploads = createUploads(await openBlobFolder(directory), Date.now, { ofNamespace: 1, ofPayer: 1, inAll: 1 });
  const id = await uploads.begin('s1/api', 'client a');
  assert.ok(id);
  assert.equal(await uploads.begin('s1/api', 'client a'), undefined);
  uploads.end('s1/api', id);
  assert.ok(await uploads.begin('s2/api', 'client a'));
});
