import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endIn, parseEnds } from './exits.ts';

const event = (Action: string, atMs: number, exitCode?: number) =>
  JSON.stringify({
    Action,
    timeNano: atMs * 1e6,
    Actor: { Attributes: exitCode === undefined ? {} : { exitCode: `${exitCode}` } },
  });

test('the end of an instant is the first that is told from then on', () => {
  const ends = parseEnds([event('die', 1_000, 3), event('die', 5_000, 4)]);
  assert.deepEqual(endIn(ends, 999), { code: 3, isOutOfMemory: false });
  assert.deepEqual(endIn(ends, 1_001), { code: 4, isOutOfMemory: false });
  assert.equal(endIn(ends, 5_001), undefined);
});

test('who was killed for memory may be told so before its end or just after it', () => {
  const ends = parseEnds([
    ...[event('oom', 900), event('die', 1_000, 137)],
    ...[event('die', 2_000, 3)],
    ...[event('die', 3_000, 137), event('oom', 3_050)],
    ...[event('die', 4_000, 137)],
  ]);
  assert.deepEqual(
    ends.map(({ code, isOutOfMemory }) => [code, isOutOfMemory]),
    [
      [137, true],
      [3, false],
      [137, true],
      [137, false],
    ],
  );
});

test('an end that does not say its code is none', () => {
  assert.deepEqual(parseEnds([event('die', 1_000)]), []);
});
