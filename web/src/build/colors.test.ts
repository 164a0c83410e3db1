import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readColors } from './colors.ts';

test('colors and styles become names, until they are reset', () => {
  assert.deepEqual(readColors('a\x1b[1;31mb\x1b[22mc\x1b[39md\n\x1b[92me\x1b[0mf'), [
    { text: 'a', style: '' },
    { text: 'b', style: 'style-bold color-red' },
    { text: 'c', style: 'color-red' },
    { text: 'd\n', style: '' },
    { text: 'e', style: 'color-green' },
    { text: 'f', style: '' },
  ]);
});

test('markup stays text, and unknown codes have no effect', () => {
  const hostile = '<img src=x onerror=alert(1)>\x1b[38;5;196m"\x1b[;99999999999999999999m';
  assert.deepEqual(
    readColors(`${hostile}end`)
      .map(({ text }) => text)
      .join(''),
    '<img src=x onerror=alert(1)>"end',
  );
  for (const { style } of readColors(`${hostile}end`)) assert.match(style, /^(?:(?:color|style)-[a-z]+ ?)*$/);
});

test('output that changes its color all the time has no more parts than a page can show', () => {
  const parts = readColors('\x1b[31ma\x1b[32mb'.repeat(50_000));
  assert.equal(parts.length, 5_000);
  assert.equal(parts.map(({ text }) => text).join(''), 'ab'.repeat(50_000));
});
