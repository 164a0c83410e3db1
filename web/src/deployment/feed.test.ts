import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Deployment } from '../service/records.ts';
import { addEvents, callsForStatus, emptyFeed, readEvent } from './feed.ts';
import type { DeploymentEvent } from './story.ts';

const deployment: Deployment = {
  ...{ applicationName: 'shop', environment: 'jolly-tapir', url: 'http://jolly-tapir-shop.localhost:8080' },
  ...{ createdAt: '2026-01-01T12:00:00.000Z', extend: { available: true, remaining: 2 } },
  ...{ claim: { claimed: false }, reservation: { held: false } },
  status: { state: 'deploying', progress: 10, pods: [{ name: 'web', state: 'waiting' }] },
};
const event = (number: number, kind: DeploymentEvent['kind'], message: string, pod?: string): DeploymentEvent => ({
  ...{ number, kind, message, at: '2026-01-01T12:00:01.000Z' },
  ...(pod !== undefined && { pod }),
});

test('events move the progress and the pods at once', () => {
  const feed = addEvents({ ...emptyFeed, deployment }, [
    event(1, 'progress', '40'),
    event(2, 'pod', 'starting: port 80 refuses connections', 'web'),
    event(3, 'pod', 'ready', 'db'),
  ]);
  assert.equal(feed.deployment!.status.progress, 40);
  assert.deepEqual(feed.deployment!.status.pods, [
    { name: 'web', state: 'starting', message: 'port 80 refuses connections' },
    { name: 'db', state: 'ready' },
  ]);
});

test('progress never goes back, and a running deployment has none', () => {
  const feed = addEvents({ ...emptyFeed, deployment }, [event(1, 'progress', '5')]);
  assert.equal(feed.deployment!.status.progress, 10);
  const running = { ...deployment, status: { ...deployment.status, state: 'running' as const, progress: 100 } };
  assert.equal(
    addEvents({ ...emptyFeed, deployment: running }, [event(1, 'progress', '50')]).deployment!.status.progress,
    100,
  );
});

test('an update is on its way from the moment it is asked for, and live when that is told', () => {
  const running = { ...deployment, status: { ...deployment.status, state: 'running' as const, progress: 100 } };
  const asked = addEvents({ ...emptyFeed, deployment: running }, [event(9, 'intent', 'updated to revision 2')]);
  assert.deepEqual([asked.deployment!.status.state, asked.deployment!.status.progress], ['deploying', 0]);
  const told = (message: string) => addEvents(asked, [event(10, 'state', message)]).deployment!.status;
  assert.deepEqual([told('revision 2 is running').state, told('revision 2 is running').progress], ['running', 100]);
  assert.equal(told('failed: pod web: exited').state, 'failed');
});

test('an event that comes twice, after a connection was lost, counts once', () => {
  const once = addEvents(emptyFeed, [event(1, 'intent', 'started'), event(2, 'progress', '5')]);
  const twice = addEvents(once, [event(2, 'progress', '5'), event(3, 'pod', 'ready', 'web')]);
  assert.deepEqual(
    twice.events.map(({ number }) => number),
    [1, 2, 3],
  );
  assert.equal(addEvents(twice, [event(3, 'pod', 'ready', 'web')]), twice);
});

test('states and intents call for the status, everything else speaks for itself', () => {
  const calling = (['intent', 'operation', 'progress', 'pod', 'state', 'fault'] as const).filter((kind) =>
    callsForStatus(event(1, kind, '')),
  );
  assert.deepEqual(calling, ['intent', 'state']);
});

test('a message is read as an event, and what is none is left out', () => {
  const data = '{"at":"2026-01-01T12:00:00.000Z","kind":"pod","pod":"web","message":"ready"}';
  assert.equal(readEvent({ id: '7', event: 'pod', data })?.number, 7);
  assert.equal(readEvent({ id: '7', event: 'pod', data: 'no JSON' }), undefined);
  assert.equal(readEvent({ id: '7', event: 'news', data: '{"kind":"news"}' }), undefined);
});
