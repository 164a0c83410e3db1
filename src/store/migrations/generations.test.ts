import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generationOf, schemaStep } from './generations.ts';
import { generationChanges, migrations } from './index.ts';

const first = ['0001-initial', '0002-more'];
const second = [...first, '0003-generation-2-other', '0004-added'];

test('a name says which generation it begins, and the highest counts', () => {
  assert.equal(generationOf(first), 1);
  assert.equal(generationOf(second), 2);
  assert.equal(generationOf([...second, '0005-generation-12-x']), 12);
  assert.equal(generationOf(['0001-the-generation-3-of-all']), 1);
});

test('what only adds is a step that may be made, and back is none', () => {
  assert.deepEqual(schemaStep([], second), { kind: 'make' });
  assert.deepEqual(schemaStep(second, second), { kind: 'none', additions: [] });
  assert.deepEqual(schemaStep(second.slice(0, 3), second), { kind: 'add', missing: ['0004-added'] });
  assert.deepEqual(schemaStep(second, second.slice(0, 3)), { kind: 'none', additions: ['0004-added'] });
});

test('a generation is begun with all that is missing, and never gone back to', () => {
  assert.deepEqual(schemaStep(['0001-initial'], second), {
    kind: 'begin-generation',
    from: 1,
    to: 2,
    missing: ['0002-more', '0003-generation-2-other', '0004-added'],
    hasBackups: false,
  });
  assert.deepEqual(schemaStep(second, first), { kind: 'impossible', unknown: '0003-generation-2-other' });
});

test('two lines of releases have one database for themselves alone', () => {
  assert.deepEqual(schemaStep([...first, '0003-ours'], [...first, '0003-theirs']), {
    kind: 'impossible',
    unknown: '0003-ours',
  });
});

test('generations follow one another, and each says what it changes', () => {
  const begun = Object.keys(migrations).map((_, index, names) => generationOf(names.slice(0, index + 1)));
  const steps = begun.map((generation, index) => generation - (begun[index - 1] ?? 1));
  assert.ok(steps.every((step) => step === 0 || step === 1));
  assert.deepEqual(
    Object.keys(generationChanges).map(Number),
    [...new Set(begun)].filter((each) => each > 1),
  );
});
