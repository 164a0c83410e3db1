/** Notifications of accounts, by mail and webhook: with a real store, mail server and web server. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { mailTransport } from '../../src/lib/mail-transport.ts';
import { addDeployment } from '../../src/store/deployments.ts';
import { addNotice, setMailKinds } from '../../src/store/notifications.ts';
import { startMailServer } from '../accounts/mail-server.ts';
import { deliverDue, failed, minuteMs, secret, world } from './world.ts';

test('a failed deployment is reported once, by mail and by a call with a signature of its secret', async (t) => {
  const { db, choose, look, deliver, received, mails, clock, webhook, waiting } = await world(t);
  await addDeployment(db, failed);
  await setMailKinds(db, 'ada', ['failed']);
  await choose(['failed']);
  for (let looks = 0; looks < 3; looks++) {
    await look();
    await deliver();
    clock.now += minuteMs;
  }
  assert.deepEqual(
    mails.map(({ to, subject }) => [to, subject]),
    [['ada@example.com', 'Revision 2 of shop failed']],
  );
  assert.match(mails[0]!.text, /https:\/\/berth\.test\/d\/shop/);
  assert.equal(received.length, 1);
  const { headers, body } = received[0]!;
  const [, seconds, digest] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['berth-signature']))!;
  assert.equal(digest, createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex'));
  const { id, ...told } = JSON.parse(body);
  assert.equal(headers['berth-notification'], id);
  assert.deepEqual(told, {
    at: new Date(1_000_000).toISOString(),
    kind: 'failed',
    message: told.message,
    url: 'https://berth.test/d/shop',
    applicationName: 'shop',
    environment: 'jolly-tapir',
  });
  assert.equal(told.message, 'Revision 2 of shop failed: pod web: exited with code 1; revision 1 still serves.');
  assert.deepEqual([(await webhook()).answer, await waiting()], ['The address answered with status 200.', 0]);
});

test('kinds that are not chosen are not sent', async (t) => {
  const { db, choose, look, deliver, received, mails } = await world(t);
  await addDeployment(db, failed);
  await choose(['expiring']);
  await look();
  await deliver();
  assert.deepEqual([received.length, mails.length], [0, 0]);
});

test('the message on a failure mentions an earlier revision only if one serves', async (t) => {
  const { db, choose, look, deliver, received } = await world(t);
  await addDeployment(db, { ...failed, pods: failed.pods.map((pod) => ({ ...pod, state: 'failed' })) });
  const explanation = { kind: 'failed' as const, pods: [], because: 'no room' };
  const chat = { id: 'chat', label: 'chat', applicationName: 'chat' };
  await addDeployment(db, { ...failed, ...chat, servingRevision: 2, explanation });
  await choose(['failed']);
  await look();
  await deliver();
  assert.deepEqual(received.map(({ body }) => JSON.parse(body).message).toSorted(), [
    'Revision 2 of chat failed: no room.',
    'Revision 2 of shop failed: pod web: exited with code 1; revision 1 has failed too: pod web: failed.',
  ]);
});

test('two processes that find the same notice due send it once', async (t) => {
  const { db, choose, look, deliver, received } = await world(t);
  await addDeployment(db, failed);
  await choose(['failed']);
  await look();
  await Promise.all([deliver(), deliver()]);
  assert.equal(received.length, 1);
});

test('a notice that cannot be sent takes nothing from another that is being sent', async (t) => {
  const { db, choose, clock, delivering, mails, waiting } = await world(t);
  await setMailKinds(db, 'ada', ['failed']);
  await choose(['failed']);
  const content = { kind: 'failed', message: 'shop failed', url: 'https://berth.test' } as const;
  await addNotice(db, 'ada', { subject: 'shop', content }, { channels: ['mail', 'webhook'], now: clock.now });
  const failedCall = Promise.withResolvers<void>();
  const call = async () => {
    failedCall.resolve();
    throw new Error('the process stops');
  };
  const sendMail = async (mail: (typeof mails)[number]) => {
    await failedCall.promise;
    await new Promise(setImmediate);
    mails.push(mail);
  };
  await assert.rejects(deliverDue({ ...delivering, call, sendMail }), /the process stops/);
  assert.deepEqual([mails.length, await waiting()], [1, 1], 'the mail is noted as sent, the call is made again');
});

test('where the mail server does not take the login, a mail is sent again later', async (t) => {
  const { db, clock, delivering, mails } = await world(t);
  await setMailKinds(db, 'ada', ['failed']);
  const content = { kind: 'failed', message: 'shop failed', url: 'https://berth.test' } as const;
  await addNotice(db, 'ada', { subject: 'shop', content }, { channels: ['mail'], now: clock.now });
  const server = await startMailServer({ user: 'berth', password: 'right' });
  t.after(() => server.close());
  const wrongUrl = new URL(server.url);
  wrongUrl.password = 'wrong';
  const transport = mailTransport({ smtpUrl: wrongUrl });
  const refused = async (mail: { to: string; subject: string; text: string }) => void (await transport.sendMail(mail));
  await deliverDue({ ...delivering, sendMail: refused });
  clock.now += minuteMs;
  await deliverDue(delivering);
  assert.deepEqual(
    mails.map(({ subject }) => subject),
    ['shop failed'],
  );
});

test('unwanted notifications do not displace wanted ones', async (t) => {
  const { db, choose, look, deliver, received } = await world(t);
  const expiresAt = 2_000_000;
  for (let number = 0; number < 25; number++) {
    const name = `shop-${number}`;
    const application = { id: name, label: name, applicationName: name };
    await addDeployment(db, { ...failed, ...application, state: 'running', expiresAt, warnedOf: expiresAt });
  }
  await addDeployment(db, { ...failed, createdAt: 1 });
  await choose(['failed']);
  await look();
  await deliver();
  assert.deepEqual(
    received.map(({ body }) => JSON.parse(body).applicationName),
    ['shop'],
  );
});
