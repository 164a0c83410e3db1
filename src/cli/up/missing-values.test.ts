import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MissingValue } from '../../folder/project.ts';
import { askForFiles, askForValues, emptiable, printMissing, printMissingFiles } from './missing-values.ts';

const missing = (name: string, more: Partial<MissingValue> = {}): MissingValue => ({
  name,
  at: { file: 'compose.yaml', line: 4, column: 7 },
  uses: 1,
  isSecret: false,
  ...more,
});
const many = (letter: string, count: number, more: Partial<MissingValue> = {}) =>
  Array.from({ length: count }, (_, index) => missing(`${letter}${index}`, more));
const proposed = (value: string) => ({ suggestion: { value, file: '.env.sample' } });

/** A user at a terminal: records the output, and answers each question from `replies`. */
function somebody(...replies: (string | boolean | undefined)[]) {
  const shown: string[] = [];
  const reply = async (question: string) => {
    shown.push(question);
    return replies.shift();
  };
  return { shown, asker: { ask: reply, confirm: reply } as Parameters<typeof askForValues>[1] };
}

test('a few values are prompted for one by one, and Enter takes an example’s value', async () => {
  const { shown, asker } = somebody('one', '', '');
  const questions = [missing('A', { why: 'which one' }), missing('B', proposed('two')), missing('C')];
  assert.deepEqual(await askForValues(questions, asker), { A: 'one', B: 'two', C: '' });
  assert.deepEqual(shown, [
    'A, for compose.yaml:4 (which one)',
    'B, for compose.yaml:4 [two]',
    'C, for compose.yaml:4',
  ]);
});

test('many values with examples are one prompt, and the others are prompted for', async () => {
  const { shown, asker } = somebody(true, 'mine');
  const answers = await askForValues([...many('A', 5, proposed('x')), missing('OWN')], asker);
  assert.deepEqual(answers, { A0: 'x', A1: 'x', A2: 'x', A3: 'x', A4: 'x', OWN: 'mine' });
  assert.deepEqual(shown, [
    '5 values are missing, and .env.sample has them. Take them from there?',
    'OWN, for compose.yaml:4',
  ]);
});

test('many values without an example are left empty only after a confirmation, and never the required ones', async () => {
  const questions = [...many('A', 4), missing('TOKEN', { why: 'from the console' })];
  const { shown, asker } = somebody(true, 'secret');
  assert.deepEqual(await askForValues(questions, asker), { A0: '', A1: '', A2: '', A3: '', TOKEN: 'secret' });
  assert.equal(shown[0], 'A0, A1, A2, A3 have no value. Leave them empty, as Compose does?');
  const insisting = somebody(false, '1', '2', '3', '4', '5');
  assert.deepEqual(await askForValues(questions, insisting.asker), { A0: '1', A1: '2', A2: '3', A3: '4', TOKEN: '5' });
});

test('if the user stops answering nothing is taken', async () => {
  assert.equal(await askForValues([missing('A'), missing('B')], somebody('one').asker), undefined);
  assert.equal(await askForValues(many('A', 9, proposed('x')), somebody().asker), undefined);
});

test('without a terminal each value is listed with its place, and the advice is printed once', () => {
  assert.deepEqual(printMissing([missing('A', { why: 'which one' })], []), [
    'compose.yaml:4:7: A has no value: which one.',
    '  Write it into .env, or give --env A=…',
  ]);
  assert.deepEqual(printMissing([missing('A', proposed('x')), missing('B', proposed(''))], ['compose.yaml', '.env']), [
    'compose.yaml:4:7: A has no value (.env.sample has x).',
    'compose.yaml:4:7: B has no value.',
    '  Write them into .env, each as NAME=value (NAME= leaves it empty), or give each with --env NAME=value.',
    '  --empty sets all missing values to empty.',
    '  --env-file .env.sample --env-file .env takes what .env.sample has.',
  ]);
  const lines = printMissing(many('A', 335), []);
  assert.equal(lines.length, 23);
  assert.equal(lines[20], '… and 315 more; --json names them all.');
});

test('a missing file of variables is skipped only after a confirmation', async () => {
  const at = { file: 'compose.yaml', line: 4, column: 7 };
  const files = [
    { file: '.env', at },
    { file: 'api/.env', at, example: 'api/.env.example' },
  ];
  const { shown, asker } = somebody(true, true);
  assert.deepEqual(await askForFiles(files, asker), ['.env', 'api/.env']);
  assert.deepEqual(shown, [
    '.env, with variables for compose.yaml:4, is not there. Go on without it?',
    'api/.env, with variables for compose.yaml:4, is not there (api/.env.example is). Go on without it?',
  ]);
  assert.equal(await askForFiles(files, somebody(true, false).asker), undefined);
  assert.deepEqual(printMissingFiles(files), [
    'compose.yaml:4:7: .env, with variables, is not there.',
    'compose.yaml:4:7: api/.env, with variables, is not there; api/.env.example is.',
    '  Write them, with a NAME=value a line; --without .env --without api/.env goes on without.',
  ]);
  assert.deepEqual(printMissingFiles([]), []);
});

test('one switch leaves 113 values empty, and not the one that the document insists on', () => {
  const questions = [...many('A', 113), missing('TOKEN', { why: 'from the console' })];
  assert.equal(emptiable(questions).length, 113);
  assert.ok(printMissing(questions, []).includes('  --empty sets all missing values to empty.'));
});
