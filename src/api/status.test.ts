import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addEvents } from '../store/events.ts';
import { testApi } from './testing.ts';

test('events stream with their numbers, resume after Last-Event-ID, and end when the deployment is gone', async () => {
  const api = await testApi();
  const token = await api.startShop();
  const { db } = api.service;
  const { id } = await db.selectFrom('deployments').select('id').executeTakeFirstOrThrow();
  await addEvents(db, id, [{ at: api.clock.now, kind: 'pod', pod: 'web', message: 'ready' }]);
  await db.updateTable('deployments').set({ goneAt: api.clock.now }).execute();

  const url = '/getDeploymentEvents?applicationName=shop';
  const all = await api.get(url, { authorization: `Bearer ${token}` });
  assert.equal(all.headers['content-type'], 'text/event-stream');
  assert.equal(
    all.body,
    'id: 1\nevent: intent\ndata: {"at":"2026-01-01T12:00:00.000Z","kind":"intent","message":"started"}\n\n' +
      'id: 2\nevent: pod\ndata: {"at":"2026-01-01T12:00:00.000Z","kind":"pod","pod":"web","message":"ready"}\n\n',
  );
  const rest = await api.get(url, { authorization: `Bearer ${token}`, 'last-event-id': '1' });
  assert.match(rest.body, /^id: 2\n/);
});

test('a stream sees events that come later and ends when the service closes', async () => {
  const api = await testApi();
  const token = await api.startShop();
  const { db } = api.service;
  const { id } = await db.selectFrom('deployments').select('id').executeTakeFirstOrThrow();
  const answer = api.get('/getDeploymentEvents?applicationName=shop', { authorization: `Bearer ${token}` });
  await new Promise((resolve) => setTimeout(resolve, 50));
  await addEvents(db, id, [{ at: api.clock.now, kind: 'progress', message: '42' }]);
  await new Promise((resolve) => setTimeout(resolve, 400));
  await api.app.close();
  assert.match((await answer).body, /event: progress\ndata: .*"42"/);
});
