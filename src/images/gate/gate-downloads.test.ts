/** Tests which layers the gate downloads again, and for which clients. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { askGate, imageOf, pull, send } from '../../../test/support/pulled-image.ts';
import { digestOf } from '../../lib/digest.ts';
import { openBlobCache } from '../blobs/blob-cache.ts';
import { ImageFault } from '../image-fault.ts';
import { narrowLimits } from '../resolve/image-limits.ts';
import type { ResolvedUpstream } from '../resolve/resolve.ts';
import { openGate } from './gate.ts';

const { signal } = new AbortController();

test('a cached layer is not downloaded again, counts to the limits, and one that is damaged is downloaded', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'berth-gate-'));
  t.after(() => rm(folder, { recursive: true }));
  const content = randomBytes(3_000_000);
  const layer = gzipSync(content);
  const sent: Buffer[] = [];
  const registry = imageOf(layer, () => send(sent, layer), { diffIds: [digestOf(content)] });
  /** Simulates a service that has just started. */
  const again = async (pulled: ResolvedUpstream) => {
    const cache = await openBlobCache({ folder, budgetBytes: 2 ** 30, now: Date.now });
    await using gate = await openGate({ host: '127.0.0.1', cache });
    const { came, fault } = await pull(gate, pulled);
    return { isWhole: came?.equals(layer) ?? false, fault, downloads: sent.length };
  };
  assert.deepEqual(await again({ ...registry, isForEverybody: false }), {
    isWhole: true,
    fault: undefined,
    downloads: 1,
  });
  assert.deepEqual(await again(registry), { isWhole: true, fault: undefined, downloads: 2 });
  const kept = join(folder, 'sha256', digestOf(layer).slice('sha256:'.length));
  assert.ok((await readFile(kept)).equals(layer));
  assert.deepEqual(await again(registry), { isWhole: true, fault: undefined, downloads: 2 });
  const limits = narrowLimits({ compressedBytes: 2 ** 40, unpackedBytes: 2_000_000 });
  assert.match((await again({ ...registry, limits })).fault!, /unpacks to more than 1\.9 MiB/);
  // Simulates a power failure.
  await writeFile(kept, Buffer.alloc(1_000), { flag: 'r+' });
  assert.deepEqual(await again(registry), { isWhole: true, fault: undefined, downloads: 3 });
});

test('a layer that was shown before and is not here is left to the engine, and downloaded when that requests it', async () => {
  const content = randomBytes(100_000);
  const layer = gzipSync(content);
  const sent: Buffer[] = [];
  const login = imageOf(layer, () => send(sent, layer), { diffIds: [digestOf(content)], isForEverybody: false });
  await using gate = await openGate({ host: '127.0.0.1' });
  assert.ok((await pull(gate, login)).came?.equals(layer));
  await using offer = await gate.offer(login, { signal });
  assert.deepEqual([sent.length, await offer.isMended()], [1, false]);
  assert.equal((await askGate(offer, `blobs/${digestOf(layer)}`)).status, 404);
  assert.deepEqual([await offer.isMended(), sent.length], [true, 2]);
  assert.equal((await askGate(offer, `blobs/${digestOf(layer)}`)).status, 200);
  assert.equal(await offer.isMended(), false);
});

test('an image of one tenant is not served from the login of another', async () => {
  const layer = gzipSync('the secret');
  await using gate = await openGate({ host: '127.0.0.1' });
  const own = imageOf(layer, () => layer, { diffIds: [digestOf('the secret')], isForEverybody: false });
  assert.equal((await pull(gate, own)).fault, undefined);
  const thief = {
    ...own,
    repository: 'evil/x',
    client: { request: () => Promise.reject(new ImageFault('image-not-found', 'x', 'not there')) },
  };
  assert.equal((await pull(gate, thief)).fault, 'not there');
});
