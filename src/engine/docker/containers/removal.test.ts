import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { clientOf } from '../../../../test/support/answering-engine.ts';
import { removeContainer } from './removal.ts';

const halfGone = 'unable to remove filesystem for 9a52: unlinkat /var/lib/docker/containers/9a52: directory not empty';

/** An engine whose removals return these answers in order. The last answer repeats. Also counts the requests. */
async function removing(t: TestContext, answers: { status: number; message?: string }[]) {
  let requested = 0;
  const docker = await clientOf(t, ({ method }, response) => {
    assert.equal(method, 'DELETE');
    const { status, message } = answers[Math.min(requested, answers.length - 1)]!;
    requested += 1;
    response.writeHead(status).end(message && JSON.stringify({ message }));
  });
  return { docker, asked: () => requested };
}

test('a container that the engine could not remove because it wrote into its folder is removed again', async (t) => {
  const { docker, asked } = await removing(t, [{ status: 500, message: halfGone }, { status: 204 }]);
  await removeContainer(docker, '9a52');
  assert.equal(asked(), 2);
});

test('a container whose folder never becomes empty is a fault in the end', async (t) => {
  const { docker, asked } = await removing(t, [{ status: 500, message: halfGone }]);
  await assert.rejects(removeContainer(docker, '9a52'), /directory not empty/);
  assert.equal(asked(), 5);
});

test('after another fault of the engine the removal is not repeated', async (t) => {
  const { docker, asked } = await removing(t, [{ status: 500, message: 'driver "overlay2" failed' }]);
  await assert.rejects(removeContainer(docker, '9a52'), /overlay2/);
  assert.equal(asked(), 1);
});
