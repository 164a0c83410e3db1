import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LogLine } from '../../engine/engine.ts';
import { lastLinesOf } from './last-lines.ts';

const engineOf = (...texts: string[]) => ({
  logs: async () => texts.map((text): LogLine => ({ at: 0, text, mark: '' })),
});

test('a line of any length is shown as its beginning, without the secrets of which a part would be left', async () => {
  const secret = 'very-secret-0123';
  const redact = (text: string) => text.replaceAll(secret, '[redacted]');
  const long = `${'x'.repeat(490)}${secret}${'y'.repeat(60_000)}`;
  const [first, second] = await lastLinesOf(engineOf(long, 'short'), 'web', redact);
  assert.equal(first, `${'x'.repeat(490)}[redacted]…`);
  assert.equal(second, 'short');
});
