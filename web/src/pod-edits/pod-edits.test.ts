import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  lineOf,
  lineOfVariable,
  removeVariable,
  setLiteral,
  setVariable,
  variablesIn,
  withPort,
  withVariable,
} from './pod-edits.ts';

const native = `# a shop
application:
  name: shop
  pods:
    - name: web # in front
      image: node:26-slim
      servicePorts: [8080] # http
      vars:
        # where it stores
        DATABASE_URL: postgresql://u:p@db.pod:5432/shop # keep
        PORT: 8080
    - name: db
      image: postgres:15
    - name: flow
      image: nginx:1
      vars: { A: 1, B: "two" }
`;
const compose = `services:
  web:
    image: node:26-slim
    ports: ["8080:3000"]
    environment:
      - A=1 # one
      - B=two=2
  db:
    image: postgres:15
    environment: {}
`;

test('the variables of each pod are read in every notation', () => {
  assert.deepEqual(variablesIn(native), [
    {
      pod: 'web',
      variables: [
        { name: 'DATABASE_URL', value: 'postgresql://u:p@db.pod:5432/shop' },
        { name: 'PORT', value: '8080' },
      ],
    },
    { pod: 'db', variables: [] },
    {
      pod: 'flow',
      variables: [
        { name: 'A', value: '1' },
        { name: 'B', value: 'two' },
      ],
    },
  ]);
  assert.deepEqual(variablesIn(compose)?.[0]?.variables, [
    { name: 'A', value: '1' },
    { name: 'B', value: 'two=2' },
  ]);
  assert.equal(variablesIn('a: ['), undefined);
});

for (const [title, text, pod, variable, line, found] of [
  [
    'one that is there is changed and keeps its comment',
    native,
    'web',
    { name: 'DATABASE_URL', value: 'x y' },
    10,
    '        DATABASE_URL: x y # keep\n',
  ],
  [
    'another one comes behind the last',
    native,
    'web',
    { name: 'NEW', value: '1' },
    12,
    '        PORT: 8080\n        NEW: "1"\n    - name: db',
  ],
  [
    'the first one of a pod has its field',
    native,
    'db',
    { name: 'POSTGRES_PASSWORD', value: 'a: b' },
    14,
    '      image: postgres:15\n      vars: { POSTGRES_PASSWORD: "a: b" }\n',
  ],
  ['one in braces stays in braces', native, 'flow', { name: 'C', value: 'x' }, 16, 'vars: { A: 1, B: "two", C: x }'],
  [
    'one of a list is changed and keeps its comment',
    compose,
    'web',
    { name: 'A', value: '2' },
    6,
    '      - A=2 # one\n',
  ],
  [
    'another one of a list comes behind the last',
    compose,
    'web',
    { name: 'C', value: '3' },
    8,
    '      - B=two=2\n      - C=3\n',
  ],
  [
    'the first one fills braces that are empty',
    compose,
    'db',
    { name: 'A', value: '1' },
    10,
    'environment: { A: "1" }',
  ],
] as const) {
  test(`of variables that are set, ${title}`, () => {
    const edited = setVariable(text, pod, variable);
    assert.ok(edited);
    assert.ok(edited.text.includes(found), edited.text);
    assert.equal(edited.line, line);
    assert.ok(
      variablesIn(edited.text)
        ?.find((each) => each.pod === pod)
        ?.variables.some(({ name, value }) => name === variable.name && value === variable.value),
    );
  });
}

test('removing a variable removes only its line', () => {
  assert.equal(removeVariable(native, 'web', 'PORT')?.text, native.replace('        PORT: 8080\n', ''));
  assert.equal(removeVariable(native, 'flow', 'A')?.text, native.replace('A: 1, ', ''));
  assert.equal(removeVariable(native, 'flow', 'B')?.text, native.replace(', B: "two"', ''));
  assert.equal(removeVariable(compose, 'web', 'A')?.text, compose.replace('      - A=1 # one\n', ''));
  assert.equal(removeVariable(native, 'web', 'OTHER'), undefined);
});

test('the port of a pod is changed where it is written', () => {
  assert.equal(withPort(native, 'web', { listensOn: 3000, declared: 8080 })?.text, native.replace('[8080]', '[3000]'));
  assert.equal(
    withPort(compose, 'web', { listensOn: 4000, declared: 3000 })?.text,
    compose.replace('8080:3000', '8080:4000'),
  );
  assert.match(
    withPort(native, 'db', { listensOn: 5433, declared: 80 })!.text,
    /image: postgres:15\n {6}servicePorts: \[5433\]\n/,
  );
  assert.equal(withPort(native, 'web', { listensOn: 1, declared: 2 }), undefined);
  assert.equal(lineOf(native, 'db'), 12);
});

