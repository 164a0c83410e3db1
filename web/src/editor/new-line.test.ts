import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EditorState, type Transaction } from '@codemirror/state';
import { cursorAt } from './cursor.ts';
import { indentAfter, newLine } from './new-line.ts';

test('a line after a key without a value is indented one step more than the key', () => {
  assert.equal(indentAfter('application:', false), 2);
  assert.equal(indentAfter('  pods:', false), 4);
  assert.equal(indentAfter('    - vars:', false), 8);
  assert.equal(indentAfter('          content: |', false), 12);
  assert.equal(indentAfter('          content: >-', false), 12);
});

test('a line after a key with a value begins at the next key of the same map', () => {
  assert.equal(indentAfter('  name: shop', false), 2);
  assert.equal(indentAfter('    - name: web', false), 6);
  assert.equal(indentAfter('      image: nginx:1', false), 6);
  assert.equal(indentAfter('      files: [{ path: /a }]', false), 6);
});

test('other lines are followed by a line with the same indentation', () => {
  assert.equal(indentAfter('    - redis', false), 4);
  assert.equal(indentAfter('      ', false), 6);
  assert.equal(indentAfter('      if (x) { // yes:', true), 6);
  assert.equal(indentAfter('  # a note:', true), 2);
  assert.equal(indentAfter('  resources: { limits:', false), undefined);
});

test('Enter at the end of a line writes the new line; elsewhere, the editor handles it', () => {
  const run = (text: string, at = text.length) => {
    const state = EditorState.create({ doc: text, selection: { anchor: at } });
    let after: string | undefined;
    const isText = (lines: readonly string[], line: number, column: number) =>
      cursorAt(lines, line, column).kind === 'none';
    const dispatch = ({ newDoc }: Transaction) => {
      after = newDoc.toString();
    };
    const taken = newLine(isText)({ state, dispatch });
    return taken ? after : undefined;
  };
  assert.equal(run('application:'), 'application:\n  ');
  assert.equal(
    run('a:\n  files:\n    - content: |\n        if x:'),
    'a:\n  files:\n    - content: |\n        if x:\n        ',
  );
  assert.equal(run('application:  ', 12), 'application:\n  ');
  assert.equal(run('name: shop', 4), undefined);
});
