import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lineOf, removeVariable, setVariable, variablesIn, withPort } from './pod-edits.ts';

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

test('the variables of each pod are read, in every form in which they are written', () => {
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
    'one that is there is changed beside its comment',
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
  ['one of a list is changed beside its comment', compose, 'web', { name: 'A', value: '2' }, 6, '      - A=2 # one\n'],
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

test('a variable is removed with its line, and nothing else', () => {
  assert.equal(removeVariable(native, 'web', 'PORT')?.text, native.replace('        PORT: 8080\n', ''));
  assert.equal(removeVariable(native, 'flow', 'A')?.text, native.replace('A: 1, ', ''));
  assert.equal(removeVariable(native, 'flow', 'B')?.text, native.replace(', B: "two"', ''));
  assert.equal(removeVariable(compose, 'web', 'A')?.text, compose.replace('      - A=1 # one\n', ''));
  assert.equal(removeVariable(native, 'web', 'OTHER'), undefined);
});

test('the port of a pod is changed where it is written', () => {
  assert.equal(withPort(native, 'web', { port: 3000, instead: 8080 })?.text, native.replace('[8080]', '[3000]'));
  assert.equal(
    withPort(compose, 'web', { port: 4000, instead: 3000 })?.text,
    compose.replace('8080:3000', '8080:4000'),
  );
  assert.match(
    withPort(native, 'db', { port: 5433, instead: 80 })!.text,
    /image: postgres:15\n {6}servicePorts: \[5433\]\n/,
  );
  assert.equal(withPort(native, 'web', { port: 1, instead: 2 }), undefined);
  assert.equal(lineOf(native, 'db'), 12);
});
