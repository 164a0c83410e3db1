import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import type { Cache } from './cache.ts';
import type { Query } from './cluster.ts';
import { ClusterRefusal } from './faults.ts';
import { createLogReader, startsOf } from './logs.ts';
import { workloadKey } from './manifests/marks.ts';
import type { ContainerStatus, FoundPod } from './objects.ts';

const pod = (name: string, container: ContainerStatus): FoundPod => ({
  metadata: { name, uid: name, resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
  status: { containerStatuses: [container] },
});

const at = (second: number) => `2026-01-01T00:00:0${second}Z`;
const ended = (containerID: string, second: number) => ({
  terminated: { exitCode: 1, startedAt: at(second), finishedAt: at(second), containerID },
});
const reported = (...pods: FoundPod[]) =>
  startsOf(pods).map(
    ({ id, isPrevious, hasEnded }) => `${id}${isPrevious ? ' previous' : ''}${hasEnded ? ' ended' : ''}`,
  );

test('of a container that was restarted there are two starts, the one before the last by another name', () => {
  const running = {
    restartCount: 3,
    containerID: 'b',
    state: { running: { startedAt: at(5) } },
    lastState: ended('a', 1),
  };
  assert.deepEqual(reported(pod('web', running)), ['a previous ended', 'b']);
});

test('between two restarts only the last start exists, which is not requested as the previous one', () => {
  const waiting = { restartCount: 1, containerID: 'a', state: { waiting: {} }, lastState: ended('a', 1) };
  assert.deepEqual(reported(pod('web', waiting)), ['a ended']);
});

test('the tries of a job are starts in their order, in any pod', () => {
  const tries = [
    pod('late', { restartCount: 0, containerID: 'b', state: ended('b', 4) }),
    pod('early', { restartCount: 0, containerID: 'a', state: ended('a', 2) }),
  ];
  assert.deepEqual(reported(...tries), ['a ended', 'b ended']);
});

test('a container that has not begun has no start', () => {
  assert.deepEqual(reported(pod('web', { restartCount: 0, state: { waiting: {} } })), []);
});

/**
 * Reads the logs of a pod whose first start ended in second 1, from a node with these answers. Undefined means a
 * refusal.
 */
async function readFirst(answers: { current: string; previous?: string }): Promise<string[]> {
  const found = pod('web', { restartCount: 0, containerID: 'a', state: ended('a', 1) });
  found.metadata.labels = { [workloadKey]: 'web-1-0' };
  const cache = { find: (kind: string) => (kind === 'Deployment' ? {} : undefined), list: () => [found] };
  const open = async (_: string, { previous }: Query) => {
    const text = previous ? answers.previous : answers.current;
    if (text === undefined) throw new ClusterRefusal(400, 'previous terminated container not found');
    return Readable.from([Buffer.from(text)]);
  };
  const reader = createLogReader({ open }, cache as unknown as Cache);
  return (await reader.read('berth-shop-web-1-0', { tail: 10 })).map(({ text }) => text);
}

test('output of a start that began during a read is not attributed to the previous start', async () => {
  const one = '2026-01-01T00:00:01.2Z one\n';
  assert.deepEqual(await readFirst({ current: one }), ['one']);
  for (const two of ['2026-01-01T00:00:01.9Z two\n', '2026-01-01T00:00:02.1Z two\n'])
    assert.deepEqual(await readFirst({ current: two, previous: one }), ['one'], two);
});

test('a start without a log returns nothing, and nothing of the next ones', async () => {
  const [two, three] = ['2026-01-01T00:00:02.1Z two\n', '2026-01-01T00:00:09.1Z three\n'];
  assert.deepEqual(await readFirst({ current: three, previous: two }), []);
});
