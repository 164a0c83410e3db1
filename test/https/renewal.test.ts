/** Renewal: the clock is set forward while visitors send requests. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startMailServer } from '../accounts/mail-server.ts';
import { until } from '../scenarios/berth.ts';
import { shownSerial } from '../support/tls.ts';
import { startVisitors } from '../support/tls-visitors.ts';
import { startHttps } from './https-service.ts';

const day = 24 * 3_600_000;

test('sixty days later every certificate is renewed while visitors come, and no handshake fails', async (t) => {
  let ahead = 0;
  const service = await startHttps(t, { BERTH_LIFETIME: '365d' }, { now: () => Date.now() + ahead });
  const hosts = ['berth.test', await service.deploy(), await service.deploy()];
  const served = () => service.metric('berth_certificates{state="served"}');
  await until('all are served', async () => (await served()) === hosts.length || undefined);
  const client = await service.client();
  const serials = () => Promise.all(hosts.map((host) => shownSerial(service.httpsPort, host)));
  const ask = (host: string) => client.ask({ host: `${host}:${service.httpsPort}`, path: '/healthz' });
  await until('all are shown', async () => {
    const answers = await Promise.all(hosts.map((host) => ask(host).catch(() => undefined)));
    return answers.every((answer) => answer?.status === 200) || undefined;
  });
  const before = await serials();
  const insists = async () => (await ask('berth.test')).headers['strict-transport-security'];
  assert.equal(await insists(), undefined, 'renewals are untested so far');

  const root = await service.pebble.root();
  const visitors = startVisitors({ port: service.httpsPort, root, hosts, path: '/healthz', perSecond: 200 });
  const comes = (count: number) => until(`${count} come`, async () => visitors.answered() >= count || undefined);
  await comes(20);
  ahead = 60 * day;
  await until('all are renewed', async () => {
    const now = await serials();
    return now.every((serial, index) => serial !== before[index]) || undefined;
  });
  await comes(visitors.answered() + 60);
  const { fresh, kept, connections, failures } = await visitors.end();
  t.diagnostic(
    `${fresh.asked} visitors with a handshake, ${Math.round(fresh.perSecond)} a second; ` +
      `${kept.asked} requests on ${connections} kept connections, ${Math.round(kept.perSecond)} a second`,
  );
  assert.deepEqual([fresh.failed, kept.failed, failures], [0, 0, []]);
  assert.ok(fresh.asked > 0 && kept.asked > 0);
  assert.equal(service.pebble.issued(), 2 * hosts.length);
  assert.equal(await service.metric('berth_certificates{state="failing"}'), 0);
  assert.equal(await insists(), 'max-age=31536000');
});

test('an authority that is down leaves existing certificates, and is reported, by mail too, once for each cause', async (t) => {
  let ahead = 0;
  const { url, mails, close } = await startMailServer();
  t.after(close);
  const mail = {
    BERTH_SMTP_URL: url.href,
    BERTH_MAIL_FROM: 'Berth <berth@example.com>',
    BERTH_OPERATOR_MAIL: 'me@example.com',
  };
  const service = await startHttps(t, { BERTH_ACME_DNS: 'pebble', ...mail }, { now: () => Date.now() + ahead });
  await until(
    'both are served',
    async () => (await service.metric('berth_certificates{state="served"}')) === 2 || undefined,
  );
  const before = await until('the edge has it', () =>
    shownSerial(service.httpsPort, 'berth.test').catch(() => undefined),
  );
  await service.pebble.end();
  ahead = 61 * day;
  await until(
    'both fail',
    async () => (await service.metric('berth_certificates{state="failing"}')) === 2 || undefined,
  );
  assert.equal(await shownSerial(service.httpsPort, 'berth.test'), before);
  assert.match(await service.log(), /a certificate was not issued/);
  assert.match(await service.log(), /the authority at https:\S+ cannot be reached/);
  assert.equal(mails.length, 0, 'a first failure is nothing to write of');
  // Each time the next try is due.
  for (let failures = 2; failures <= 4; failures += 1) {
    ahead += day;
    await until(`failure ${failures}`, async () => {
      const found = (await service.log()).match(new RegExp(`"failures":${failures}`, 'g'));
      return found?.length === 2 || undefined;
    });
  }
  const mailOf = (subject: RegExp) => mails.filter(({ text }) => subject.test(text));
  await until('the operator gets a mail', async () => mailOf(/are not issued/).length === 1 || undefined);
  assert.deepEqual(mails[0]!.to, ['me@example.com']);
  assert.match(mails[0]!.text, /\*\.apps\.test: it ends at \S+\s+the authority at \S+ cannot be reached: ECONNREFUSED/);
  const ready = () => fetch(`http://127.0.0.1:${service.port}/readyz`);
  assert.equal((await ready()).status, 200);
  ahead = 84 * day;
  const answer = await ready();
  assert.deepEqual([answer.status, ((await answer.json()) as { code: string }).code], [503, 'certificate_late']);
  const { token } = await service.start();
  const { certificate } = (await service.status(token)).status;
  assert.equal(certificate?.because, 'late', 'the owners of applications are notified');
  await until('the operator gets another mail', async () => mailOf(/are about to end/).length === 1 || undefined);
  await service.restart();
  ahead += day;
  await until('a further failure', async () => /"failures":6/.test(await service.log()) || undefined);
  assert.equal(mails.length, 2);
});
