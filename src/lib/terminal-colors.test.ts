import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { keepColors, withoutColors } from './terminal-colors.ts';

test('colors and styles of text stay, and each line ends with its own', () => {
  assert.equal(keepColors('a\tb\r\nc'), 'a\tb\nc');
  assert.equal(keepColors('\x1b[1;31merror\x1b[0m: no'), '\x1b[1;31merror\x1b[0m: no\x1b[0m');
  assert.equal(keepColors('\x1b[92mok\x1b[m'), '\x1b[92mok\x1b[0m');
  assert.equal(keepColors('\x1b[32mone\ntwo'), '\x1b[32mone\x1b[0m\ntwo');
});

test('commands that move the cursor, hide text, set a title or make a link are removed', () => {
  for (const hostile of [
    '\x1b[2J\x1b[1;1H',
    '\x1b[8m',
    '\x1b[40m',
    '\x1b[38;5;1m',
    '\x1b[48;2;0;0;0m',
    '\x1b]0;title\x07',
    '\x1b]8;;https://example.com\x1b\\',
    '\x9b31m',
    '\x1bc',
    '\x07\x08',
  ])
    assert.equal(keepColors(`a${hostile}b`), 'ab', JSON.stringify(hostile));
});

test('nothing but colors is left of any output, and without them it is plain text', () => {
  const piece = fc.constantFrom(
    '\x1b',
    '[',
    ']',
    '8',
    ';',
    '31',
    'm',
    '\x07',
    '\x9b',
    'a',
    '\n',
    '\r',
    '\x1b[31m',
    '\\',
    '\ud800',
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const text = keepColors(pieces.join(''));
      // biome-ignore lint/suspicious/noControlCharactersInRegex: escape begins a command of a terminal
      const left = text.replaceAll(/\x1b\[(?:\d|2[234]|3[0-79]|9[0-7])(?:;(?:\d|2[234]|3[0-79]|9[0-7]))*m/g, '');
      assert.doesNotMatch(left, /(?![\t\n])\p{Cc}/u);
      assert.equal(withoutColors(text), left);
      assert.equal(keepColors(text), text);
    }),
  );
});
