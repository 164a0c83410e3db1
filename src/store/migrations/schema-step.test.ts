import assert from 'node:assert/strict';
import { test } from 'node:test';
import { obstacleTo, type SchemaRight, schemaStep } from './schema-step.ts';

const first = ['0001-schema'];
const second = [...first, '0002-more'];

test('a release adds the migrations that a database lacks', () => {
  assert.deepEqual(schemaStep([], second), { kind: 'make' });
  assert.deepEqual(schemaStep(first, second), { kind: 'add', missing: ['0002-more'] });
  assert.deepEqual(schemaStep(second, second), { kind: 'none' });
});

test('a database of a newer release, of another branch, or of a pre-release cannot be used', () => {
  assert.deepEqual(schemaStep(second, first), { kind: 'newer', unknown: '0002-more' });
  assert.deepEqual(schemaStep([...first, '0002-other'], second), { kind: 'newer', unknown: '0002-other' });
  assert.deepEqual(schemaStep(['0001-initial', '0002-commitments'], first), { kind: 'pre-release' });
});

test('only a service updates a schema, and only commands that fill a database make one', () => {
  const rights: SchemaRight[] = ['all', 'make', 'nothing'];
  const refused = (present: string[]) =>
    rights.filter((right) => obstacleTo(schemaStep(present, second), right) !== undefined).join(' ');
  assert.equal(refused([]), 'nothing');
  assert.equal(refused(first), 'make nothing');
  assert.equal(refused(second), '');
  assert.equal(refused([...second, '0003-newer']), 'all make nothing');
});
