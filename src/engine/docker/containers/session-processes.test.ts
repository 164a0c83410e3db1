import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { kill, leaderOf, readProcess, sessionOf } from './exec-journal.ts';

const processes = [
  { pid: 10, parent: 1, session: 10, startedAt: 100 },
  { pid: 11, parent: 10, session: 10, startedAt: 101 },
  { pid: 20, parent: 1, session: 20, startedAt: 200 },
  { pid: 21, parent: 20, session: 20, startedAt: 201 },
  // The parent process has ended.
  { pid: 22, parent: 1, session: 20, startedAt: 202 },
  { pid: 24, parent: 23, session: 24, startedAt: 204 },
  { pid: 23, parent: 21, session: 23, startedAt: 203 },
];
const pidsOf = (...of: Parameters<typeof sessionOf>) => sessionOf(...of).map(({ pid }) => pid);

test('a command is its session with all children, in any session, and nothing else of the container', () => {
  assert.deepEqual(pidsOf({ pid: 20, startedAt: 200 }, processes), [20, 21, 22, 24, 23]);
  assert.deepEqual(pidsOf({ pid: 99, startedAt: 1 }, processes), []);
});

test('who has the number of a leader that has ended is not taken for it, and who is left of its session is found', () => {
  assert.deepEqual(pidsOf({ pid: 20, startedAt: 7 }, processes), []);
  assert.deepEqual(pidsOf({ pid: 20 }, processes), []);
  const left = processes.filter(({ pid }) => pid !== 20);
  assert.deepEqual(pidsOf({ pid: 20 }, left), [21, 22, 24, 23]);
});

test('a process that has got the number of another one since the look is not killed', async () => {
  const child = spawn('sleep', ['7373']);
  await once(child, 'spawn');
  const entry = readProcess(await readFile(`/proc/${child.pid}/stat`, 'utf8'))!;
  assert.deepEqual(await leaderOf(entry.pid), { pid: entry.pid, startedAt: entry.startedAt });
  kill({ ...entry, startedAt: entry.startedAt - 1 });
  // The signal is delivered before the call returns. Otherwise the process could end before the next signal.
  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'exit'), [null, 'SIGTERM']);
  kill(entry);
  assert.deepEqual(await leaderOf(entry.pid), { pid: entry.pid });

  const other = spawn('sleep', ['7373']);
  await once(other, 'spawn');
  kill(readProcess(await readFile(`/proc/${other.pid}/stat`, 'utf8'))!);
  assert.deepEqual(await once(other, 'exit'), [null, 'SIGKILL']);
});

test('a name that looks like the numbers behind it changes nothing, and who waits to be reaped is left out', () => {
  assert.deepEqual(readProcess(`42 (a) S 1 1 1) S 7 42 30 ${'0 '.repeat(15)}987 0`), {
    pid: 42,
    parent: 7,
    session: 30,
    startedAt: 987,
  });
  assert.equal(readProcess('42 (gone) Z 7 42 30 0'), undefined);
  assert.equal(readProcess(''), undefined);
  assert.equal(readProcess('1 (init) S 0 1 1 0'), undefined);
});
