import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Value } from 'typebox/value';
import { anyEvent } from '../../../test/support/any-event.ts';
import { eventOf } from '../plan/operation.ts';
import { type DeploymentEvent, eventSchemas, identityOf } from './event.ts';
import { describeEvent } from './event-text.ts';

test('any event of the schema has a sentence', () => {
  fc.assert(
    fc.property(anyEvent, (event) => {
      assert.ok(Value.Check(eventSchemas[event.kind], event));
      assert.doesNotMatch(describeEvent(event), /\bundefined\b|\[object/);
    }),
  );
});

test('events use the words that clients know', () => {
  const workload = { workload: 'berth-shop-web-1-0', pod: 'web', revision: 1, replica: 0 };
  const data = { volume: 'db-data', title: 'volume data of pod db' };
  const reported: [DeploymentEvent, string][] = [
    [{ kind: 'intent', intent: 'start', revision: 1 }, 'started'],
    [{ kind: 'intent', intent: 'update', revision: 2 }, 'updated to revision 2'],
    [{ kind: 'intent', intent: 'stop', because: 'too loud' }, 'stopped by the operator: too loud'],
    [{ kind: 'operation', operation: 'create-network', because: 'missing' }, 'create-network, missing'],
    [
      { kind: 'operation', operation: 'start', ...workload, because: 'revision 1' },
      'start berth-shop-web-1-0, revision 1',
    ],
    [
      {
        kind: 'operation',
        operation: 'route',
        because: 'revision 1',
        revision: 1,
        endpoints: [{ path: '/', address: '10.0.0.1', port: 80 }],
      },
      'route /→10.0.0.1:80, revision 1',
    ],
    [{ kind: 'operation', operation: 'route', because: 'removed', endpoints: [] }, 'route nothing, removed'],
    [{ kind: 'progress', progress: 40 }, '40'],
    [{ kind: 'pod', pod: 'web', state: 'ready' }, 'ready'],
    [{ kind: 'pod', pod: 'web', state: 'starting', because: 'port 80 refuses' }, 'starting: port 80 refuses'],
    [{ kind: 'pod', pod: 'web', state: 'ready', revision: 1 }, 'ready in revision 1'],
    [{ kind: 'state', state: 'running', revision: 2 }, 'revision 2 is running'],
    [
      {
        kind: 'state',
        state: 'failed',
        pods: ['web'],
        because: 'exited with code 1',
        hint: 'look',
        servingRevision: 1,
        lastLines: ['a', 'b'],
      },
      'failed: pod web: exited with code 1 (look); revision 1 still serves\na\nb',
    ],
    [{ kind: 'state', state: 'expired', because: 'expired' }, 'its time limit was reached'],
    [
      { kind: 'fault', fault: 'tried-again', pods: ['a', 'b'], because: 'No room' },
      'pods a, b: No room. It will be tried again; what is running keeps running.',
    ],
    [
      { kind: 'fault', fault: 'volume-lost', ...data },
      'The volume data of pod db was lost on the engine with its data. It is created again, empty.',
    ],
    [
      { kind: 'disk', disk: 'level', ...data, level: 'full', percent: 100, sizeBytes: 2 ** 30 },
      'volume data of pod db is full (1 GiB): make it larger or delete files',
    ],
    [{ kind: 'forgotten', events: 1_200 }, '1200 earlier events were removed'],
    [{ kind: 'forgotten', events: 1 }, 'an earlier event was removed'],
  ];
  for (const [event, sentence] of reported) assert.equal(describeEvent(event), sentence);
});

test('only the fields that differ each time are ignored when events are compared', () => {
  const full = (percent: number, volume = 'db-data'): DeploymentEvent => ({
    kind: 'disk',
    disk: 'level',
    volume,
    title: volume,
    level: 'full',
    percent,
    sizeBytes: 1,
  });
  assert.equal(identityOf(full(100)), identityOf(full(101)));
  assert.notEqual(identityOf(full(100)), identityOf(full(100, 'db-log')));
  const failed = (because: string, lastLines: string[]): DeploymentEvent => ({
    kind: 'state',
    state: 'failed',
    pods: ['web'],
    because,
    lastLines,
  });
  assert.equal(identityOf(failed('a', ['12:01 x'])), identityOf(failed('a', ['12:02 x'])));
  assert.notEqual(identityOf(failed('a', [])), identityOf(failed('b', [])));
  assert.equal(identityOf({ kind: 'intent', intent: 'extend' }), null, 'two equal requests are two events');
});

test('an event of an operation contains no values of its workload or its login', () => {
  const registryLogin = { registry: 'ghcr.io', username: 'me', personalAccessToken: 'hunter1' };
  const workload = {
    name: 'berth-shop-web-1-0',
    pod: 'web',
    revision: 1,
    replica: 0,
    fingerprint: '',
    image: 'nginx:1',
    registryLogin,
    env: { KEY: 'hunter2' },
    files: [{ path: '/key', content: 'hunter3' }],
    volumes: [],
    ports: [],
    aliases: [],
    command: ['run', 'hunter4'],
    resources: { requests: {}, limits: {} },
    useGPU: false,
    readiness: { kind: 'running' } as const,
  };
  const because = 'missing';
  for (const event of [
    eventOf({ kind: 'start', workload, because }),
    eventOf({ kind: 'pull', image: 'nginx:1', registryLogin, because }),
    eventOf({ kind: 'check', images: [{ image: 'nginx:1', registryLogin }], because }),
  ])
    assert.doesNotMatch(JSON.stringify(event), /hunter|ghcr/);
});
