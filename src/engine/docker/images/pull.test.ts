import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { pullFault } from './pull.ts';
import { type PullLine, watchPull } from './pull-progress.ts';

test('a full disk is reported as such, without the engine’s own message', () => {
  const { kind, message, hint } = pullFault(new Error('write /var/lib/docker/tmp/x: no space left on device'), 'a:1');
  assert.deepEqual(
    [kind, message, hint],
    ['unavailable', 'Out of disk: the host has no space left for image a:1.', 'the operator has to make room'],
  );
});

test('an engine that cannot be reached, or ends during a pull, is not the fault of the registry', () => {
  for (const [text, code] of [
    ['connect ENOENT /var/run/docker.sock', 'ENOENT'],
    ['socket hang up', 'ECONNRESET'],
    ['aborted', 'ECONNRESET'],
  ] as const) {
    const { kind, message } = pullFault(Object.assign(new Error(text), { code }), 'r.example/x:1');
    assert.deepEqual([kind, message], ['unavailable', 'The container engine does not respond.']);
  }
});

const digestOf = (letter: string) => `sha256:${letter.repeat(64)}`;
const layers = [
  { digest: digestOf('a'), diffId: digestOf('d'), sizeBytes: 100 },
  { digest: digestOf('b'), diffId: digestOf('e'), sizeBytes: 300 },
  { digest: digestOf('c'), diffId: digestOf('f'), sizeBytes: 1000 },
];
const line = (letter: string, status: string, current = 0, total = 0): PullLine => ({
  id: letter.repeat(12),
  status,
  progressDetail: { current, total },
});

test('progress counts bytes over all layers that are not here yet', () => {
  const { line: progress, passed } = watchPull(layers);
  assert.deepEqual(progress({ id: '1', status: 'Pulling from library/nginx' }), {
    share: 0,
    bytes: { doneBytes: 0, totalBytes: 1400 },
  });
  assert.equal(progress(line('c', 'Already exists')).bytes.totalBytes, 400);
  // The gate reports how much has come.
  progress(line('a', 'Downloading', 5_000));
  assert.deepEqual(passed(digestOf('a'), 50), { share: (0.8 * 50) / 400, bytes: { doneBytes: 50, totalBytes: 400 } });
  assert.equal(progress(line('a', 'Download complete')).share, (0.8 * 100) / 400);
  progress(line('a', 'Pull complete'));
  assert.deepEqual(progress(line('b', 'Extracting', 4_500, 9_000)), {
    share: 0.8 + (0.2 * 250) / 400,
    bytes: { doneBytes: 400, totalBytes: 400 },
  });
  assert.equal(progress(line('b', 'Pull complete')).share, 1);
});

test('progress grows from 0 to at most 1, for any output of Docker', () => {
  const statuses = ['Pulling fs layer', 'Downloading', 'Download complete', 'Extracting', 'Pull complete', 'Waiting'];
  const any = fc
    .tuple(
      fc.constantFrom('a', 'b', 'd', 'x'),
      fc.constantFrom(...statuses, 'passed'),
      fc.integer({ min: -1, max: 2000 }),
      fc.integer({ min: 0, max: 2000 }),
    )
    .map(([letter, status, current, total]) => ({ ...line(letter, status, current, total), letter, current }));
  fc.assert(
    fc.property(fc.array(any), (lines) => {
      const watch = watchPull(layers);
      let before = 0;
      for (const each of lines) {
        const isPassed = each.status === 'passed';
        const { share, bytes } = isPassed ? watch.passed(digestOf(each.letter), each.current) : watch.line(each);
        assert.ok(share >= before && share <= 1);
        assert.ok(bytes.doneBytes >= 0 && bytes.doneBytes <= bytes.totalBytes);
        before = share;
      }
    }),
  );
});
