import assert from 'node:assert/strict';
import { test } from 'node:test';
import { podOf, streamedEvents } from '../../../test/support/streamed-events.ts';
import type { PodState } from '../service/records.ts';
import { describeEvent, endOf } from './event-text.ts';
import { journeyOf, presentOf } from './steps.ts';

const web = { workload: 'berth-abcdefghij-my-web-1-0', pod: 'my-web', revision: 1, replica: 0 };
const started = [0, { kind: 'intent', intent: 'start', revision: 1 }] as const;
const deploying = streamedEvents([
  [...started],
  [40, { kind: 'operation', operation: 'create-network', because: 'missing' }],
  [50, { kind: 'operation', operation: 'create-volume', volume: 'db-data', sizeBytes: 1, because: 'missing' }],
  [900, { kind: 'operation', operation: 'pull', image: 'postgres:15', because: 'not on this host' }],
  [1100, { kind: 'operation', operation: 'start', ...web, pod: 'db', because: 'revision 1' }],
  [1100, { kind: 'progress', progress: 40 }],
  [1200, { kind: 'pod', pod: 'db', state: 'starting', because: 'port 5432 refuses connections' }],
]);
const live = [
  ...deploying,
  ...streamedEvents(
    [
      [2100, { kind: 'pod', pod: 'db', state: 'ready' }],
      [2200, { kind: 'operation', operation: 'start', ...web, pod: 'web', because: 'revision 1' }],
      [2500, { kind: 'pod', pod: 'web', state: 'ready' }],
      [
        2510,
        {
          kind: 'operation',
          operation: 'route',
          because: 'revision 1',
          revision: 1,
          endpoints: [{ path: '/', address: '10.200.0.4', port: 80 }],
        },
      ],
      [2530, { kind: 'state', state: 'running', revision: 1 }],
    ],
    8,
  ),
];

test('events are shown in words', () => {
  const reported = live
    .map(describeEvent)
    .map((notifying) => notifying && [notifying.text, notifying.detail].filter(Boolean).join(' | '));
  assert.deepEqual(reported, [
    'Deployment requested',
    'Network created',
    'Volume db-data created',
    'Image postgres:15 downloaded',
    'db started',
    undefined,
    'db is starting | port 5432 refuses connections',
    'db is ready',
    'web started',
    'web is ready',
    'The address serves revision 1',
    'Revision 1 is live',
  ]);
});

test('a pod that becomes ready in another revision than the last one names its revision', () => {
  const [event] = streamedEvents([[0, { kind: 'pod', pod: 'web', state: 'ready', revision: 1 }]]);
  assert.deepEqual(describeEvent(event!), { text: 'web of revision 1 is ready', tone: 'good' });
});

test('a failure is shown with its reason first and the last lines after it', () => {
  const [failed] = streamedEvents([
    [
      0,
      {
        kind: 'state',
        state: 'failed',
        pods: ['web'],
        because: 'exits with 1',
        hint: 'look',
        servingRevision: 1,
        lastLines: ['TypeError: x', '    at y'],
      },
    ],
  ]);
  assert.deepEqual(describeEvent(failed!), {
    text: 'Failed: pod web: exits with 1 (look); revision 1 still serves',
    tone: 'bad',
    detail: 'TypeError: x\n    at y',
  });
});

test('operations of updates and removals are shown too', () => {
  const reported = streamedEvents([
    [0, { kind: 'intent', intent: 'update', revision: 2 }],
    [1, { kind: 'operation', operation: 'check', images: ['nginx:1', 'redis:7'], because: 'tags may have moved' }],
    [2, { kind: 'operation', operation: 'drain', addresses: ['10.200.0.4'], because: 'revision 2' }],
    [3, { kind: 'operation', operation: 'remove', ...web, because: 'outdated' }],
    [4, { kind: 'intent', intent: 'remove', because: 'asked' }],
    [5, { kind: 'operation', operation: 'route', endpoints: [], because: 'removed' }],
    [6, { kind: 'operation', operation: 'remove-network', because: 'removed' }],
    [7, { kind: 'state', state: 'expired', because: 'removed' }],
  ]);
  assert.deepEqual(
    reported.map((event) => describeEvent(event)?.text),
    [
      'Update to revision 2 requested',
      'Looked up nginx:1, redis:7',
      'Requests to the old revision have ended',
      'my-web of revision 1 stopped',
      'Removal requested',
      'The address no longer serves anything',
      'Network removed',
      'Removed',
    ],
  );
  assert.deepEqual(reported.map(endOf), [...Array(7).fill(undefined), 'removed']);
});

test('events of volumes are shown, each in its tone', () => {
  const data = { volume: 'db-data', title: 'volume data of pod db' };
  const level = (level: 'full' | 'nearly full' | 'roomy', percent: number) =>
    ({ kind: 'disk', disk: 'level', ...data, level, percent, sizeBytes: 2 ** 30 }) as const;
  const reported = streamedEvents([
    [0, level('nearly full', 91)],
    [1, level('full', 100)],
    [2, level('roomy', 80)],
    [3, { kind: 'disk', disk: 'stopped', pod: 'web', because: 'it wrote too much' }],
    [4, { kind: 'fault', fault: 'volume-lost', ...data }],
  ]);
  assert.deepEqual(reported.map(describeEvent), [
    {
      text: 'Volume data of pod db is 91 % full (of 1 GiB): make it larger or delete files',
      tone: 'plain',
    },
    { text: 'Volume data of pod db is full (1 GiB): make it larger or delete files', tone: 'bad' },
    { text: 'Volume data of pod db has room again: 80 % full (of 1 GiB)', tone: 'good' },
    { text: 'Pod web is stopped: it wrote too much', tone: 'bad' },
    {
      text: 'The volume data of pod db was lost on the engine with its data. It is created again, empty.',
      tone: 'bad',
    },
  ]);
});

