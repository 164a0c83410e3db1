import assert from 'node:assert/strict';
import { test } from 'node:test';
import { podPlacesOf } from './pod-places.ts';
import { readSource } from './source.ts';

const places = (yaml: string) =>
  podPlacesOf(readSource(yaml).source!).map(
    ({ name, line, column, firstLine, lastLine }) => `${name} at ${line}:${column} in ${firstLine}-${lastLine}`,
  );

test('a pod has the lines from its dash to its last value', () => {
  const yaml = `application:
  pods:
    - image: nginx:1
      name: web
      vars:
        A: 1

    # The next one.
    - { name: db, image: "postgres:15" }
    - name: last
      files: [{ path: /a, content: |
        x
`;
  const closed = yaml.replace(
    '[{ path: /a, content: |\n        x',
    '\n        - path: /a\n          content: |\n            x',
  );
  assert.deepEqual(places(closed), ['web at 4:13 in 3-6', 'db at 9:15 in 9-9', 'last at 10:13 in 10-14']);
});

test('a service of a Compose file has the name of its pod', () => {
  const yaml = 'services:\n  my_web:\n    image: nginx:1\n  db: { image: "postgres:15" }\n';
  assert.deepEqual(places(yaml), ['my-web at 2:3 in 2-3', 'db at 4:3 in 4-4']);
});

test('what has no pods has no places', () => {
  for (const yaml of ['a: 1', 'application:\n  pods: 3\n', 'application:\n  pods:\n    - 3\n    - image: a\n'])
    assert.deepEqual(places(yaml), []);
});
