import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeFolder, web } from '../../../test/support/project-folder.ts';
import { readProject } from './read-project.ts';
import type { UpContext } from './up-context.ts';

test('--empty leaves all missing values empty, including those that other values contain, except required ones', async (t) => {
  const folder = makeFolder(t, {
    'compose.yaml': web(
      'image: "nginx:1.29${TAG}"',
      'environment: { A: "${A}", B: "${B}", GIVEN: "${GIVEN}", TOKEN: "${TOKEN:?from the console}" }',
    ),
  });
  const read = async (options: UpContext['options']) => {
    const context = { folder, options, streams: { env: {} } } as unknown as UpContext;
    const read = await readProject(context);
    assert.ok(typeof read !== 'string');
    return read.project;
  };
  const all = await read({ empty: true, env: ['GIVEN=1'], 'dry-run': true });
  assert.deepEqual(
    all.questions.map(({ name }) => name),
    ['TOKEN'],
  );
  const whole = await read({ empty: true, env: ['TOKEN=x', 'GIVEN=1'], 'dry-run': true });
  assert.deepEqual([whole.questions, whole.refusals], [[], []]);
  assert.match(whole.document, /nginx:1\.29\b/);
});
