/** Hints in the words of the command and of the dashboard, in the place of those of the service, which name requests. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commands } from '../../src/cli/command-table.ts';
import { hintOf } from '../../src/cli/own-hints.ts';
import { problemCodes } from '../../src/lib/problem.ts';
import { ownHints } from '../../web/src/service/own-hints.ts';

test('hints of the command name commands that there are, and no request', () => {
  const own = Object.keys(problemCodes).flatMap((code) => hintOf({ code, hint: undefined } as never) ?? []);
  assert.ok(own.length >= 9);
  for (const hint of own) {
    assert.doesNotMatch(hint, /\b(?:GET|POST|DELETE) \//);
    for (const [, name] of hint.matchAll(/"berth ([a-z]+)/g)) assert.ok(Object.hasOwn(commands, name!), hint);
  }
});

test('hints of the dashboard are for refusals that there are', () => {
  assert.ok(ownHints.size >= 10);
  for (const code of ownHints.keys()) assert.ok(Object.hasOwn(problemCodes, code), code);
});
