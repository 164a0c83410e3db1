import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { pullFault } from './image-faults.ts';
import { createPullProgress, type PullLine } from './pull-progress.ts';

test('a full disk is told as that, and not what the engine says of it', () => {
  const { kind, message, hint } = pullFault(new Error('write /var/lib/docker/tmp/x: no space left on device'), 'a:1');
  assert.deepEqual(
    [kind, message, hint],
    ['unavailable', 'Out of disk: the host has no space left for image a:1.', 'its operator has to make room'],
  );
});

test('an engine that cannot be reached, or ends during a pull, is not the fault of the registry', () => {
  for (const [text, code] of [
    ['connect ENOENT /var/run/docker.sock', 'ENOENT'],
    ['socket hang up', 'ECONNRESET'],
    ['aborted', 'ECONNRESET'],
  ] as const) {
    const { kind, message } = pullFault(Object.assign(new Error(text), { code }), 'r.example/x:1');
    assert.deepEqual([kind, message], ['unavailable', 'The container engine does not answer.']);
  }
});

test('progress counts bytes over all layers, the unknown ones as the mean of the known', () => {
  const progress = createPullProgress();
  const line = (id: string, status: string, current?: number, total?: number): PullLine => ({
    id,
    status,
    ...(total && { progressDetail: { current: current ?? 0, total } }),
  });
  assert.equal(progress(line('1', 'Pulling from library/nginx')), 0);
  assert.equal(progress(line('a', 'Pulling fs layer')), 0);
  assert.equal(progress(line('b', 'Pulling fs layer')), 0);
  assert.equal(progress(line('old', 'Already exists')), 0);
  assert.equal(progress(line('a', 'Downloading', 50, 100)), (0.8 * 50) / 200);
  assert.equal(progress(line('a', 'Download complete')), (0.8 * 100) / 200);
  assert.equal(progress(line('b', 'Downloading', 0, 300)), 0.4, 'never less than before');
  progress(line('a', 'Pull complete'));
  progress(line('b', 'Extracting', 150, 300));
  assert.equal(progress(line('b', 'Pull complete')), 1);
});

test('progress grows from 0 to at most 1, whatever Docker says', () => {
  const statuses = ['Pulling fs layer', 'Downloading', 'Download complete', 'Extracting', 'Pull complete', 'Waiting'];
  const line = fc.record({
    id: fc.constantFrom('a', 'b', 'c'),
    status: fc.constantFrom(...statuses),
    progressDetail: fc.record({ current: fc.nat(200), total: fc.integer({ min: -1, max: 200 }) }, { requiredKeys: [] }),
  });
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      const progress = createPullProgress();
      let before = 0;
      for (const each of lines) {
        const share = progress(each);
        assert.ok(share >= before && share <= 1);
        before = share;
      }
    }),
  );
});
