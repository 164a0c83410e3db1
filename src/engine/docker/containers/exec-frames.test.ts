import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readFrames } from './exec-frames.ts';

test('both outputs arrive as they were written, however the bytes are cut on their way', async () => {
  const frame = fc.record({
    from: fc.constantFrom('stdout' as const, 'stderr' as const),
    bytes: fc.uint8Array({ maxLength: 40 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(frame), fc.infiniteStream(fc.integer({ min: 1, max: 15 })), async (frames, sizes) => {
      const sent = Buffer.concat(
        frames.flatMap(({ from, bytes }) => {
          const head = Buffer.alloc(8);
          head[0] = from === 'stdout' ? 1 : 2;
          head.writeUInt32BE(bytes.length, 4);
          return [head, bytes];
        }),
      );
      async function* cut() {
        for (let at = 0; at < sent.length; ) {
          const size = sizes.next().value as number;
          yield sent.subarray(at, at + size);
          at += size;
        }
      }
      const got = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
      for await (const { from, bytes } of readFrames(cut())) got[from].push(bytes);
      for (const output of ['stdout', 'stderr'] as const) {
        const written = frames.filter(({ from }) => from === output).map(({ bytes }) => bytes);
        assert.deepEqual(Buffer.concat(got[output]), Buffer.concat(written));
      }
    }),
  );
});
