import assert from 'node:assert/strict';
import { test } from 'node:test';
import { podOf, streamedEvents } from '../../../test/support/streamed-events.ts';
import type { Deployment } from '../service/records.ts';
import type { StreamedEvent } from './event-text.ts';
import { addEvents, callsForStatus, emptyFeed, readEvent } from './feed.ts';

const deployment: Deployment = {
  applicationName: 'shop',
  environment: 'jolly-tapir',
  url: 'http://jolly-tapir-shop.localhost:8080',
  createdAt: '2026-01-01T12:00:00.000Z',
  extend: { available: true, remaining: 2 },
  claim: { claimed: false },
  reservation: { held: false },
  status: { state: 'deploying', health: 'deploying', progress: 10, revision: 1, pods: [podOf('web', 'waiting')] },
};
const event = (number: number, event: Parameters<typeof streamedEvents>[0][number][1]): StreamedEvent =>
  streamedEvents([[1000, event]], number)[0]!;
const progress = (number: number, progress: number) => event(number, { kind: 'progress', progress });
const webReady = (number: number) => event(number, { kind: 'pod', pod: 'web', state: 'ready' });

test('events update the progress at once; the state of pods is requested from the service', () => {
  const feed = addEvents({ ...emptyFeed, deployment }, [
    progress(1, 40),
    event(2, { kind: 'pod', pod: 'web', state: 'starting', because: 'port 80 refuses connections' }),
    event(3, { kind: 'pod', pod: 'db', state: 'ready' }),
  ]);
  assert.equal(feed.deployment!.status.progress, 40);
  assert.deepEqual(feed.deployment!.status.pods, [podOf('web', 'waiting')]);
  assert.ok(callsForStatus({ kind: 'pod' }));
});

test('the progress of a waiting pod includes the downloaded part of its image', () => {
  const pulling = [{ pod: 'web', doneBytes: 34, totalBytes: 120 }];
  const pulled = event(1, { kind: 'progress', progress: 20, pulling });
  const { status } = addEvents({ ...emptyFeed, deployment }, [pulled]).deployment!;
  assert.deepEqual(status.pods, [podOf('web', 'waiting', { pulling: { doneBytes: 34, totalBytes: 120 } })]);
});

test('progress never goes back, and a running deployment has none', () => {
  const feed = addEvents({ ...emptyFeed, deployment }, [progress(1, 5)]);
  assert.equal(feed.deployment!.status.progress, 10);
  const running = { ...deployment, status: { ...deployment.status, state: 'running' as const, progress: 100 } };
  assert.equal(addEvents({ ...emptyFeed, deployment: running }, [progress(1, 50)]).deployment!.status.progress, 100);
});

test('an update is in progress from its request until the event that it is live', () => {
  const running = { ...deployment, status: { ...deployment.status, state: 'running' as const, progress: 100 } };
  const requested = addEvents({ ...emptyFeed, deployment: running }, [
    event(9, { kind: 'intent', intent: 'update', revision: 2 }),
  ]);
  assert.deepEqual([requested.deployment!.status.state, requested.deployment!.status.progress], ['deploying', 0]);
  const reported = (state: Parameters<typeof event>[1]) => addEvents(requested, [event(10, state)]).deployment!.status;
  const running2 = reported({ kind: 'state', state: 'running', revision: 2 });
  assert.deepEqual([running2.state, running2.progress], ['running', 100]);
  const failure = { pods: ['web'], because: 'exited', lastLines: [] };
  assert.equal(reported({ kind: 'state', state: 'failed', ...failure }).state, 'failed');
});

test('an event that arrives again after a reconnect counts once', () => {
  const once = addEvents(emptyFeed, [event(1, { kind: 'intent', intent: 'start', revision: 1 }), progress(2, 5)]);
  const twice = addEvents(once, [progress(2, 5), webReady(3)]);
  assert.deepEqual(
    twice.events.map(({ number }) => number),
    [1, 2, 3],
  );
  assert.equal(addEvents(twice, [webReady(3)]), twice);
});

test('a repeated event replaces its earlier occurrence', () => {
  const web = (sequence: number, number: number, count: number, because: string): StreamedEvent => ({
    ...event(number, { kind: 'pod', pod: 'web', state: 'starting', because }),
    sequence,
    count,
  });
  const once = addEvents({ ...emptyFeed, deployment }, [web(1, 1, 1, 'exited'), web(2, 2, 1, 'refuses')]);
  const again = addEvents(once, [web(3, 1, 2, 'exited'), web(4, 2, 2, 'refuses'), web(5, 1, 3, 'exited')]);
  assert.deepEqual(
    again.events.map(({ number, count }) => [number, count]),
    [
      [2, 2],
      [1, 3],
    ],
  );
});

test('only events of states, pods, intents and the disk call for the status', () => {
  const kinds = ['intent', 'operation', 'progress', 'pod', 'state', 'fault', 'disk', 'forgotten'] as const;
  const calling = kinds.filter((kind) => callsForStatus({ kind }));
  assert.deepEqual(calling, ['intent', 'pod', 'state', 'disk']);
});

test('messages are read as events, and invalid ones are left out', () => {
  const { sequence: _, ...sent } = webReady(3);
  assert.deepEqual(readEvent({ id: '7', event: 'pod', data: JSON.stringify(sent) }), { ...sent, sequence: 7 });
  const news = { id: '7', event: 'news', data: '{"kind":"news","message":"of a kind that is new"}' };
  assert.equal(readEvent(news)?.message, 'of a kind that is new');
  for (const data of ['no JSON', 'null', '7', '{"kind":"pod"}'])
    assert.equal(readEvent({ id: '7', event: 'pod', data }), undefined, data);
});
