import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printDiagnostic } from '../diagnostics/diagnostics.ts';
import { applyEdits } from '../fix.ts';
import { readSource } from './source.ts';

type Row = [cause: string, text: string, said: RegExp, fixed?: string];

const rows: Row[] = [
  ['a tab', 'a:\n\tb: 1\n', /^2:1 the line is indented with a tab/, 'a:\n  b: 1\n'],
  ['a tab below a good line', 'a:\n  b: 1\n\tc: 2\n', /^3:1 .*tab/, 'a:\n  b: 1\n  c: 2\n'],
  [
    'no space after a colon',
    'a:\n  name:shop\n  b: 1\n',
    /^2:8 a space is missing after the colon of "name:"/,
    'a:\n  name: shop\n  b: 1\n',
  ],
  [
    'no space after the last colon',
    'a:\n  b: 1\n  url:x\n',
    /^3:7 a space is missing after the colon/,
    'a:\n  b: 1\n  url: x\n',
  ],
  [
    'no space after a hyphen',
    'pods:\n  -name: x\n    image: y\n',
    /^2:4 a space is missing after the hyphen/,
    'pods:\n  - name: x\n    image: y\n',
  ],
  ['a line too far in', 'a:\n  b: 1\n   c: 2\n', /^3:4 the line is indented too far \(begin it in column 3/],
  ['a line in no column', 'a:\n  b: 1\n c: 2\n', /^3:2 the line begins in column 2, .*1 or 3/],
  ['a line outside its list entry', 'pods:\n  - a: 1\n    b: 2\n   c: 3\n', /^4:4 the line begins in column 4/],
  [
    'a last line outside its list entry',
    'pods:\n  - a: 1\n    b: /\n   c: [80]\n',
    /^4:4 the line begins in column 4, .*1 or 3 or 5/,
  ],
  [
    'a list entry in no column',
    'pods:\n    - a: 1\n      c: [80]\n   - a: 2\n     b: 3\n',
    /^4:4 the line begins in column 4, .*belongs to: 5\)/,
  ],
  [
    'a list entry below the fields of a map',
    'vars:\n  A: x\n  - B=y\nc: 1\n',
    /^3:3 the line begins an entry of a list, and the one above it is a field of a map/,
  ],
  [
    'a variable in a map in braces',
    'vars: { A: b, C: ${D}, E: f }\n',
    /^1:18 a value with \$\{…\} among brackets needs quotes \(write "\$\{D\}"\)/,
    'vars: { A: b, C: "${D}", E: f }\n',
  ],
  [
    'a variable within a value in braces',
    'vars: {\n  A: http://x/${D:-a,b}/y,\n  E: f }\n',
    /^2:6 .*needs quotes/,
    'vars: {\n  A: "http://x/${D:-a,b}/y",\n  E: f }\n',
  ],
  [
    'a variable in a list in brackets',
    'command: [echo, hello ${D}]\n',
    /^1:17 .*needs quotes/,
    'command: [echo, "hello ${D}"]\n',
  ],
  [
    'a variable in brackets that is never closed',
    'command: [echo, ${D]\n',
    /^1:17 the \$\{ that begins here is never closed/,
  ],
  ['a quote that is not closed', 'a:\n  b: "x\n  c: 1\n', /^2:6 the quote " that begins here is never closed/],
  ['a single quote that is not closed', "a: 'it''s\nb: 1\n", /^1:4 the quote ' that begins here/],
  ['a bracket that is not closed', 'a:\n  b: [1, 2\n  c: x\n', /^2:6 the \[ that begins here is never closed/],
  ['a brace that is not closed', 'a: {b: 1\nc: 2\n', /^1:4 the \{ that begins here is never closed/],
  ['a colon in a value', 'a: Note: this\n', /^1:4 the value holds a colon and a space/, 'a: "Note: this"\n'],
  ['a reserved sign', 'a: @b\n', /^1:4 a value cannot begin with @ without quotes: it is reserved/, 'a: "@b"\n'],
  ['a backtick', 'a: `b`\n', /^1:4 a value cannot begin with `/, 'a: "`b`"\n'],
  ['a percent sign', 'a: %b\n', /^1:4 a value cannot begin with %/, 'a: "%b"\n'],
  ['a star', 'a: *.example.com\n', /^1:4 "\*\.example\.com" refers to an anchor that does not exist/],
  ['binary data', 'a: 1\nb: !!binary aGVsbG8=\n', /^2:13 this is binary data \(!!binary\)/],
  ['a template in braces', 'a: {{ x }}\n', /^1:4 a value cannot begin with \{/, 'a: "{{ x }}"\n'],
  [
    'a value of more than 4,096 characters that begins with @',
    `a: @${'x'.repeat(5000)} y\nb: 1\n`,
    /^1:4 a value cannot begin with @/,
    `a: "@${'x'.repeat(5000)} y"\nb: 1\n`,
  ],
  ['text behind a quote', 'a: "node" app.js\n', /^1:10 text follows the closing quote/],
  ['an invalid escape', 'a: "\\d"\n', /^1:5 "\\d" is not a valid escape between double quotes/, 'a: "\\\\d"\n'],
  ['two documents', 'a: 1\n---\nb: 2\n', /^2:1 there is a second document/],
  ['a line without a colon', 'a:\n  name shop\n  b: 1\n', /^2:3 the line "name shop" has no colon/],
  ['a key alone', 'a:\n  b: 1\n  pods\n', /^3:3 the line "pods" has no colon/],
  ['an equals sign', 'a = 1\nb: 2\n', /^1:1 the line "a = 1" has no colon/],
  ['a comment without its space', 'a: "x"#c\n', /^1:7 a space is missing before the comment/, 'a: "x" #c\n'],
  ['Markdown around it', '```yaml\na: 1\n```\n', /^1:1 this is Markdown, not YAML/, 'a: 1\n'],
  ['Markdown with text', 'Here it is:\n\n```yaml\na: 1\n```\nEnjoy: it\n', /^3:1 this is Markdown/],
  ['a comma too many', '{"a": 1,, "b": 2}', /^1:9 this is not expected here/],
  ['a key twice', 'a: 1\nb: 2\na: 3\n', /^3:1 the key "a" is there twice/],
  ['a key twice with one value', 'a: 1\nb: 2\na: 1\n', /^3:1 the key "a" is there twice/, 'a: 1\nb: 2\n'],
];

for (const [cause, text, said, fixed] of rows) {
  test(`${cause} is explained where it stands`, () => {
    const { diagnostics } = readSource(text);
    assert.equal(diagnostics.length, 1);
    assert.match(printDiagnostic(diagnostics[0]!), said);
    const { fix } = diagnostics[0]!;
    assert.equal(fix && applyEdits(text, [fix]), fixed);
    if (fixed !== undefined) assert.deepEqual(readSource(fixed).diagnostics, []);
  });
}

test('tabs in a multi-line text belong to it: they are not changed without a confirmation', () => {
  const [diagnostic] = readSource('a: |\n  all:\n  \techo\n\tb: 1\n').diagnostics;
  assert.match(diagnostic!.message, /tab/);
  assert.equal(diagnostic!.fix, undefined);
});

test('Windows line ends, a byte order mark, JSON and tabs in JSON are not mistakes', () => {
  for (const text of [
    'a: 1\r\nb:\r\n  - c: 2\r\n',
    '\ufeffa: 1\n',
    '{"a": {"b": [1, 2]}}',
    '{\n\t"a": {\n\t\t"b": 1\n\t}\n}',
  ]) {
    assert.deepEqual(readSource(text).diagnostics, [], JSON.stringify(text));
  }
});

test('the place of a value is that of the value, of a collection that of its key', () => {
  const { source } = readSource('a:\n  b: 1\n  c:\n    - d\n');
  assert.deepEqual(source!.place(['a', 'b']), { line: 2, column: 6 });
  assert.deepEqual(source!.place(['a', 'c']), { line: 3, column: 3 });
  assert.deepEqual(source!.place(['a', 'c', 0]), { line: 4, column: 7 });
  assert.deepEqual(source!.place(['a', 'nothing', 'below']), { line: 1, column: 1 });
});

test('an alias is read where its anchor stands, and a merged key as if it were written', () => {
  const { source } = readSource('x: &x {A: 1.10, B: 2}\ny: {<<: *x, B: 3}\nz: *x\n');
  assert.equal(source!.textOf(['y', 'A']), '1.10');
  assert.equal(source!.textOf(['y', 'B']), '3');
  assert.equal(source!.textOf(['z', 'B']), '2');
});

test('a mistake in the first line below an empty one is explained too', () => {
  assert.match(readSource('\n vate\n  a: 1\n').diagnostics[0]!.message, /has no colon/);
});
