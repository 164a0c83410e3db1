import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readEnvFile, readRawEnvFile } from './env-file.ts';

const values = (text: string, given: Record<string, string> = {}) =>
  Object.fromEntries(readEnvFile(text, (name) => given[name]).values.map(({ name, value }) => [name, value]));

test('values are read as Compose reads them', () => {
  const rows: [string, string | undefined][] = [
    ['A=plain', 'plain'],
    ['A = spaces around ', 'spaces around'],
    ['A: colon', 'colon'],
    ['export A=1', '1'],
    ['A=value # comment', 'value'],
    ['A=value#no-comment', 'value#no-comment'],
    ['A= # only a comment', ''],
    ['A=', ''],
    ['A', undefined],
    ["A='as $IT is'", 'as $IT is'],
    ["A='it\\'s'", "it's"],
    ['A="two\\nlines"', 'two\nlines'],
    ['A="two\nlines"', 'two\nlines'],
    ['A="a \\"quote\\""', 'a "quote"'],
    ['A="\\$5"', '$5'],
    ['A="value" # comment', 'value'],
    ['A=https://host/path?x=1#top', 'https://host/path?x=1#top'],
    ['A=$$5', '$5'],
    ['A=1\r', '1'],
    ['\uFEFFA=1', '1'],
  ];
  for (const [text, value] of rows) assert.deepEqual(values(text), { A: value }, text);
});

test('a value may use those above it, and those of the shell win', () => {
  assert.deepEqual(values('HOST=db\nURL=postgres://${HOST}:${PORT:-5432}/x'), {
    HOST: 'db',
    URL: 'postgres://db:5432/x',
  });
  assert.equal(values('HOST=db\nURL=http://$HOST', { HOST: 'shell' }).URL, 'http://shell');
});

test('a line that is not a variable, and a quote that is never closed, are reported with their place', () => {
  const { problems, values: read } = readEnvFile('A=1\nthis is not a value\nB="open\nC=3', () => undefined);
  assert.deepEqual(
    problems.map(({ at, message }) => [at, message]),
    [
      [4, 'the line is not NAME=value'],
      [24, 'the quote " that begins here is never closed'],
    ],
  );
  assert.deepEqual(
    read.map(({ name }) => name),
    ['A', 'B', 'C'],
  );
});

test('in a raw file everything behind the sign is the value', () => {
  const { values: read } = readRawEnvFile('# comment\nA="quoted" # and $more\r\nB');
  assert.deepEqual(
    read.map(({ name, value }) => [name, value]),
    [
      ['A', '"quoted" # and $more'],
      ['B', undefined],
    ],
  );
});

test('any text is read to its end, and each value stands at its name', () => {
  const part = fc.constantFrom(
    'A',
    'B=',
    '=',
    '"',
    "'",
    '\\',
    '#',
    ' ',
    '\n',
    '\r\n',
    '$',
    '${',
    '}',
    'export ',
    ':',
    'x',
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
      const text = parts.join('');
      for (const { name, at } of readEnvFile(text, () => undefined).values) {
        const rest = text.slice(at);
        const isThere = rest.startsWith(name) || rest.replace(/^export[ \t]+/, '').startsWith(name);
        assert.ok(isThere, `${JSON.stringify(text)} at ${at}`);
      }
    }),
  );
});

test('single quotes keep every text that has none of them', () => {
  const text = fc.string().filter((one) => !/['\\\0]/.test(one));
  fc.assert(fc.property(text, (value) => assert.equal(values(`A='${value}'`).A, value)));
});
