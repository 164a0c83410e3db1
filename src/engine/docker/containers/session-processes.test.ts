import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readProcess, sessionOf } from './session-processes.ts';

test('a command is its session with all children, of whatever session, and nothing else of the container', () => {
  const processes = [
    { pid: 10, parent: 1, session: 10 },
    { pid: 11, parent: 10, session: 10 },
    { pid: 20, parent: 1, session: 20 },
    { pid: 21, parent: 20, session: 20 },
    // Its parent has ended.
    { pid: 22, parent: 1, session: 20 },
    { pid: 24, parent: 23, session: 24 },
    { pid: 23, parent: 21, session: 23 },
  ];
  assert.deepEqual(
    sessionOf(20, processes).sort((a, b) => a - b),
    [20, 21, 22, 23, 24],
  );
  assert.deepEqual(sessionOf(99, processes), []);
});

test('a name that looks like the numbers behind it changes nothing, and who waits to be reaped is left out', () => {
  assert.deepEqual(readProcess('42 (a) S 1 1 1) S 7 42 30 0'), { pid: 42, parent: 7, session: 30 });
  assert.equal(readProcess('42 (gone) Z 7 42 30 0'), undefined);
  assert.equal(readProcess(''), undefined);
  assert.equal(readProcess('1 (init) S 0 1 1 0'), undefined);
});
