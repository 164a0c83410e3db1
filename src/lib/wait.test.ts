import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wait } from './wait.ts';

test('a wait ends after its time, and at the abort', async () => {
  await wait(1);
  const abort = new AbortController();
  const waiting = wait(60_000, abort.signal);
  abort.abort();
  await waiting;
  await wait(60_000, abort.signal);
});

test('a wait that is longer than a timer can count does not end at once', async () => {
  const abort = new AbortController();
  const long = wait(1e12, abort.signal).then(() => 'long');
  assert.equal(await Promise.race([long, wait(20).then(() => 'short')]), 'short');
  abort.abort();
  assert.equal(await long, 'long');
});
