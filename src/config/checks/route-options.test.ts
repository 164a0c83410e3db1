import assert from 'node:assert/strict';
import { test } from 'node:test';
import { podOf, podsOf, verdictOn, web } from '../../../test/config/documents.ts';

test('a prefix that is removed has at most 5 segments', () => {
  const at = (path: string) => verdictOn(podOf('stripPrefix: true').replace('path: /', `path: ${path}`));
  assert.equal(at('/a/b/c/d/e'), 'valid');
  assert.equal(at('/a/b/c/d/e/f'), 'error bad-value application.pods[0].stripPrefix');
});

test('an option of a route has no effect without a path', () => {
  const worker = 'name: db\nimage: me/db:1\nservicePorts: [80]\nsticky: true';
  assert.equal(verdictOn(podsOf(web, worker)), 'warning option-without-path application.pods[1].sticky');
  assert.equal(verdictOn(podOf('sticky: true')), 'valid');
});
