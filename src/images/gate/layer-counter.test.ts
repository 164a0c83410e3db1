import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { openLayerCounter } from './layer-counter.ts';

const { signal } = new AbortController();

async function fileOf(content: Buffer) {
  const path = join(tmpdir(), `berth-counted-${randomUUID()}`);
  await writeFile(path, content);
  const file = await open(path);
  await rm(path);
  return file;
}

test('a client with many large layers does not delay the layer of another client', async () => {
  await using counter = openLayerCounter();
  await using large = await fileOf(gzipSync(Buffer.alloc(2 ** 28)));
  await using small = await fileOf(gzipSync('small'));
  const ended: string[] = [];
  const count = async (payer: string, file: typeof large) => {
    await counter.count({ payer, file, maxBytes: 2 ** 40 }, signal);
    ended.push(payer);
  };
  const bombs = Array.from({ length: 4 }, () => count('a stranger', large));
  await Promise.all([...bombs, count('another', small)]);
  assert.equal(ended[0], 'another');
});

test('large layers of many clients do not delay the layer of another client', async () => {
  await using counter = openLayerCounter();
  await using large = await fileOf(Buffer.concat(Array(8).fill(gzipSync(Buffer.alloc(2 ** 28)))));
  await using small = await fileOf(gzipSync('small'));
  const giving = new AbortController();
  const bombs = Array.from({ length: 8 }, (_, index) =>
    counter.count({ payer: `stranger ${index}`, file: large, maxBytes: 2 ** 40 }, giving.signal),
  );
  const first = Promise.race(bombs.map((bomb) => bomb.then(() => 'a bomb')));
  const another = counter.count({ payer: 'another', file: small, maxBytes: 100 }, signal).then(() => 'another');
  assert.equal(await Promise.race([first, another]), 'another');
  giving.abort();
  await Promise.allSettled(bombs);
});

test('counting that is given up ends, whether it has begun or not', async () => {
  await using counter = openLayerCounter();
  await using large = await fileOf(gzipSync(Buffer.alloc(2 ** 28)));
  const giving = new AbortController();
  const counts = [1, 2].map(() => counter.count({ payer: 'x', file: large, maxBytes: 2 ** 40 }, giving.signal));
  giving.abort();
  for (const { status } of await Promise.allSettled(counts)) assert.equal(status, 'rejected');
  await using small = await fileOf(gzipSync('small'));
  const { kind } = await counter.count({ payer: 'x', file: small, maxBytes: 100 }, signal);
  assert.equal(kind, 'counted');
});

test('the bytes of a layer are charged to its client, also if the layer is refused or its count is given up', async () => {
  const spent = new Map<string, number>();
  await using counter = openLayerCounter((payer, bytes) => spent.set(payer, bytes));
  const content = Buffer.alloc(2 ** 20);
  const files = { good: gzipSync(content), broken: gzipSync(content).subarray(0, -8) };
  for (const [payer, bytes] of Object.entries(files)) {
    await using file = await fileOf(bytes);
    await counter.count({ payer, file, maxBytes: 2 ** 40 }, signal);
  }
  await using large = await fileOf(gzipSync(Buffer.alloc(2 ** 28)));
  assert.deepEqual(await counter.count({ payer: 'large', file: large, maxBytes: 2 ** 22 }, signal), {
    kind: 'too-large',
  });
  assert.deepEqual([spent.get('good'), spent.get('broken'), spent.get('large')], [2 ** 20, 2 ** 20, 2 ** 22]);
});

test('layers are counted in a process with a lower priority, which ends with the counter', async () => {
  const counter = openLayerCounter();
  await using small = await fileOf(gzipSync('small'));
  await counter.count({ payer: 'x', file: small, maxBytes: 100 }, signal);
  const pids = await counting();
  assert.deepEqual([pids.length, getPriority(pids[0])], [1, 10]);
  await counter[Symbol.asyncDispose]();
  while ((await counting()).length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
});

/** The ids of the counting processes that this process has started. */
async function counting(): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const statuses = await Promise.all(
    pids.map(async (pid) => {
      const [status, command] = await Promise.all(
        ['status', 'cmdline'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')),
      );
      return {
        pid,
        isCounting: status!.includes(`\nPPid:\t${process.pid}\n`) && command!.includes('layer-counter-worker'),
      };
    }),
  );
  return statuses.filter(({ isCounting }) => isCounting).map(({ pid }) => Number(pid));
}
