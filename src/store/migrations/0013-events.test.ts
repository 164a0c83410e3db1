import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Value } from 'typebox/value';
import { databaseFile, earlierDatabase } from '../../../test/support/earlier-database.ts';
import { type DeploymentEvent, eventSchemas } from '../../deployment/event/event.ts';
import { describeEvent } from '../../deployment/event/event-words.ts';
import { describeExplanation, type Explanation } from '../../deployment/status/reason.ts';
import { openDatabase } from '../database.ts';
import { deploymentById } from '../deployments.ts';
import { sqliteDialect } from '../dialect/sqlite.ts';
import { addEvents, eventsAfter } from '../events.ts';
import { readEvent, readMessage } from './0013-events.ts';

/** `<kind> [<pod>|]<sentence>`, as the release before wrote them; `?`: what it says is not told exactly. */
const events = [
  'intent started',
  'intent updated to revision 12',
  'intent extended',
  'intent claimed',
  'intent reservation added',
  'intent reservation removed',
  'intent plan changed to pro',
  'intent removed',
  'intent removed with its account',
  'intent stopped by the operator: mining, again',
  'operation create-network, missing',
  'operation set-egress 203.0.113.0/24:443,198.51.100.7/32, it is 203.0.113.0/24,198.51.100.7/32',
  '? operation create-volume db-data, missing',
  '? operation grow-volume db-data, to 64 MiB',
  'operation remove-volume db-data, expired',
  'operation check nginx:1 redis:7, tags may have moved',
  'operation pull ghcr.io/me/app@sha256:0123, not on this host',
  'operation web|start berth-abcdefghij-my-web-1-0, revision 1',
  'operation remove berth-abcdefghij-my-web-12-3, its volumes pass to the next revision',
  'operation route /→10.200.0.4:80 /api→10.200.0.5:3000, revision 2',
  'operation route nothing, removed',
  'operation drain 10.200.0.4 10.200.0.5, revision 2',
  'operation remove-network, removed',
  '? operation made with love',
  'progress 0',
  'progress 99',
  '? progress a lot',
  'pod web|ready',
  'pod web|starting: does not listen on port 80; volume data of pod db is full (1 GiB): make it larger',
  '? pod web|puzzled',
  '? pod ready',
  'state revision 3 is running',
  'state removed',
  'state its time limit is reached',
  'state failed: pod web: crash loop, killed for memory (limit 96 MiB) (raise resources.limits.memory)',
  'state failed: pod web: exited with code 1 (look); revision 1 still serves\nTypeError: x\n    at y\n',
  '? state confused',
  'fault The container engine does not answer. It is tried again; what runs keeps running.',
  'fault image nginx:1 is used as it is on this host: its registry cannot be reached now',
  '? fault The volume data of pod db was lost on the engine: what was in it is gone. It is made again, empty.',
  '? disk web|pod web is stopped: it had written 41 MiB outside of its volumes, and may 40 MiB',
];

/** What is said in other words since then. */
const inWordsOfToday = (sentence: string) =>
  sentence
    .replace(/^its time limit is reached$/, 'its time limit was reached')
    .replace('It is tried again; what runs keeps running.', 'It will be tried again; what is running keeps running.');

test('each event of the release before says after the migration what it said before, as a value where that is exact', () => {
  for (const line of events) {
    const [, mark, kind, pod = null, message] = /^(\? )?(\w+) (?:(\w+)\|)?(.*)$/s.exec(line)!;
    const event = readEvent({ deploymentId: 'abcdefghij', number: 1, kind: kind!, pod, message: message! });
    assert.equal(event.kind, mark ? 'legacy' : kind, line);
    assert.ok(Value.Check(eventSchemas[event.kind as DeploymentEvent['kind']], event), JSON.stringify(event));
    assert.equal(describeEvent(event as DeploymentEvent), mark ? message : inWordsOfToday(message!));
    if (mark) assert.deepEqual(event, { kind: 'legacy', was: kind, ...(pod && { pod }), told: message });
  }
});

test('what was told beside a state is told after the migration as well', () => {
  const messages = {
    removed: 'ended',
    'its time limit is reached': 'ended',
    'pod web: No room. It is tried again; what runs keeps running.': 'tried-again',
    'pod web: exited with code 1 (its last lines may say why)': 'failed',
    'pod web: exited with code 1 (it has written nothing); revision 4 still serves': 'failed',
  };
  for (const [message, kind] of Object.entries(messages)) {
    const explanation = readMessage(message) as Explanation;
    assert.equal(explanation.kind, kind);
    assert.equal(describeExplanation(explanation), inWordsOfToday(message));
  }
});

test('a database of the release before comes over with all its events, and numbers go on where they were', async (t) => {
  const file = databaseFile(t);
  const { db: before } = await earlierDatabase('0011-hashed-sign-ins', file);
  await before.insertInto('sessions').values({ id: 'session', tokenHash: 'hash', createdAt: 0 }).execute();
  const message = 'pod web: exited with code 1 (look); revision 1 still serves';
  const shop = {
    id: 'shop',
    sessionId: 'session',
    applicationName: 'shop',
    environment: 'jolly-tapir',
    label: 'jolly-tapir-shop',
    revision: 2,
    servingRevision: 1,
    generation: 2,
    state: 'failed',
    progress: 40,
    message,
    pods: '[]',
    lastLines: '["x"]',
    endpoints: '[]',
    createdAt: 0,
    extensionsUsed: 0,
    progressedAt: 0,
  };
  await before.insertInto('deployments').values(shop).execute();
  const told = ['intent started', 'pod ready', 'state revision 1 is running', `state failed: ${message}`, 'disk Odd'];
  for (const [index, line] of told.entries()) {
    const [kind, ...words] = line.split(' ');
    const event = { deploymentId: 'shop', number: index + 1, at: 1000 + index, kind, message: words.join(' ') };
    await before
      .insertInto('events')
      .values({ ...event, pod: kind === 'pod' ? 'web' : null })
      .execute();
  }
  await before.destroy();

  const db = await openDatabase(sqliteDialect(file));
  t.after(() => db.destroy());
  const deployment = await deploymentById(db, 'shop');
  assert.equal(describeExplanation(deployment!.explanation), message);
  assert.deepEqual([deployment!.state, deployment!.lastLines], ['failed', ['x']]);
  await addEvents(db, 'shop', [{ at: 2000, event: { kind: 'progress', progress: 5 } }]);
  const events = await eventsAfter(db, 'shop', 0, 100);
  assert.deepEqual(
    events.map((event) => [event.number, event.sequence, event.count, event.firstAt, event.at, describeEvent(event)]),
    [
      ...told.map((line, index) => [index + 1, index + 1, 1, 1000 + index, 1000 + index, line.replace(/^\w+ /, '')]),
    ].concat([[6, 6, 1, 2000, 2000, '5']]),
  );
});
