/** An account with notifications: a real store and web server, and a clock that the test moves. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type { NoticeKind } from '../../src/deployment/notification/notice.ts';
import { createDialer } from '../../src/images/dialer/dialer.ts';
import { createFairWorker } from '../../src/lib/fair-work.ts';
import { sealWith } from '../../src/lib/seal.ts';
import { callWebhook, type Delivering, deliveryWork } from '../../src/notify/deliver.ts';
import { findNotices } from '../../src/notify/open.ts';
import { choicesOf, setWebhook } from '../../src/store/notifications.ts';
import { addSession } from '../../src/store/sessions.ts';
import { addAccount } from '../support/accounts.ts';
import { deploymentOf, podStatusOf } from '../support/deployments.ts';
import { emptyStore } from '../support/empty-store.ts';

export const minuteMs = 60_000;
export const secret = 'berthhook_a-secret-of-the-test';

type Received = { headers: IncomingHttpHeaders; body: string };

export async function world(t: TestContext) {
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
  await addAccount(db, 'ada');
  await addSession(db, { id: 'ada', token: 'ada', createdAt: 0, accountId: 'ada' });
  const mails: { to: string; subject: string; text: string }[] = [];
  const delivering = {
    db,
    seal,
    now: () => clock.now,
    accountUrl: 'https://berth.test/account',
    log: { warn: () => {} },
    call: (call: Parameters<typeof callWebhook>[1]) => callWebhook(dialer, { ...call, mayUseListed: true }),
    sendMail: async (mail: (typeof mails)[number]) => void mails.push(mail),
    stop: new AbortController().signal,
    duty: { take: async () => true },
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
    look: () => findNotices({ db, now: () => clock.now, urlOf }),
    deliver: () => deliverDue(delivering),
    waiting: async () => (await db.selectFrom('noticeDeliveries').selectAll().execute()).length,
  };
}

/** Sends all notifications that are due now. */
export const deliverDue = (delivering: Delivering) => createFairWorker(deliveryWork(delivering)).run();

export const failed = deploymentOf({
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
