import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Payer } from '../../store/image-namespaces.ts';
import { openBlobFolder } from '../blobs/blob-folder.ts';
import { createUploads } from './uploads.ts';

const most = { ofNamespace: 2, ofAccount: 6, ofClient: 5, ofClients: 7, inAll: 10 };
const client = (name: string): Payer => ({ kind: 'client', client: name });
const account: Payer = { kind: 'account', accountId: 'a' };

async function openUploads(context: TestContext, now: () => number = Date.now) {
  const directory = await mkdtemp(join(tmpdir(), 'berth-uploads-'));
  context.after(() => rm(directory, { recursive: true }));
  const uploads = createUploads(await openBlobFolder(directory), now, most);
  /** Returns how many of ten concurrent uploads are accepted. */
  const begin = async (repositories: (index: number) => string, payer: Payer) => {
    const ids = await Promise.all(Array.from({ length: 10 }, (_, index) => uploads.begin(repositories(index), payer)));
    return ids.filter((id) => id !== undefined).length;
  };
  return { uploads, begin };
}

test('the open uploads of a namespace, an address, all strangers and all clients are bounded, and accounts have places of their own', async (context) => {
  const { begin } = await openUploads(context);
  assert.equal(await begin(() => 's1/api', client('a')), 2);
  // A session of its own for each.
  assert.equal(await begin((index) => `s2${index}/api`, client('a')), 3);
  assert.equal(await begin((index) => `s3${index}/api`, client('b')), 3);
  assert.equal(await begin((index) => `s5${index}/api`, account), 6);
});

test('when all places are taken, a client with fewer uploads replaces empty uploads of the client with the most', async (context) => {
  const { uploads, begin } = await openUploads(context);
  const id = (await uploads.begin('s1/api', client('a')))!;
  const write = () =>
    uploads.use({ repository: 's1/api', id, payer: client('a') }, (staged) => staged.write(Buffer.from('x')));
  await write();
  assert.equal(await begin((index) => `s2${index}/api`, client('a')), 4);
  assert.equal(await begin((index) => `s3${index}/api`, client('b')), 3);
  assert.equal(await begin((index) => `s4${index}/api`, client('c')), 2);
  assert.equal(await begin((index) => `s5${index}/api`, client('a')), 0);
  assert.notEqual(await write(), 'unknown', 'an upload with data stays');
});

test('an upload without a byte ends after a minute, and one that has any goes on for an hour', async (context) => {
  let time = Date.now();
  const { uploads, begin } = await openUploads(context, () => time);
  const payer = client('a');
  const id = (await uploads.begin('s0/api', payer))!;
  const write = () => uploads.use({ repository: 's0/api', id, payer }, (staged) => staged.write(Buffer.from('x')));
  await write();
  assert.equal(await begin((index) => `s1${index}/api`, payer), 4);
  time += 60_000;
  assert.equal(await begin((index) => `s2${index}/api`, payer), 4);
  assert.notEqual(await write(), 'unknown');
});

test('what is reserved counts to its payer until the request has ended', async (context) => {
  const { uploads } = await openUploads(context);
  const payer = client('a');
  const id = (await uploads.begin('s0/api', payer))!;
  await uploads.use({ repository: 's0/api', id, payer }, async (staged, reserved) => {
    await staged.write(Buffer.from('abc'));
    reserved.bytes += 10;
    assert.deepEqual([uploads.bytes(payer), uploads.bytes(), uploads.bytes(account)], [13, 13, 0]);
  });
  assert.equal(uploads.bytes(payer), 3);
});