test('an event of an unknown kind is shown with its own sentence', () => {
  const [known] = streamedEvents([[0, { kind: 'progress', progress: 1 }]]);
  const unknown = { ...known!, message: 'something odd' };
  assert.deepEqual(describeEvent({ ...unknown, kind: 'certificate' as never }), {
    text: 'Something odd',
    tone: 'plain',
  });
});

test('the way to live has steps with their times, and one of them is current', () => {
  const pods = [podOf('db', 'starting', { message: 'port 5432 refuses connections' }), podOf('web', 'waiting')];
  const journey = journeyOf(deploying, { state: 'deploying', pods })!;
  assert.deepEqual(
    journey.steps.map(({ name, state, afterMs }) => [name, state, afterMs]),
    [
      ['Configuration accepted', 'done', 0],
      ['Network and volumes', 'done', 50],
      ['Images', 'done', 900],
      ['db', 'now', undefined],
      ['web', 'waiting', undefined],
      ['On the web', 'waiting', undefined],
    ],
  );
  assert.equal(presentOf(journey), 'Waiting for db: port 5432 refuses connections');
});

test('the first step waits for the images, and the last one for the address', () => {
  assert.equal(presentOf(journeyOf(streamedEvents([[...started]]), { state: 'deploying' })!), 'Fetching the images');
  const ready = [podOf('db', 'ready')];
  assert.equal(presentOf(journeyOf(deploying, { state: 'deploying', pods: ready })!), 'Switching the address over');
});

test('the duration of a live revision is the time from its request to live', () => {
  const pods = [podOf('db', 'ready'), podOf('web', 'ready')];
  const journey = journeyOf(live, { state: 'running', pods })!;
  assert.equal(journey.tookMs, 2530);
  assert.ok(journey.steps.every(({ state }) => state === 'done'));
});

test('after an update the steps are those of the new revision, and pods that stay say so', () => {
  const updated = [
    ...live,
    ...streamedEvents(
      [
        [9000, { kind: 'intent', intent: 'update', revision: 2 }],
        [9100, { kind: 'operation', operation: 'start', ...web, pod: 'web', revision: 2, because: 'revision 2' }],
      ],
      13,
    ),
  ];
  const journey = journeyOf(updated, {
    state: 'deploying',
    pods: [podOf('db', 'ready'), podOf('web', 'starting')],
  })!;
  assert.equal(journey.revision, 2);
  assert.deepEqual(
    journey.steps.map(({ name, state, says }) => [name, state, says]),
    [
      ['Configuration accepted', 'done', undefined],
      ['Images', 'done', undefined],
      ['db', 'done', 'stays as it was'],
      ['web', 'now', undefined],
      ['On the web', 'waiting', undefined],
    ],
  );
});

test('the duration of a step ends when it was first done, even if it is repeated', () => {
  const again = live.map((event) => ({
    ...event,
    count: 3,
    at: new Date(Date.parse(event.at) + 60_000).toISOString(),
  }));
  assert.equal(journeyOf(again, { state: 'running', pods: [podOf('db', 'ready')] })!.tookMs, 2530);
});

test('steps need events', () => {
  assert.equal(journeyOf([], { state: 'deploying' }), undefined);
});

test('the steps show a failed pod, and one that keeps restarting', () => {
  const pods = [
    podOf('db', 'degraded', { message: 'keeps restarting: 7 times' }),
    podOf('web', 'failed', { message: 'listens on 81, not on 80' }),
  ];
  const { steps } = journeyOf(live, { state: 'failed', pods })!;
  assert.deepEqual(
    steps.slice(-3, -1).map(({ name, state, says }) => [name, state, says]),
    [
      ['db', 'degraded', 'keeps restarting: 7 times'],
      ['web', 'failed', 'listens on 81, not on 80'],
    ],
  );
});

test('a failed pod that never started fails the step of its image', () => {
  const events = streamedEvents([
    [...started],
    [900, { kind: 'operation', operation: 'pull', image: 'postgres:17', because: 'not on this host' }],
    [1000, { kind: 'operation', operation: 'start', workload: 'db', pod: 'db', revision: 1, replica: 0, because: 'x' }],
  ]);
  const imagesWith = (web: PodState) => {
    const { steps } = journeyOf(events, { state: 'failed', pods: [podOf('db', 'starting'), web] })!;
    return steps.find(({ name }) => name === 'Images')?.state;
  };
  assert.equal(imagesWith(podOf('web', 'failed')), 'failed');
  assert.equal(imagesWith(podOf('web', 'failed', { revision: 0 })), 'done', 'what an update leaves as it was has one');
  assert.equal(imagesWith(podOf('web', 'waiting')), 'done');
});

test('after a failure no step waits, and the address names the serving revision', () => {
  const requested = streamedEvents([[...started]]);
  const lastSteps = (status: Parameters<typeof journeyOf>[1]) =>
    journeyOf(requested, status)!
      .steps.slice(1)
      .map(({ name, state, says }) => [name, state, says].filter(Boolean).join(' '));
  assert.deepEqual(lastSteps({ state: 'failed' }), ['Images failed', 'On the web failed']);
  requested.push(...streamedEvents([[100, { kind: 'pod', pod: 'web', state: 'ready' }]], 2));
  assert.deepEqual(lastSteps({ state: 'failed', servingRevision: 1, pods: [podOf('web', 'ready')] }), [
    'Images failed',
    'web done stays as it was',
    'On the web degraded unchanged: revision 1 serves',
  ]);
});
