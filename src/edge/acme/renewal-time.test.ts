import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readSuggestion, renewalAt, suggestedRenewal } from './authority.ts';

const hour = 3_600_000;
const day = 24 * hour;
const now = 20_000 * day;
const random = fc.double({ min: 0, max: 1, noNaN: true });

test('without a word of the authority two thirds of a life pass, less up to a twentieth', () => {
  assert.equal(renewalAt({ now, expiresAt: now + 90 * day, random: 0 }), now + 60 * day);
  assert.equal(renewalAt({ now, expiresAt: now + 90 * day, random: 1 }), now + 55.5 * day);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 400 * day }), random, (left, random) => {
      const at = renewalAt({ now, expiresAt: now + left, random });
      assert.ok(at >= now && at <= now + left);
    }),
  );
});

test('a window of the authority is read, and an invalid one is ignored', () => {
  const window = (start: string, end: string) => ({ suggestedWindow: { start, end } });
  const [start, end] = ['2026-01-02T04:00:00Z', '2026-01-03T04:00:00Z'];
  const read = (retryAfter: unknown) => readSuggestion(window(start, end), retryAfter)?.retryAfterMs;
  assert.deepEqual(readSuggestion(window(start, end), '21600'), {
    start: Date.parse(start),
    end: Date.parse(end),
    retryAfterMs: 6 * hour,
  });
  assert.deepEqual([read('1'), read('999999999'), read(undefined), read('soon')], [hour, day, 6 * hour, 6 * hour]);
  for (const body of [undefined, null, 'x', {}, { suggestedWindow: null }, window(end, start), window('x', end)])
    assert.equal(readSuggestion(body, undefined), undefined);
});

test('an instant of the window is chosen once, and a window that moves is followed', () => {
  const window = { start: now, end: now + day, retryAfterMs: hour };
  const expiresAt = now + 30 * day;
  fc.assert(
    fc.property(random, random, (first, second) => {
      const at = suggestedRenewal(window, { present: now + 10 * day, expiresAt, random: first });
      assert.ok(at >= window.start && at <= window.end);
      assert.equal(suggestedRenewal(window, { present: at, expiresAt, random: second }), at);
      const revoked = { ...window, start: now - 2 * day, end: now - day };
      assert.ok(suggestedRenewal(revoked, { present: at, expiresAt, random: second }) < now);
      const late = { ...window, start: expiresAt + day, end: expiresAt + 2 * day };
      assert.ok(suggestedRenewal(late, { present: at, expiresAt, random: second }) <= expiresAt);
    }),
  );
});
