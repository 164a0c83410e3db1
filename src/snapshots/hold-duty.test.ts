import assert from 'node:assert/strict';
import { test } from 'node:test';
import { holdDuty } from './open.ts';

/** Holds a duty of 30 s; `answers`: the result of each attempt, ten seconds apart. `sleeps`: added to each wait. */
async function hold(
  answers: (boolean | 'away')[],
  sleeps: number[] = [],
): Promise<{ lostAfter: number | undefined; because?: string }> {
  const stop = new AbortController();
  let now = 1_000;
  let requested = 0;
  let waits = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  const lost = holdDuty({
    forMs: 30_000,
    stop: stop.signal,
    elapsed: () => now,
    wait: async (ms) => {
      now += ms + (sleeps[waits++] ?? 0);
      if (waits <= answers.length) return;
      stop.abort();
      resolve();
    },
    renew: async () => {
      const answer = answers[requested++]!;
      if (answer === 'away') throw new Error('The database is away.');
      return answer;
    },
  });
  lost.addEventListener('abort', () => resolve());
  await promise;
  return lost.aborted ? { lostAfter: waits, because: lost.reason.message } : { lostAfter: undefined };
}

test('a duty is held for as long as it can be renewed', async () => {
  assert.deepEqual(await hold([true, true, 'away', true, 'away', true]), { lostAfter: undefined });
});

test('it is lost when another process has it', async () => {
  assert.deepEqual(await hold([true, false, true]), { lostAfter: 2, because: 'Another process has the duty.' });
});

test('it is lost when it was not renewed in time, without a notification', async () => {
  assert.deepEqual(await hold(['away', 'away', 'away', true]), {
    lostAfter: 3,
    because: 'The duty was not renewed for 30000 ms.',
  });
});

test('it is lost to a process that has slept, and not requested again', async () => {
  assert.deepEqual(await hold([true, true, true], [0, 60_000]), {
    lostAfter: 2,
    because: 'The duty was not renewed for 70000 ms.',
  });
});
