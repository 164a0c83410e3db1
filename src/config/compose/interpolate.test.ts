import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { interpolate } from './interpolate.ts';

const values: Record<string, string> = { SET: 'value', EMPTY: '', OTHER: 'other', _x1: 'low' };
const find = (name: string) => (Object.hasOwn(values, name) ? values[name] : undefined);
const replace = (text: string) => interpolate(text, { find, stand: find });

describe('variables in values', () => {
  const table: [string, string][] = [
    ['$SET and ${SET}', 'value and value'],
    ['a${SET}b$SET.c', 'avaluebvalue.c'],
    ['${_x1}', 'low'],
    ['$$SET $${SET} $$$SET', '$SET ${SET} $value'],
    ['costs $5, $, $-x and $', 'costs $5, $, $-x and $'],
    ['${SET:-d} ${EMPTY:-d} ${UNSET:-d}', 'value d d'],
    ['${SET-d} ${EMPTY-d} ${UNSET-d}', 'value  d'],
    ['${SET:+r}|${EMPTY:+r}|${UNSET:+r}', 'r||'],
    ['${SET+r}|${EMPTY+r}|${UNSET+r}', 'r|r|'],
    ['${SET:?e} ${EMPTY?e}', 'value '],
    ['${UNSET:-${EMPTY:-${OTHER}}}', 'other'],
    ['${UNSET:-$OTHER/$$x}', 'other/$x'],
    ['${UNSET:-{"a":{"b":1}}}!', '{"a":{"b":1}}!'],
    ['${UNSET:-http://a:80/?q=1-2}', 'http://a:80/?q=1-2'],
    ['${UNSET:-}', ''],
    ['${SET:+${OTHER}}', 'other'],
  ];
  for (const [template, expected] of table) {
    test(`${template} becomes ${expected}`, () => assert.equal(replace(template).text, expected));
  }

  test('a variable without a value is named, and is empty', () => {
    assert.deepEqual(replace('a${UNSET}b$NONE'), {
      text: 'ab',
      problems: [
        { kind: 'unset', name: 'UNSET' },
        { kind: 'unset', name: 'NONE', isBare: true },
      ],
    });
  });

  test('a required variable says why, with its own variables replaced', () => {
    const why = (text: string) => replace(text).problems;
    assert.deepEqual(why('${UNSET:?see $OTHER}'), [{ kind: 'required', name: 'UNSET', why: 'see other' }]);
    assert.deepEqual(why('${EMPTY:?}'), [{ kind: 'required', name: 'EMPTY', why: '' }]);
    assert.deepEqual(why('${EMPTY?}'), []);
  });

  test('unused variables are not requested', () => {
    assert.deepEqual(replace('${SET:-${UNSET:?never}}').problems, []);
  });

  for (const text of ['${', '${}', '${1}', '${SET', '${SET/a/b}', '${SET:=x}', '${SET x}', '${:-x}']) {
    test(`${text} cannot be read`, () => assert.equal(replace(text).problems[0]?.kind, 'malformed'));
  }

  test('defaults nested a thousand times are refused', () => {
    const text = '${A:-'.repeat(1000) + '}'.repeat(1000);
    assert.equal(replace(text).problems[0]?.kind, 'malformed');
  });

  test('the result has an end', () => {
    const long = 'x'.repeat(200_000);
    const { text, problems } = interpolate('$A'.repeat(100_000), { find: () => long, stand: () => long });
    assert.equal(text, '');
    assert.equal(problems[0]?.kind, 'malformed');
  });
});

/** A template as a tree with its text and meaning: the reference for the parser. */
type Part = { text: string; meaning: string };

const names = fc.constantFrom(...Object.keys(values), 'UNSET', 'NONE');
const plain = fc.stringMatching(/^[a-z0-9 /:=.,-]{0,6}$/);
const { template } = fc.letrec<{ part: Part; template: Part }>((tie) => ({
  part: fc.oneof(
    { depthSize: 'small' },
    plain.map((text): Part => ({ text, meaning: text })),
    fc.constant<Part>({ text: '$$', meaning: '$' }),
    names.map((name): Part => ({ text: `\${${name}}`, meaning: find(name) ?? '' })),
    fc.tuple(names, fc.constantFrom(':-', '-', ':+', '+'), tie('template')).map(([name, operator, word]): Part => {
      const value = find(name);
      const isSet = operator.startsWith(':') ? Boolean(value) : value !== undefined;
      const meaning = operator.endsWith('+') ? (isSet ? word.meaning : '') : isSet ? value! : word.meaning;
      return { text: `\${${name}${operator}${word.text}}`, meaning };
    }),
  ),
  template: fc.array(tie('part'), { maxLength: 4 }).map(
    (parts): Part => ({
      text: parts.map(({ text }) => text).join(''),
      meaning: parts.map(({ meaning }) => meaning).join(''),
    }),
  ),
}));

test('every template means what its parts mean', () => {
  fc.assert(fc.property(template, ({ text, meaning }) => assert.equal(replace(text).text, meaning)));
});

test('no text makes it throw, and a text without a dollar stays as it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('$', '{', '}', ':', '-', '?', '+', 'A', '_', ' ') }), (text) => {
      const { text: replaced } = replace(text);
      if (!text.includes('$')) assert.equal(replaced, text);
    }),
  );
});
