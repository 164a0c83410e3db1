import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gpuFor } from './gpus.ts';

const holder = (deploymentId: string, pod = 'model', replica = 0) => ({ deploymentId, pod, replica });

test('each container has a GPU that no other deployment has, and one too many has none', () => {
  assert.equal(gpuFor(holder('a'), [], 0), undefined);
  assert.equal(gpuFor(holder('a'), [], 2), 0);
  const a = { ...holder('a'), gpu: 0 };
  assert.equal(gpuFor(holder('b'), [a], 2), 1);
  assert.equal(gpuFor(holder('b'), [{ ...a, gpu: 1 }], 2), 0);
  assert.equal(gpuFor(holder('c'), [a, { ...holder('b'), gpu: 1 }], 2), undefined);
});

test('replicas have one each; while an update replaces a container, old and new share theirs', () => {
  const held = [
    { ...holder('a', 'model', 0), gpu: 0 },
    { ...holder('a', 'model', 1), gpu: 1 },
  ];
  assert.deepEqual(
    [0, 1, 2].map((replica) => gpuFor(holder('a', 'model', replica), held, 3)),
    [0, 1, 2],
  );
  assert.equal(gpuFor(holder('a', 'renamed'), held, 2), 0, 'the one that goes has it until then');
  assert.equal(gpuFor(holder('a', 'model', 1), held, 1), 0, 'the operator offers fewer now');
});
