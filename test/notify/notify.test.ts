/** What accounts are told: a store, a mail server and a web server that are real, and a clock that the test moves. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { failuresToDisable } from '../../src/deployment/notification/delivery.ts';
import type { NoticeKind } from '../../src/deployment/notification/notice.ts';
import { createDialer } from '../../src/images/dialer/dialer.ts';
import { mailTransport } from '../../src/lib/mail-transport.ts';
import { sealWith } from '../../src/lib/seal.ts';
import { callWebhook } from '../../src/notify/call-webhook.ts';
import { deliverDue } from '../../src/notify/deliver.ts';
import { lookForNotices } from '../../src/notify/look.ts';
import { addDeployment } from '../../src/store/deployments.ts';
import { addNotice, choicesOf, setMailKinds, setWebhook } from '../../src/store/notifications.ts';
import { addSession } from '../../src/store/sessions.ts';
import { startMailServer } from '../accounts/mail-server.ts';
import { deploymentOf, podStatusOf } from '../support/deployments.ts';
import { emptyStore } from '../support/empty-store.ts';

const minuteMs = 60_000;
const secret = 'berthhook_a-secret-of-the-test';

type Received = { headers: IncomingHttpHeaders; body: string };

async function world(t: TestContext) {
  const db = await emptyStore();
  const seal = sealWith('k');
  const clock = { now: 1_000_000 };
  const received: Received[] = [];
  const answers = { status: 200 };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
    response.writeHead(answers.status, { location: '/elsewhere' }).end('not read');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = `http://${host}/hook`;
  const dialer = createDialer({ listed: new Map([[host, { plainHttp: true }]]) });
  t.after(async () => {
    dialer[Symbol.dispose]();
    server.close();
    await db.destroy();
  });
  const at = new Date(0).toISOString();
  const account = { id: 'ada', name: 'ada', email: 'ada@example.com', emailVerified: 1, tier: null };
  await db
    .insertInto('accounts')
    .values({ ...account, createdAt: at, updatedAt: at } as never)
    .execute();
  await addSession(db, { id: 'ada', token: 'ada', createdAt: 0, accountId: 'ada' });
  const mails: { to: string; subject: string; text: string }[] = [];
  const delivering = {
    db,
    seal,
    now: () => clock.now,
    accountUrl: 'https://berth.test/account',
    log: { warn: () => {} },
    call: (call: Parameters<typeof callWebhook>[1]) => callWebhook(dialer, { ...call, mayAskListed: true }),
    sendMail: async (mail: (typeof mails)[number]) => void mails.push(mail),
    stop: new AbortController().signal,
  };
  const urlOf = ({ id }: { id: string }) => `https://berth.test/d/${id}`;
  return {
    db,
    clock,
    received,
    answers,
    mails,
    url,
    delivering,
    choose: (kinds: NoticeKind[]) => setWebhook(db, seal, 'ada', { url, kinds, secret }),
    webhook: async () => (await choicesOf(db, 'ada')).webhook!,
    look: () => lookForNotices({ db, now: () => clock.now, urlOf }),
    deliver: () => deliverDue(delivering),
    waiting: async () => (await db.selectFrom('noticeDeliveries').selectAll().execute()).length,
  };
}

const failed = deploymentOf({
  id: 'shop',
  sessionId: 'ada',
  claimedAt: 0,
  expiresAt: null,
  state: 'failed',
  applicationName: 'shop',
  environment: 'jolly-tapir',
  revision: 2,
  servingRevision: 1,
  explanation: { kind: 'failed', pods: ['web'], because: 'exited with code 1', servingRevision: 1 },
  pods: [podStatusOf('web')],
});

test('a deployment that failed is told once, by mail and by a call that its secret proves', async (t) => {
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

test('what nobody has chosen is not told', async (t) => {
  const { db, choose, look, deliver, received, mails } = await world(t);
  await addDeployment(db, failed);
  await choose(['expiring']);
  await look();
  await deliver();
  assert.deepEqual([received.length, mails.length], [0, 0]);
});

test('a failure is not told with an earlier revision that serves where none does', async (t) => {
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
    throw new Error('the process is told to stop');
  };
  const sendMail = async (mail: (typeof mails)[number]) => {
    await failedCall.promise;
    await new Promise(setImmediate);
    mails.push(mail);
  };
  await assert.rejects(deliverDue({ ...delivering, call, sendMail }), /told to stop/);
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

test('what nobody wants to be told takes nothing from what somebody wants', async (t) => {
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

test('a test is sent once, whatever comes of it, and leaves nothing', async (t) => {
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

test('a redirect is no answer, and is not followed', async (t) => {
  const { db, choose, look, deliver, received, answers, webhook } = await world(t);
  await addDeployment(db, failed);
  await choose(['failed']);
  answers.status = 307;
  await look();
  await deliver();
  assert.equal(received.length, 1);
  assert.match((await webhook()).answer!, /status 307; redirects are not followed/);
});

test('after several notifications in a row that it did not take a webhook is switched off, and its owner is told', async (t) => {
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
    ['Your webhook was switched off after 5 notifications that it did not take'],
  );
  const calls = received.length;
  const content = { kind: 'failed', message: 'one more', url: 'https://berth.test' } as const;
  await addNotice(db, 'ada', { subject: 'more', content }, { channels: ['webhook'], now: clock.now });
  await deliver();
  assert.equal(received.length, calls);
  await choose(['failed']);
  assert.deepEqual([(await webhook()).failures, (await webhook()).disabledAt], [0, null]);
});

test('a call whose secret no key opens is told and kept, and made once the key is back', async (t) => {
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
