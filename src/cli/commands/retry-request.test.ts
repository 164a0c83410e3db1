import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer, Problem } from '../../client/request.ts';
import { retryRequest } from './command.ts';

type Asked = Answer<string>;

const refused = (problem: Partial<Problem>): Asked => ({
  ok: false,
  problem: { status: 503, code: 'x', error: 'It restarts.', ...problem },
});
const silence = refused({ status: 0, error: 'It does not answer.' });
const good: Asked = { ok: true, value: 'running' };

/**
 * Returns the answers one after another, the last one repeatedly. `waited`: the time in milliseconds, which only
 * waiting advances.
 */
async function played(answers: readonly Asked[], signal = new AbortController().signal) {
  const notes: string[] = [];
  const waited: number[] = [];
  let requested = 0;
  const wait = async (ms: number) => void waited.push(ms);
  const nowMs = () => waited.reduce((sum, ms) => sum + ms, 0);
  const terminal = { printNote: (words: string) => void notes.push(words) } as Parameters<
    typeof retryRequest
  >[0]['terminal'];
  const answer = await retryRequest(
    { terminal, signal },
    async () => answers[Math.min(requested++, answers.length - 1)]!,
    {
      wait,
      nowMs,
      random: () => 1,
    },
  );
  return { answer, notes, waited };
}

test('a request is repeated while the service does not answer, fails or restarts, which is printed once', async () => {
  const { answer, notes, waited } = await played([silence, refused({}), refused({ status: 500 }), good]);
  assert.deepEqual(answer, good);
  assert.deepEqual(notes, ['It does not answer. Trying again …']);
  assert.deepEqual(waited, [500, 1_000, 2_000]);
});

test('a retry follows the requested delay', async () => {
  const { waited } = await played([refused({ status: 429, retryAfterSeconds: 30 }), good]);
  assert.deepEqual(waited, [30_000]);
});

test('a refusal that stays is the answer at once', async () => {
  const gone = refused({ status: 404 });
  assert.deepEqual(await played([gone, good]), { answer: gone, notes: [], waited: [] });
});

test('after a minute and a half of silence that is the answer, and after Ctrl-C at once', async () => {
  const { answer, waited } = await played([silence]);
  assert.deepEqual(answer, silence);
  const totalMs = waited.reduce((sum, ms) => sum + ms, 0);
  assert.ok(totalMs > 80_000 && totalMs <= 90_000, `${totalMs} ms`);
  assert.deepEqual(await played([silence, good], AbortSignal.abort()), { answer: silence, notes: [], waited: [] });
});
