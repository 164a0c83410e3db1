import assert from 'node:assert/strict';
import { test } from 'node:test';
import { journeyOf, presentOf } from './steps.ts';
import { type DeploymentEvent, isEnd, tell } from './story.ts';

const noon = Date.UTC(2026, 0, 1, 12);

/** `<ms after noon> <kind> [<pod>|]<message>`. */
function events(...lines: string[]): DeploymentEvent[] {
  return lines.map((line, index) => {
    const [, ms, kind, pod, message] = /^(\d+) (\w+) (?:(\w+)\|)?(.*)$/s.exec(line)!;
    const at = new Date(noon + Number(ms)).toISOString();
    return { number: index + 1, at, kind: kind as DeploymentEvent['kind'], ...(pod && { pod }), message: message! };
  });
}

const deploying = events(
  '0 intent started',
  '40 operation create-network, missing',
  '50 operation create-volume db-data, missing',
  '900 operation pull postgres:15, not on this host',
  '1100 operation db|start berth-abcdefghij-db-1-0, revision 1',
  '1100 progress 40',
  '1200 pod db|starting: port 5432 refuses connections',
);
const live = [
  ...deploying,
  ...events(
    '2100 pod db|ready',
    '2200 operation web|start berth-abcdefghij-my-web-1-0, revision 1',
    '2500 pod web|ready',
    '2510 operation route /→10.200.0.4:80, revision 1',
    '2530 state revision 1 is running',
  ),
];

test('events are told in words', () => {
  const told = live.map(tell).map((telling) => telling && [telling.text, telling.detail].filter(Boolean).join(' | '));
  assert.deepEqual(told, [
    'Deployment asked for',
    'Network made',
    'Volume db-data made',
    'Image postgres:15 downloaded',
    'db started',
    undefined,
    'db is starting | port 5432 refuses connections',
    'db is ready',
    'web started',
    'web is ready',
    'The address leads to revision 1',
    'Revision 1 is live',
  ]);
});

test('a failure is told with its reason in front and the last lines behind it', () => {
  const [failed] = events('0 state failed: pod web: exits with 1\nTypeError: x\n    at y');
  assert.deepEqual(tell(failed!), {
    ...{ text: 'Failed: pod web: exits with 1', tone: 'bad', detail: 'TypeError: x\n    at y' },
  });
});

test('what an update and a removal do is told too', () => {
  const told = events(
    '0 intent updated to revision 2',
    '1 operation check nginx:1 redis:7, tags may have moved',
    '2 operation drain, revision 2',
    '3 operation remove berth-abcdefghij-my-web-1-0, outdated',
    '4 intent removed',
    '5 operation route nothing, removed',
    '6 operation remove-network, removed',
    '7 state removed',
  );
  assert.deepEqual(
    told.map((event) => tell(event)?.text),
    [
      'Update to revision 2 asked for',
      'Tags of nginx:1, redis:7 looked up',
      'Requests under way have ended',
      'my-web of revision 1 stopped',
      'Removal asked for',
      'The address leads nowhere any more',
      'Network removed',
      'Removed',
    ],
  );
  assert.deepEqual(
    told.filter(isEnd).map(({ number }) => number),
    [8],
  );
});

test('the way to being live has steps with their times, and one of them is the present', () => {
  const pods = [
    { name: 'db', state: 'starting', message: 'port 5432 refuses connections' },
    { name: 'web', state: 'waiting' },
  ];
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

test('before anything has started, the images are what is waited for; at the end, the address', () => {
  assert.equal(presentOf(journeyOf(events('0 intent started'), { state: 'deploying' })!), 'Getting the images');
  const ready = [{ name: 'db', state: 'ready' }];
  assert.equal(presentOf(journeyOf(deploying, { state: 'deploying', pods: ready })!), 'Turning the address to it');
});

test('a live revision has taken the time from being asked for to its being live', () => {
  const pods = [
    { name: 'db', state: 'ready' },
    { name: 'web', state: 'ready' },
  ];
  const journey = journeyOf(live, { state: 'running', pods })!;
  assert.equal(journey.tookMs, 2530);
  assert.ok(journey.steps.every(({ state }) => state === 'done'));
});

test('after an update the steps are those of the new revision, and pods that stay say so', () => {
  const updated = [
    ...live,
    ...events('9000 intent updated to revision 2', '9100 operation web|start berth-a-web-2-0, revision 2'),
  ];
  const journey = journeyOf(updated, {
    state: 'deploying',
    pods: [
      { name: 'db', state: 'ready' },
      { name: 'web', state: 'starting' },
    ],
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

test('without events there are no steps', () => {
  assert.equal(journeyOf([], { state: 'deploying' }), undefined);
});
