import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type HeldDuty, pauseMs, runRounds } from './rounds.ts';

const fails = (fault: unknown) => assert.fail(String(fault));

/** Pauses that the test ends; each one's length is noted. */
function pauses() {
  const requested: number[] = [];
  let end = () => {};
  let begun = Promise.withResolvers<void>();
  const wait = (ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => {
      requested.push(ms);
      end = resolve;
      signal?.addEventListener('abort', () => resolve());
      if (signal?.aborted) resolve();
      begun.resolve();
      begun = Promise.withResolvers();
    });
  /** Resolves in the next pause. */
  const next = async (act: () => void = () => end()) => {
    const paused = begun.promise;
    act();
    await paused;
  };
  return { asked: requested, wait, next, first: () => begun.promise };
}

test('rounds pause for their time, and for longer while they fail, of which the first fault alone is reported', async () => {
  const { asked, wait, next, first } = pauses();
  const faults: unknown[] = [];
  let isBroken = false;
  const work = async () => {
    if (isBroken) throw new Error('away');
  };
  const options = { name: 'test', everyMs: 1_000, work, wait, random: () => 0.5 };
  const begun = first();
  await using rounds = runRounds({ ...options, onFault: (fault) => faults.push(fault) });
  await begun;
  isBroken = true;
  for (let round = 0; round < 7; round++) await next();
  isBroken = false;
  await next();
  assert.deepEqual(asked, [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000, 1_000]);
  assert.equal(faults.length, 1);
  await next(rounds.soon);
  assert.equal(asked.length, 10);
});

test('rounds with a schedule pause for exactly as long as it says, also while they fail', async () => {
  const { asked, wait, next, first } = pauses();
  const times = [70, 30, 50];
  const begun = first();
  await using _ = runRounds({
    ...{ name: 'test', wait, random: () => 0, onFault: () => {} },
    everyMs: () => times.shift()!,
    work: async () => {
      throw new Error('away');
    },
  });
  await begun;
  await next();
  await next();
  assert.deepEqual(asked, [70, 30, 50]);
});

test('rounds of a duty are of the process that has it, which gives it up at the end', async () => {
  const { wait, next, first } = pauses();
  let holder: string | undefined;
  const dutyOf = (name: string): HeldDuty => ({
    async take() {
      holder ??= name;
      return holder === name;
    },
    leave: async () => {
      if (holder === name) holder = undefined;
    },
  });
  const done: string[] = [];
  const start = (name: string) =>
    runRounds({
      ...{ name, everyMs: 10, wait, duty: dutyOf(name), onFault: fails },
      work: async () => void done.push(name),
    });
  const begun = first();
  const one = start('one');
  await begun;
  const alsoBegun = first();
  await using two = start('two');
  await alsoBegun;
  assert.deepEqual(done, ['one']);
  await one[Symbol.asyncDispose]();
  await next(two.soon);
  assert.deepEqual(done, ['one', 'two']);
});

test('disposing waits for the current round, and its fault is not reported', async () => {
  const { promise: held, reject } = Promise.withResolvers<void>();
  const rounds = runRounds({ name: 'test', everyMs: 10, work: () => held, onFault: fails });
  let isOver = false;
  const ending = rounds[Symbol.asyncDispose]().then(() => {
    isOver = true;
  });
  await new Promise(setImmediate);
  assert.equal(isOver, false);
  reject(new Error('the service stops'));
  await ending;
});

test('a pause is its time give or take a tenth, and never longer than half a minute unless its time is', () => {
  assert.deepEqual([pauseMs(1_000, 0, () => 0), Math.round(pauseMs(1_000, 0, () => 0.999_999))], [900, 1_100]);
  assert.equal(
    pauseMs(60_000, 9, () => 0.5),
    60_000,
  );
  assert.equal(
    pauseMs(1_000, 1e9, () => 0.5),
    30_000,
  );
});
