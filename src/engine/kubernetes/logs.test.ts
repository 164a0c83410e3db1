import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import type { Cache } from './cache.ts';
import type { Query } from './cluster.ts';
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
const told = (...pods: FoundPod[]) =>
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
  assert.deepEqual(told(pod('web', running)), ['a previous ended', 'b']);
});

test('between two restarts there is the last start alone, which is not asked for as the previous', () => {
  const waiting = { restartCount: 1, containerID: 'a', state: { waiting: {} }, lastState: ended('a', 1) };
  assert.deepEqual(told(pod('web', waiting)), ['a ended']);
});

test('the tries of a job are starts in their order, whichever pod they are in', () => {
  const tries = [
    pod('late', { restartCount: 0, containerID: 'b', state: ended('b', 4) }),
    pod('early', { restartCount: 0, containerID: 'a', state: ended('a', 2) }),
  ];
  assert.deepEqual(told(...tries), ['a ended', 'b ended']);
});

test('a container that has not begun has no start', () => {
  assert.deepEqual(told(pod('web', { restartCount: 0, state: { waiting: {} } })), []);
});

test('what a start has written that began while its log was asked for is not told as that of the one before', async () => {
  const found = pod('web', { restartCount: 0, containerID: 'a', state: ended('a', 1) });
  found.metadata.labels = { [workloadKey]: 'web-1-0' };
  const cache = { find: (kind: string) => (kind === 'Deployment' ? {} : undefined), list: () => [found] };
  const open = async (_: string, { previous }: Query) =>
    Readable.from([Buffer.from(previous ? '2026-01-01T00:00:01.9Z one\n' : '2026-01-01T00:00:02.1Z two\n')]);
  const reader = createLogReader({ open }, cache as unknown as Cache);
  const lines = await reader.read('berth-shop-web-1-0', { tail: 10 });
  assert.deepEqual(
    lines.map(({ text }) => text),
    ['one'],
  );
});
