import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { withoutTerminalCommands } from './terminal-commands.ts';

test('the same commands are removed as by Node, unless one is in a title', () => {
  const piece = fc.constantFrom('\x1b[', '\x9b', '\x1b(', '\x1b', '[', ';', ':', '?', '31', 'm', 'J', 'c', 'a', '\x07');
  const title = fc.constantFrom('\x1b]0;title\x07', '\x1b]8;;https://example.com\x1b\\', '\x1b]0;title\x9c');
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, title)), (pieces) => {
      const text = pieces.join('');
      assert.equal(withoutTerminalCommands(text), stripVTControlCharacters(text));
    }),
  );
});

test('megabytes of titles without an end do not occupy the service', () => {
  for (const repeated of ['\x1b]', '\x1b]0;', '\x1b]a', '\x1b[', '\x1b[;', '\x1b;1', '\x9b']) {
    const text = repeated.repeat(2 ** 22 / repeated.length);
    assert.ok(withoutTerminalCommands(text).length <= text.length);
  }
});
