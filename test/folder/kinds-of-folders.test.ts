/** The plan of `berth up` for folders of many kinds, in the words of `test/golden/kinds-of-folders.txt`. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { planOf, printPlan } from '../../src/cli/up/up-plan.ts';
import { read } from '../support/project-folder.ts';
import { kindsOfFolders } from './kinds-of-folders.ts';

const file = join(import.meta.dirname, '../golden/kinds-of-folders.txt');
const expected = new Map<string, string>();
for (const part of (await readFile(file, 'utf8')).split(/^# /m).slice(1)) {
  const end = part.indexOf('\n');
  expected.set(part.slice(0, end), part.slice(end + 1).trimEnd());
}

test('each expectation is of a folder that is there', () => {
  assert.deepEqual([...expected.keys()], Object.keys(kindsOfFolders));
});

for (const [kind, files] of Object.entries(kindsOfFolders))
  test(kind, async (t) => {
    const { project, asked } = await read(t, files);
    const plan = printPlan(planOf(project), (_, text) => text, { server: 'http://berth.test', isUpdate: false });
    const reported = [plan, ...asked.map((question) => `  prompts  ${question}`)].join('\n');
    assert.equal(reported, expected.get(kind));
  });
