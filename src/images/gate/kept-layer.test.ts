import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { imageOf, type Pulled, pull } from '../../../test/support/pulled-image.ts';
import { digestOf } from '../../lib/digest.ts';
import { openBlobCache } from '../blobs/blob-cache.ts';
import { narrowLimits } from '../resolve/image-limits.ts';
import type { ResolvedUpstream } from '../resolve/resolve.ts';
import { openGate } from './gate.ts';

test('the engine gets a layer unpacked; what has passed is not asked for again, and a lie is not kept', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'berth-gate-'));
  t.after(() => rm(directory, { recursive: true }));
  const content = Buffer.concat([randomBytes(700_000), Buffer.alloc(3_000_000)]);
  // As what packs in parallel has it: pieces, each after a frame to skip.
  const toSkip = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4]);
  const pieces = [content.subarray(0, 500_000), content.subarray(500_000)];
  const inPieces = Buffer.concat(pieces.flatMap((piece) => [toSkip, zstdCompressSync(piece)]));
  for (const [at, layer] of [gzipSync(content), zstdCompressSync(content), inPieces, content].entries()) {
    const folder = join(directory, String(at));
    const lie = Buffer.from(layer).fill(0, 200_000, 200_010);
    const sent = [lie, layer];
    const through = async () => {
      await using cache = await openBlobCache({ folder, budgetBytes: 2 ** 30, now: Date.now });
      await using gate = await openGate({ host: '127.0.0.1', cache });
      const next = () => {
        const body = sent.shift();
        assert.ok(body, 'nothing more is asked of the registry');
        return body;
      };
      using offer = gate.offer(imageOf(layer, next, { diffIds: [digestOf(content)] }), { failed: () => {} });
      const [, host, name] = /^([^/]+)\/(.+)@/.exec(offer.reference)!;
      const authorization = `Basic ${Buffer.from(`engine:${offer.auth.password}`).toString('base64')}`;
      const answer = await fetch(`http://${host}/v2/${name}/blobs/${digestOf(content)}`, {
        headers: { authorization },
      });
      return answer.ok ? await answer.arrayBuffer().then(Buffer.from, () => undefined) : undefined;
    };
    assert.equal(await through(), undefined);
    assert.ok((await through())?.equals(content));
    assert.ok((await through())?.equals(content));
    assert.deepEqual(sent, []);
  }
});

test('what is kept is what layers unpack to; what the disk has made of it otherwise is had from the registry again', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'berth-gate-'));
  t.after(() => rm(folder, { recursive: true }));
  const content = randomBytes(3_000_000);
  const layer = gzipSync(content);
  let asked = 0;
  const registry = imageOf(
    layer,
    () => {
      asked++;
      return layer;
    },
    { diffIds: [digestOf(content)] },
  );
  const again = async (pulled: ResolvedUpstream) => {
    await using cache = await openBlobCache({ folder, budgetBytes: 2 ** 30, now: Date.now });
    await using gate = await openGate({ host: '127.0.0.1', cache });
    const { came, faults } = await pull(gate, pulled);
    return { isWhole: came?.equals(content) ?? false, faults, asked };
  };
  assert.deepEqual(await again(registry), { isWhole: true, faults: [], asked: 1 });
  const kept = join(folder, 'sha256', digestOf(content).slice('sha256:'.length));
  assert.ok((await readFile(kept)).equals(content));
  assert.deepEqual(await again(registry), { isWhole: true, faults: [], asked: 1 });

  // As a loss of power leaves it.
  await writeFile(kept, Buffer.alloc(1_000), { flag: 'r+' });
  await using cache = await openBlobCache({ folder, budgetBytes: 2 ** 30, now: Date.now });
  await using gate = await openGate({ host: '127.0.0.1', cache });
  using offer = gate.offer(registry, { failed: ({ message }) => assert.fail(message) });
  const [, host, name] = /^([^/]+)\/(.+)@/.exec(offer.reference)!;
  const authorization = `Basic ${Buffer.from(`engine:${offer.auth.password}`).toString('base64')}`;
  const get = () => fetch(`http://${host}/v2/${name}/blobs/${digestOf(content)}`, { headers: { authorization } });
  assert.equal(await offer.isMended(), false, 'nothing of it has passed');
  assert.ok(!Buffer.from(await (await get()).arrayBuffer()).equals(content), 'the engine refuses that');
  assert.equal(await offer.isMended(), true);
  assert.ok(Buffer.from(await (await get()).arrayBuffer()).equals(content));
  assert.equal(await offer.isMended(), false);
  assert.equal(asked, 2);
});

test('what is kept is for whom everybody may have it, counts to what he may have, and never reaches the engine packed', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'berth-gate-'));
  t.after(() => rm(folder, { recursive: true }));
  const content = randomBytes(3_000_000);
  const layer = gzipSync(content);
  await using cache = await openBlobCache({ folder, budgetBytes: 2 ** 30, now: Date.now });
  await using gate = await openGate({ host: '127.0.0.1', cache });
  const said = { diffIds: [digestOf(content)] };
  const nobody = () => assert.fail('a registry was asked');
  assert.deepEqual(
    await pull(
      gate,
      imageOf(layer, () => layer, { ...said, isForEverybody: false }),
    ).then(isKept),
    false,
  );
  assert.deepEqual(
    await pull(
      gate,
      imageOf(layer, () => layer, said),
    ).then(isKept),
    true,
  );
  assert.ok((await pull(gate, imageOf(layer, nobody, said))).came?.equals(content));

  const limits = narrowLimits({ compressedBytes: 2 ** 40, unpackedBytes: 2_000_000 });
  for (const asks of [true, false]) {
    const limited = await pull(gate, imageOf(layer, nobody, { ...said, limits }), { asks });
    assert.equal(limited.came, undefined);
    assert.match(limited.faults[0]!, /unpacks to more than 1\.9 MiB/);
  }

  const other = gzipSync(randomBytes(1_000));
  const packed = await cache.stage();
  await packed.write(other);
  await cache.adopt(packed, { digest: digestOf(other) });
  const nested = await pull(
    gate,
    imageOf(layer, () => layer, { diffIds: [digestOf(other)] }),
  );
  assert.equal(nested.came, undefined);
  assert.match(nested.faults[0]!, /not what its configuration says/);

  async function isKept({ came, faults }: Pulled): Promise<boolean> {
    assert.ok(came?.equals(content));
    assert.deepEqual(faults, []);
    // It waits for what is being kept.
    await cache[Symbol.asyncDispose]();
    return cache.sizeOf(digestOf(content)) !== undefined;
  }
});