const aliased = `x-common: &common
  A: 1
  B: 2
x-image: &image node:26
services:
  alias:
    environment: *common
  merge:
    environment:
      <<: *common
      C: 3
  only:
    environment:
      <<: *common
  anchor:
    environment: &own
      A: 1
      B: 2
  reader:
    environment: *own
  list:
    environment: [&item A=1, B=2]
  items:
    environment:
      - B=2
      - *item
  service: &service
    environment: { A: 1, B: 2 }
    expose: [80]
  copy: *service
  heir:
    <<: *service
    image: x
  last:
    expose: [80]
    image: *image
`;

test('an edit that reaches other pods through an alias, an anchor or a merge key is refused', () => {
  const variable = (name: string) => ({ name, value: 'changed' });
  for (const pod of ['alias', 'anchor', 'reader', 'service', 'copy', 'heir', 'only']) {
    assert.equal(setVariable(aliased, pod, variable('A')), undefined, `set of ${pod}`);
    assert.equal(setVariable(aliased, pod, variable('NEW')), undefined, `add of ${pod}`);
    assert.equal(removeVariable(aliased, pod, 'A'), undefined, `remove of ${pod}`);
  }
  assert.equal(setVariable(aliased, 'merge', variable('A')), undefined);
  assert.equal(removeVariable(aliased, 'merge', 'A'), undefined);
  for (const pod of ['list', 'items']) {
    assert.equal(setVariable(aliased, pod, variable('A')), undefined);
    assert.equal(removeVariable(aliased, pod, 'A'), undefined);
  }
  assert.equal(setVariable(aliased, 'items', variable('NEW')), undefined);
  for (const pod of ['service', 'copy', 'heir'])
    assert.equal(withPort(aliased, pod, { listensOn: 81, declared: 80 }), undefined);
});

test('a pod with aliases and merge keys is edited in its own lines', () => {
  const changed = aliased.replace('      C: 3\n', '      C: x\n');
  assert.equal(setVariable(aliased, 'merge', { name: 'C', value: 'x' })?.text, changed);
  const added = aliased.replace('      C: 3\n', '      C: 3\n      D: x\n');
  assert.equal(setVariable(aliased, 'merge', { name: 'D', value: 'x' })?.text, added);
  assert.equal(removeVariable(aliased, 'merge', 'C')?.text, aliased.replace('      C: 3\n', ''));
  const first = aliased.replace(
    '    expose: [80]\n    image: *image\n',
    '    expose: [80]\n    environment: { A: x }\n    image: *image\n',
  );
  assert.equal(setVariable(aliased, 'last', { name: 'A', value: 'x' })?.text, first);
});

test('a variable with an anchor that aliases need cannot be removed', () => {
  const text = 'services:\n  a:\n    environment:\n      - { key: &k A, value: x }\n      - B=1\n    image: *k\n';
  assert.equal(removeVariable(text, 'a', 'A'), undefined);
});

test('an existing variable is shown and keeps its value; a missing one is added', () => {
  assert.deepEqual(withVariable(native, 'web', 'PORT'), { text: native, line: 11 });
  assert.deepEqual(withVariable(compose, 'web', 'B'), { text: compose, line: 7 });
  assert.match(withVariable(native, 'web', 'NEW')!.text, / {8}PORT: 8080\n {8}NEW: ""\n/);
  assert.equal(lineOfVariable(native, 'web', 'NEW'), undefined);
});

for (const [value, escaped] of [
  ['pa$word', 'pa$$word'],
  ['a$$b', 'a$$$$b'],
  ['$2b$10$N9qo8uLOickgx2ZMRZoMye', '$$2b$$10$$N9qo8uLOickgx2ZMRZoMye'],
] as const) {
  test(`${value} is pasted as it is meant: a Compose file would take its $ for a variable`, () => {
    const read = (text: string, pod: string) =>
      variablesIn(text)
        ?.find((each) => each.pod === pod)
        ?.variables.find(({ name }) => name === 'SECRET')?.value;
    const secret = { name: 'SECRET', value };
    assert.equal(read(setLiteral(compose, 'web', secret)!.text, 'web'), escaped);
    assert.equal(read(setLiteral(compose, 'db', secret)!.text, 'db'), escaped);
    assert.equal(read(setLiteral(native, 'web', secret)!.text, 'web'), value);
  });
}

test('a value of several lines is changed with its lines, and what follows it stays', () => {
  const text = native.replace('PORT: 8080', 'KEY: |\n          one\n          two\n        PORT: 8080');
  const edited = setVariable(text, 'web', { name: 'KEY', value: 'one\n2\n' });
  assert.equal(edited?.text, native.replace('PORT: 8080', 'KEY: "one\\n2\\n"\n        PORT: 8080'));
});
