import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cursorAt } from './cursor.ts';

/** The cursor is where the bar is. */
function at(text: string) {
  const lines = text.split('\n');
  const line = lines.findIndex((each) => each.includes('¦'));
  const column = lines[line]!.indexOf('¦');
  const cursor = cursorAt(
    lines.map((each) => each.replace('¦', '')),
    line,
    column,
  );
  if (cursor.kind === 'none') return 'none';
  const siblings = cursor.kind === 'key' ? ` next to ${[...cursor.siblings].sort().join(',') || 'nothing'}` : '';
  return `${cursor.kind} ${cursor.path.join('.') || '(top)'} "${cursor.typed}"${siblings}`;
}

test('a key is found with its parent and sibling keys', () => {
  assert.equal(at('app¦'), 'key (top) "app" next to nothing');
  assert.equal(at('application:\n  na¦'), 'key application "na" next to nothing');
  assert.equal(at('application:\n  name: shop\n  p¦\nx-a: 1'), 'key application "p" next to name');
  const pods =
    'application:\n  pods:\n    - name: web\n      image: nginx:1\n      pa¦\n      vars:\n        A: 1\n    - name: db\n      files: []';
  assert.equal(at(pods), 'key application.pods.[] "pa" next to image,name,vars');
});

test('an entry of a list begins with its dash, however far it is indented', () => {
  assert.equal(at('application:\n  pods:\n    - na¦\n    - name: db'), 'key application.pods.[] "na" next to nothing');
  assert.equal(at('application:\n  pods:\n  - name: web\n    im¦'), 'key application.pods.[] "im" next to name');
  assert.equal(at('application:\n  pods:\n    - ¦'), 'key application.pods.[] "" next to nothing');
  assert.equal(at('a:\n  - - k: ¦'), 'value a.[].[].k ""');
});

test('a value is found with its key', () => {
  assert.equal(at('application:\n  name: sh¦'), 'value application.name "sh"');
  assert.equal(at('application:\n  pods:\n    - resourceType:¦'), 'value application.pods.[].resourceType ""');
  assert.equal(
    at('application:\n  pods:\n    - vars:\n        URL: http://db¦'),
    'value application.pods.[].vars.URL "http://db"',
  );
  assert.equal(at('"a key": ¦'), 'value a key ""');
});

test('the path continues within braces and brackets', () => {
  assert.equal(at('pod:\n  healthCheck: { path: /, po¦'), 'key pod.healthCheck "po" next to path');
  assert.equal(at('pod:\n  healthCheck: { path: ¦'), 'value pod.healthCheck.path ""');
  assert.equal(at('pod:\n  volumes: [{ name: a }, { si¦'), 'key pod.volumes.[] "si" next to nothing');
  assert.equal(at('pod:\n  dependsOn: [db, ca¦'), 'value pod.dependsOn.[] "ca"');
  assert.equal(at('pod:\n  a: { b: 1 }\n  c¦'), 'key pod "c" next to a');
});

test('comments and multi-line texts have no proposals', () => {
  assert.equal(at('application: # na¦'), 'none');
  assert.equal(at('files:\n  - path: /a\n    content: |\n      server {\n        li¦'), 'none');
  assert.equal(
    at('files:\n  - path: /a\n    content: |-\n      text\n    na¦'),
    'key files.[] "na" next to content,path',
  );
});
