import assert from 'node:assert/strict';
import { test } from 'node:test';
import { removeLeftover } from '../push-image.ts';

const id = `sha256:${'a'.repeat(64)}`;

/** A Docker that prints this about the image, and the removals that were requested. */
function dockerSaying(stdout: string, status = 0) {
  const removed: string[][] = [];
  return {
    removed,
    async run(words: readonly string[]) {
      if (words[1] === 'rm') removed.push([...words]);
      return { status, stdout, lines: [] };
    },
  };
}

test('an earlier build that nothing names is removed by its id, without force', async () => {
  for (const said of ['[] []\n', 'null null\n', '[] null\n']) {
    const docker = dockerSaying(said);
    await removeLeftover(docker, id);
    assert.deepEqual(docker.removed, [['image', 'rm', '--', id]], said);
  }
});

test('one that is tagged, came from a registry, or is gone is left alone', async () => {
  for (const docker of [
    dockerSaying('["shop:1"] []\n'),
    dockerSaying('[] ["nginx@sha256:aa"]\n'),
    dockerSaying('', 1),
    dockerSaying('something else\n'),
  ]) {
    await removeLeftover(docker, id);
    assert.deepEqual(docker.removed, []);
  }
});
