import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findIn } from './patterns.ts';
import { readProse } from './read-prose.ts';

const found = (path: string, source: string) =>
  readProse(path, source).flatMap(({ area, text }) => findIn(text).map((finding) => `${area}: ${finding.found}`));

test('comments, messages and test titles are read, and code is not', () => {
  const source = `/** Tells whoever asks. \`tell()\` is code. */
const tell = 'told';
const message = 'The name is no image';
const words = \`a name \${tell} beside the other\`; // meanwhile
`;
  assert.deepEqual(found('src/a.ts', source), [
    'comments: Tells',
    'comments: whoever',
    'comments: asks',
    'comments: meanwhile',
    'messages: is no ',
    'messages: beside',
  ]);
  assert.deepEqual(found('src/a.test.ts', "test('nobody is told', () => {});"), ['tests: told', 'tests: nobody']);
});

test('Markdown is read without code and the targets of links', () => {
  const source = 'It goes on anew, see [it](beside.md) and `told`.\n\n```sh\ntell\n```\n';
  assert.deepEqual(found('docs/a.md', source), ['docs: anew']);
});

test('a sentence that starts without a noun is found, and a question is not', () => {
  assert.deepEqual(found('docs/a.md', 'What computes shares a process. What is a pod? Who pays?'), ['docs: What']);
});

test('a comment that starts with a preposition is found', () => {
  const source = `/** Of the account. */\nconst id = 1;\n// By default, all.\n/** Those of a pod. */\n`;
  assert.deepEqual(found('src/a.ts', source), ['comments: Of', 'comments: Those']);
});
