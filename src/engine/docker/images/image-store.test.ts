import assert from 'node:assert/strict';
import { test } from 'node:test';
import type Docker from 'dockerode';
import { listImages, removeUnnamed } from './image-store.ts';

/** Returns these answers in order, and repeats the last one. */
function engineThat(...answers: (Error | { Id: string; Size: number }[])[]) {
  let requested = 0;
  const listImages = async () => {
    const answer = answers[Math.min(requested++, answers.length - 1)]!;
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { docker: { listImages, listContainers: async () => [] } as unknown as Docker, asked: () => requested };
}

const goesMeanwhile = new Error('(HTTP code 500) server error - unrecognized image ID sha256:4746');

test('an image that disappears during a listing is left out, and the listing is repeated', async () => {
  const { docker, asked } = engineThat(goesMeanwhile, [{ Id: 'sha256:1', Size: 5 }]);
  assert.deepEqual(
    (await listImages(docker)).map(({ id }) => id),
    ['sha256:1'],
  );
  assert.equal(asked(), 2);
});

test('a listing that never succeeds, or fails otherwise, is not repeated endlessly', async () => {
  const always = engineThat(goesMeanwhile);
  await assert.rejects(listImages(always.docker), /unrecognized/);
  assert.equal(always.asked(), 5);
  const other = engineThat(new Error('(HTTP code 500) server error - no space left on device'));
  await assert.rejects(listImages(other.docker), /no space left/);
  assert.equal(other.asked(), 1);
});

test('what a pull has left goes, but not what was built here and is being pulled elsewhere', async () => {
  const named = (Id: string, ParentId: string, ...RepoDigests: string[]) => ({
    Id,
    ParentId,
    RepoTags: [],
    RepoDigests,
  });
  const gate = (digit: string) => `127.0.0.1:4000/berth.gate/r.test/x@sha256:${digit.repeat(64)}`;
  const removed: string[] = [];
  const docker = {
    listImages: async () => [
      named('left', '', gate('1')),
      named('built', 'sha256:parent', gate('2')),
      named('of others', '', 'nginx@sha256:1'),
    ],
    getImage: (name: string) => ({ remove: async () => void removed.push(name) }),
  } as unknown as Docker;
  assert.equal(await removeUnnamed(docker), 1);
  assert.deepEqual(removed, [gate('1')]);
});
