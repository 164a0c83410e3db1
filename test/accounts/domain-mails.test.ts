/** Mails to owners of custom domains: a real mail server, and a clock that the test moves. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { pino } from 'pino';
import { openDomains } from '../../src/domains/open.ts';
import { addDeployment } from '../../src/store/deployments.ts';
import { putDomain } from '../../src/store/domains.ts';
import { addSession } from '../../src/store/sessions.ts';
import { until } from '../scenarios/berth.ts';
import { addAccount } from '../support/accounts.ts';
import { deploymentOf } from '../support/deployments.ts';
import { emptyStore } from '../support/empty-store.ts';
import { startMailServer } from './mail-server.ts';

const name = 'shop.example.com';
const minuteMs = 60_000;
const far = Date.UTC(2100, 0, 1);
const found = (server: object) => JSON.stringify({ proof: [server], direction: { kind: 'here' }, wanted: [] });

async function world(t: TestContext, { isVerified = true } = {}) {
  const db = await emptyStore();
  await addAccount(db, 'ada', { isVerified });
  await addSession(db, { id: 'ada', token: 'ada', createdAt: 0, accountId: 'ada' });
  await addDeployment(db, deploymentOf({ id: 'ada', sessionId: 'ada', claimedAt: 0, expiresAt: null }));
  const put = { name, accountId: 'ada', deploymentId: 'ada', redirectTo: null, now: 0 };
  await db.transaction().execute((db) => putDomain(db, put));
  const set = (fields: object) => db.updateTable('domains').set(fields).execute();
  await set({ verifiedAt: 1, nextCheckAt: far, finding: found({ server: 'ns1', said: 'nothing' }) });
  const { url, mails, close } = await startMailServer();
  const clock = { now: 1_000 };
  const domains = openDomains(
    { domainResolvers: ['127.0.0.1:9'], appsDomain: 'apps.test', baseUrl: new URL('https://berth.test') },
    {
      db,
      owner: 'i',
      now: () => clock.now,
      log: pino({ level: 'silent' }),
      refreshEdge: async () => {},
      mail: { smtpUrl: url, mailFrom: 'Berth <berth@example.com>' },
    },
  );
  t.after(async () => {
    await domains[Symbol.asyncDispose]();
    await close();
    await db.destroy();
  });
  const reported = async () => (await db.selectFrom('domains').select('told').executeTakeFirstOrThrow()).told;
  /** The next look, a minute later. */
  const look = async (is: string | null) => {
    clock.now += minuteMs;
    domains.wake();
    await until(`it is noted as ${is}`, async () => {
      if ((await reported()) === is) return true;
      domains.wake();
      return undefined;
    });
  };
  return { db, mails, set, look };
}

test('the owner is notified once of a missing proof, once of the loss of the name, and again after a recovery', async (t) => {
  const { mails, set, look } = await world(t);
  await set({ failingSince: 500 });
  await look('failing');
  assert.deepEqual([mails.length, mails[0]!.to], [1, ['ada@example.com']]);
  const { text } = mails[0]!;
  assert.match(text, /^Subject: shop\.example\.com is about to be lost/m);
  assert.match(text, /TXT _berth\.shop\.example\.com not found: ns1 has none\. It stays live until/);
  assert.match(text, /^ {2}_berth\.shop\.example\.com {2}TXT {2}berth=/m);
  assert.match(text, /^https:\/\/berth\.test\/d\//m);
  await look('failing');
  await set({ failingSince: null });
  await look(null);
  assert.equal(mails.length, 1);
  await set({ failingSince: 600 });
  await look('failing');
  await set({ releasedAt: 700, releasedBecause: 'unproven', heldUntil: 800 });
  await look('lost');
  assert.deepEqual(
    mails.map(({ text }) => /^Subject: (.*?)\r?$/m.exec(text)?.[1]),
    [`${name} is about to be lost`, `${name} is about to be lost`, `${name} was lost`],
  );
});

test('the owner gets the authority’s message after three failed renewals of the certificate', async (t) => {
  const { db, mails, set, look } = await world(t);
  await set({ finding: found({ server: 'ns1', said: 'proof' }) });
  const never = { pem: null, firstIssuedAt: 1, issuedAt: 1, renewAt: 2, askAt: null, told: null };
  const row = { ...never, host: name, expiresAt: far, orderedAt: 1, failures: 2, nextTryAt: 3 };
  await db
    .insertInto('certificates')
    .values({ ...row, problem: 'CAA forbids it' } as never)
    .execute();
  await look(null);
  assert.equal(mails.length, 0);
  await db.updateTable('certificates').set({ failures: 3 }).execute();
  await look('uncertified');
  assert.match(mails[0]!.text, /^Subject: shop\.example\.com has no certificate/m);
  assert.match(mails[0]!.text, /issued no certificate: CAA forbids it\. .*The current certificate ends at 2100-01-01/s);
});

test('an unconfirmed address gets no mail', async (t) => {
  const { mails, set, look } = await world(t, { isVerified: false });
  await set({ failingSince: 500 });
  await look('failing');
  assert.equal(mails.length, 0);
});
