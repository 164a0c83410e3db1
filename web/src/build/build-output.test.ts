import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readBuildOutput } from './build-output.ts';

test('output is read by images and steps, without the identifiers of layers', () => {
  const text = `=== ./web:1
STEP 1/3: FROM node:26-slim
--- 0.1 s
STEP 2/3: COPY package.json .
--> Using cache 9e8e6ced71fd3d550f3589bb21e08d8c6d89ebc466080a9fba1e35f8f69ccc67
--> 9e8e6ced71f
--- 0.0 s
[1/2] STEP 3/3: RUN npm ci

added 3 packages
`;
  assert.deepEqual(readBuildOutput(text), [
    {
      image: './web:1',
      steps: [
        { place: '1/3', title: 'FROM node:26-slim', lines: [], isCached: false, took: '0.1 s' },
        { place: '2/3', title: 'COPY package.json .', lines: [], isCached: true, took: '0.0 s' },
        { place: '3/3', title: 'RUN npm ci', lines: ['added 3 packages'], isCached: false },
      ],
    },
  ]);
});

test('lines before the first step, and output without an image, are kept', () => {
  const [output] = readBuildOutput('The source is the same as in revision 2.\n');
  assert.deepEqual(output?.steps[0]?.lines, ['The source is the same as in revision 2.']);
  assert.deepEqual(readBuildOutput(''), []);
});
