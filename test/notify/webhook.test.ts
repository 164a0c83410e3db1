/** Calls to an account's webhook that are not taken, not to be made, or made again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDialer } from '../../src/images/dialer/dialer.ts';
import { sealWith } from '../../src/lib/seal.ts';
import { callWebhook, failuresToDisable } from '../../src/notify/deliver.ts';
import { addDeployment } from '../../src/store/deployments.ts';
import { addNotice } from '../../src/store/notifications.ts';
import { deliverDue, failed, minuteMs, secret, world } from './world.ts';

test('a test is sent once, with any result, and leaves nothing', async (t) => {
  const { db, choose, deliver, received, answers, clock } = await world(t);
  await choose([]);
  answers.status = 500;
  const content = { kind: 'test', message: 'This is a test.', url: 'https://berth.test' } as const;
  const ask = () => addNotice(db, 'ada', { subject: 'test', content }, { channels: ['webhook'], now: clock.now });
  assert.deepEqual([await ask(), await ask()], [true, false]);
  await deliver();
  assert.equal(received.length, 1);
  assert.deepEqual(await db.selectFrom('notices').selectAll().execute(), []);
  assert.equal(await ask(), true);
  await deliver();
  assert.equal(received.length, 2);
});

test('an address that does not take a call gets it again, later each time, and the last answer is kept', async (t) => {
  const { db, choose, look, deliver, received, answers, clock, webhook, waiting } = await world(t);
  await addDeployment(db, failed);
  await choose(['failed']);
  answers.status = 500;
  await look();
  const pauses: number[] = [];
  for (let last = clock.now; (await waiting()) > 0; clock.now += 1_000) {
    const before = received.length;
    await deliver();
    if (received.length === before) continue;
    pauses.push(Math.round((clock.now - last) / 1_000));
    last = clock.now;
  }
  assert.deepEqual(pauses, [0, 30, 120, 900, 4_200]);
  assert.equal(new Set(received.map(({ body }) => body)).size, 1);
  const { failures, answer, disabledAt } = await webhook();
  assert.deepEqual([failures, answer, disabledAt], [1, 'The address answered with status 500.', null]);
});

test('a redirect is not an answer, and is not followed', async (t) => {
  const { db, choose, look, deliver, received, answers, webhook } = await world(t);
  await addDeployment(db, failed);
  await choose(['failed']);
  answers.status = 307;
  await look();
  await deliver();
  assert.equal(received.length, 1);
  assert.match((await webhook()).answer!, /status 307; redirects are not followed/);
});

test('after several rejected notifications in a row a webhook is disabled, and its owner is notified', async (t) => {
  const { db, choose, deliver, answers, clock, webhook, mails, received, waiting } = await world(t);
  await choose(['failed']);
  answers.status = 503;
  for (let number = 1; number <= failuresToDisable; number++) {
    const content = { kind: 'failed', message: `${number}`, url: 'https://berth.test' } as const;
    await addNotice(db, 'ada', { subject: `${number}`, content }, { channels: ['webhook'], now: clock.now });
    for (; (await waiting()) > 0 && (await webhook()).disabledAt === null; clock.now += minuteMs) await deliver();
  }
  const { failures, disabledAt } = await webhook();
  assert.equal(failures, failuresToDisable);
  assert.notEqual(disabledAt, null);
  await deliver();
  assert.deepEqual(
    mails.map(({ subject }) => subject),
    ['Your webhook was switched off after 5 failed notifications'],
  );
  const calls = received.length;
  const content = { kind: 'failed', message: 'one more', url: 'https://berth.test' } as const;
  await addNotice(db, 'ada', { subject: 'more', content }, { channels: ['webhook'], now: clock.now });
  await deliver();
  assert.equal(received.length, calls);
  await choose(['failed']);
  assert.deepEqual([(await webhook()).failures, (await webhook()).disabledAt], [0, null]);
});

test('a call whose secret cannot be opened is reported and kept, and made once the key is back', async (t) => {
  const { db, choose, look, deliver, delivering, received, clock, webhook, waiting } = await world(t);
  await addDeployment(db, failed);
  await choose(['failed']);
  await look();
  const warned: object[] = [];
  const log = { warn: (details: object) => void warned.push(details) };
  await deliverDue({ ...delivering, log, seal: sealWith('another key') });
  assert.deepEqual([received.length, await waiting(), warned], [0, 1, [{ account: 'ada' }]]);
  assert.match((await webhook()).answer!, /can no longer open the secret of the webhook/);
  clock.now += minuteMs;
  await deliver();
  assert.deepEqual([received.length, await waiting()], [1, 0]);
});

test('an address that is not public is not connected to', async (t) => {
  const { delivering, received, url } = await world(t);
  using dialer = createDialer();
  const call = { url: url.replace('http:', 'https:'), secret, id: 'x', body: '{}', nowMs: 0, signal: delivering.stop };
  const { isTaken, answer } = await callWebhook(dialer, call);
  assert.equal(isTaken, false);
  assert.match(answer, /is not on the public internet\.$/);
  assert.equal(received.length, 0);
});
