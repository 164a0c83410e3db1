import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isEndOf } from './exec.ts';

const event = (Action: string, execID?: string) =>
  JSON.stringify({ Action, Actor: { Attributes: { ...(execID && { execID }), exitCode: '0' } } });

test('a command ends by its own event or with its container, and not by that of another command', () => {
  assert.equal(isEndOf(event('exec_die', 'a1'), 'a1'), true);
  assert.equal(isEndOf(event('die'), 'a1'), true);
  assert.equal(isEndOf(event('exec_die', 'b2'), 'a1'), false);
  assert.equal(isEndOf(event('exec_die'), 'a1'), false);
  for (const line of ['', '{', 'null', '{"Action":1}']) assert.equal(isEndOf(line, 'a1'), false, line);
});
