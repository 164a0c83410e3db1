import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLayerOrder } from './layer-order.ts';

const never = new AbortController().signal;

/** Chunks that come when they are given. */
function source() {
  const chunks: Buffer[] = [];
  let given = Promise.withResolvers<void>();
  let isOver = false;
  return {
    give(...texts: string[]) {
      chunks.push(...texts.map((text) => Buffer.from(text)));
      given.resolve();
    },
    end() {
      isOver = true;
      given.resolve();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const chunk = chunks.shift();
        if (chunk) yield chunk;
        else if (isOver) return;
        else {
          await given.promise;
          given = Promise.withResolvers();
        }
      }
    },
  };
}

async function readAll(chunks: AsyncIterable<Buffer>, told: (text: string) => void | Promise<void>): Promise<void> {
  for await (const chunk of chunks) await told(chunk.toString());
}

test('the layers of an image pass one after the other where all of them are there', async () => {
  // The clock stands: between two pieces no time passes.
  const order = createLayerOrder(() => 0);
  const came: string[] = [];
  const layers = ['a', 'b', 'c'].map((name, at) => {
    const layer = source();
    layer.give(...[1, 2, 3].map((piece) => `${name}${piece}`));
    layer.end();
    return readAll(order.pass(at, layer, never), (text) => void came.push(text));
  });
  await Promise.all(layers);
  assert.deepEqual(came, ['a1', 'a2', 'a3', 'b1', 'b2', 'b3', 'c1', 'c2', 'c3']);
});

test('a layer whose registry lets it wait holds up no other one, and goes first again when it comes', async () => {
  const order = createLayerOrder();
  const [slow, quick] = [source(), source()];
  const came: string[] = [];
  const slowly = readAll(order.pass(0, slow, never), (text) => void came.push(text));
  quick.give('b1', 'b2');
  quick.end();
  await readAll(order.pass(1, quick, never), (text) => void came.push(text));
  slow.give('a1');
  slow.end();
  await slowly;
  assert.deepEqual(came, ['b1', 'b2', 'a1']);
});

test('a layer of which nobody takes anything holds up no other one for long', async () => {
  let now = 0;
  const order = createLayerOrder(() => now);
  const [stuck, other] = [source(), source()];
  const taken = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  stuck.give('a1');
  stuck.end();
  const stuckly = readAll(order.pass(0, stuck, never), async () => {
    begun.resolve();
    await taken.promise;
  });
  await begun.promise;
  now = 10_000;
  other.give('b1');
  other.end();
  const came: string[] = [];
  await readAll(order.pass(1, other, never), (text) => void came.push(text));
  assert.deepEqual(came, ['b1']);
  taken.resolve();
  await stuckly;
});

test('who waits for his turn is told that nobody wants his layer any more, and nobody waits for him', async () => {
  const order = createLayerOrder(() => 0);
  const [first, second, third] = [source(), source(), source()];
  const release = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  first.give('a1');
  first.end();
  const firstly = readAll(order.pass(0, first, never), async () => {
    begun.resolve();
    await release.promise;
  });
  await begun.promise;
  const leaving = new AbortController();
  second.give('b1');
  const secondly = readAll(order.pass(1, second, leaving.signal), () => assert.fail('it has left'));
  third.give('c1');
  third.end();
  const came: string[] = [];
  const thirdly = readAll(order.pass(2, third, never), (text) => void came.push(text));
  leaving.abort(new Error('has left'));
  await assert.rejects(secondly, /has left/);
  release.resolve();
  await Promise.all([firstly, thirdly]);
  assert.deepEqual(came, ['c1']);
});
